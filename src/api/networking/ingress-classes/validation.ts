/**
 * Rules of ingress classes. @see {@link https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class
 * | Ingress class}
 */
import type { IngressClass, IngressClassParametersReference, IngressClassSpec } from '../../gen/types/networking-v1.ts';
import { forbidden, notSupported, required, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength, isDns1123Label } from '../../../machinery/formats/names.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { checkDomainPrefixedPath } from '../../meta/domains.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { ageCell } from '../../table/cells.ts';
import { checkTypedReference } from '../ingresses/backend-validation.ts';

const specPath = FieldPath.of('spec');
const scopes = ['Cluster', 'Namespace'];
const maxControllerLength = 250;

export function setIngressClassDefaults({ spec }: Pick<IngressClass, 'spec'>): void {
  if (spec.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
}

export function validateIngressClass({ metadata, spec }: IngressClass): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkController(spec, specPath.child('controller'), errors);
  if (spec.parameters !== undefined) checkParameters(spec.parameters, specPath.child('parameters'), errors);
  return errors;
}

export function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): FieldErrors {
  const errors = validateBuiltInMetaUpdate(ingressClass.metadata, old.metadata);
  checkImmutable(ingressClass.spec.controller ?? '', old.spec.controller ?? '', specPath.child('controller'), errors);
  return FieldErrors.joined(errors, validateIngressClass(ingressClass));
}

function checkController({ controller = '' }: IngressClassSpec, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(controller) > maxControllerLength) errors.push(tooLong(path, maxControllerLength));
  checkDomainPrefixedPath(controller, path, errors);
}

function checkParameters(parameters: IngressClassParametersReference, path: FieldPath, errors: FieldErrors): void {
  const { scope, namespace } = parameters;
  checkTypedReference(parameters, path, errors);
  if (scope === undefined) return void errors.push(required(path.child('scope')));
  const namespacePath = path.child('namespace');
  if (!scopes.includes(scope)) errors.push(notSupported(path.child('scope'), scope, scopes));
  else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'"));
  } else if (namespace === undefined) errors.push(required(namespacePath, "`parameters.scope` is set to 'Namespace'"));
  else checkFormat(isDns1123Label, namespace, namespacePath, errors);
}

export const ingressClassCells = ({ metadata, spec }: IngressClass, now: Date): string[] => [
  metadata.name ?? '',
  spec.controller ?? '',
  parametersCell(spec),
  ageCell(metadata.creationTimestamp, now),
];

function parametersCell({ parameters }: IngressClassSpec): string {
  if (parameters === undefined) return '<none>';
  const { kind = '', apiGroup, name = '' } = parameters;
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
}
