import type { NonResourceAttributes, ResourceAttributes } from '../../../api/gen/types/authorization-v1.ts';
import { type FieldError, invalid, required } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote, GoSyntax } from '../../../machinery/go-quote.ts';
import { shownMeta } from '../../../api/meta/shown-meta.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { badRequest, invalid as invalidStatus } from '../../../machinery/status.ts';

export type ReviewKind = 'SubjectAccessReview' | 'LocalSubjectAccessReview' | 'SelfSubjectAccessReview';

/** What the three reviews have between them. */
export interface ReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

const path = FieldPath.of('spec');

/** Throws 422 with every error. Upstream names no kind in it. */
export function checkReview(
  kind: ReviewKind,
  { metadata = {}, spec = {} }: KubeObject & { spec?: ReviewSpec },
  namespace: string,
): void {
  const errors = attributeErrors(spec);
  if (kind !== 'SelfSubjectAccessReview' && (spec.user ?? '') === '' && (spec.groups?.length ?? 0) === 0)
    errors.push(invalid(path.child('user'), '', 'at least one of user or group must be specified'));
  const { managedFields, ...rest } = metadata;
  if (kind === 'LocalSubjectAccessReview') {
    if (rest.namespace !== namespace)
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    delete rest.namespace;
  }
  if (Object.values(rest).some((value) => value !== undefined))
    errors.push(
      invalid(
        FieldPath.of('metadata'),
        shownMeta({ ...rest, ...(managedFields === undefined ? {} : { managedFields }) }),
        'must be empty',
      ),
    );
  if (kind === 'LocalSubjectAccessReview') errors.push(...localErrors(spec, namespace));
  if (errors.length > 0) throw invalidStatus({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: ReviewSpec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      invalid(
        path.child('nonResourceAttributes'),
        nonResourceSyntax(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    return [
      invalid(
        path.child('resourceAttributes'),
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ];
  }
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) =>
    selectorErrors(resourceAttributes?.[name], path.child('resourceAttributes').child(name)),
  );
}

function selectorErrors(
  selector: { rawSelector?: string; requirements?: unknown[] } | undefined,
  at: FieldPath,
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '' && requirements.length > 0)
    return [invalid(at.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements')];
  return rawSelector === '' && requirements.length === 0
    ? [
        required(
          at.child('requirements'),
          `when ${at.toString()} is specified, requirements or rawSelector is required`,
        ),
      ]
    : [];
}

function localErrors({ resourceAttributes, nonResourceAttributes }: ReviewSpec, namespace: string): FieldError[] {
  const asked = resourceAttributes?.namespace ?? '';
  return [
    ...(resourceAttributes !== undefined && asked !== namespace
      ? [invalid(path.child('resourceAttributes', 'namespace'), asked, 'must match metadata.namespace')]
      : []),
    ...(nonResourceAttributes === undefined
      ? []
      : [
          invalid(
            path.child('nonResourceAttributes'),
            nonResourceSyntax(nonResourceAttributes),
            'disallowed on this kind of request',
          ),
        ]),
  ];
}

const nonResourceSyntax = ({ path: wanted = '', verb = '' }: NonResourceAttributes): GoSyntax =>
  new GoSyntax(`authorization.NonResourceAttributes{Path:${goQuote(wanted)}, Verb:${goQuote(verb)}}`);
