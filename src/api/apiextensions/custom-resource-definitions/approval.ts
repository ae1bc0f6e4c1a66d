/**
 * Groups of the Kubernetes community: an API in them has been reviewed, or says that it was not. @see {@link
 * https://kep.k8s.io/1111 | KEP-1111}
 */
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { CustomResourceDefinition } from '../../gen/types/apiextensions-v1.ts';

const annotation = 'api-approved.kubernetes.io';
const path = FieldPath.of('metadata', 'annotations').key(annotation);
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

function stateOf(value: string): State {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(value) ? 'approved' : 'invalid';
}

const missing = `protected groups must have approval annotation "${annotation}", ${see}`;
const malformed =
  `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with ` +
  `"unapproved", ${see}`;

/** Undefined for a group that is not protected. */
export function approvalOf(
  definition: CustomResourceDefinition,
): { readonly state: State; readonly message: string } | undefined {
  if (!isProtected(definition.spec.group ?? '')) return undefined;
  const value = annotationOf(definition);
  const state = stateOf(value);
  const messages: Readonly<Record<State, string>> = {
    missing,
    invalid: malformed,
    bypassed: `not approved: ${goQuote(value)}`,
    approved: `approved in ${value}`,
  };
  return { state, message: messages[state] };
}

/** A state that stays as it was is let pass. */
export function checkApproval(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  errors: FieldErrors,
): void {
  if (!isProtected(definition.spec.group ?? '')) return;
  const value = annotationOf(definition);
  const state = stateOf(value);
  if (old !== undefined && stateOf(annotationOf(old)) === state) return;
  if (state === 'missing') errors.push(required(path, missing));
  if (state === 'invalid') errors.push(invalid(path, value, malformed));
}

const annotationOf = ({ metadata }: CustomResourceDefinition): string => metadata.annotations?.[annotation] ?? '';
