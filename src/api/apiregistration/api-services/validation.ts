/**
 * Group versions that the server answers itself, or passes on. @see {@link
 * https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/ | Aggregation layer}
 */
import type { APIService, APIServiceSpec, ServiceReference } from '../../gen/types/apiregistration-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName } from '../../../machinery/formats/names.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { checkEnum, checkFormat, checkRequiredText } from '../../meta/checks.ts';
import type { NameRule } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkServicePort, setServiceTargetDefaults } from '../../meta/webhook-client.ts';

const specPath = FieldPath.of('spec');
const maxGroupPriority = 20000;
const maxVersionPriority = 1000;

export const setApiServiceDefaults = ({ spec }: APIService): void => setServiceTargetDefaults(spec.service);

export function validateApiService({ metadata, spec }: APIService): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: nameOf(spec) });
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  if (group !== '') checkFormat(isDns1123Subdomain, group, specPath.child('group'), errors);
  else if (version !== 'v1')
    errors.push(required(specPath.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  checkFormat(isDns1035Label, version, specPath.child('version'), errors);
  checkPriority(groupPriorityMinimum, maxGroupPriority, specPath.child('groupPriorityMinimum'), errors);
  checkPriority(versionPriority, maxVersionPriority, specPath.child('versionPriority'), errors);
  if (spec.service === undefined) checkLocal(spec, errors);
  else checkRemote(spec, spec.service, errors);
  return errors;
}

/** `v1.apps`: the name is what the spec says. */
const nameOf =
  ({ group = '', version = '' }: APIServiceSpec): NameRule =>
  (name) => {
    const messages = isPathSegmentName(name);
    if (messages.length > 0) return messages;
    const wanted = `${version}.${group}`;
    return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`];
  };

function checkPriority(value: number, max: number, path: FieldPath, errors: FieldErrors): void {
  if (value <= 0 || value > max) errors.push(invalid(path, value, `must be positive and less than ${max}`));
}

function checkLocal({ caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec, errors: FieldErrors): void {
  if (caBundle !== '')
    errors.push(
      invalid(
        specPath.child('caBundle'),
        `${Buffer.byteLength(caBundle, 'base64')} bytes`,
        'local APIServices may not have a caBundle',
      ),
    );
  if (insecureSkipTLSVerify)
    errors.push(
      invalid(specPath.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'),
    );
}

function checkRemote(
  { caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec,
  service: ServiceReference,
  errors: FieldErrors,
): void {
  const path = specPath.child('service');
  checkRequiredText(service.namespace, path.child('namespace'), errors);
  checkRequiredText(service.name, path.child('name'), errors);
  checkServicePort(service.port ?? 0, path.child('port'), errors);
  if (insecureSkipTLSVerify && caBundle !== '')
    errors.push(invalid(specPath.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'));
}

export const validateApiServiceUpdate = (service: APIService, old: APIService): FieldErrors =>
  FieldErrors.joined(validateBuiltInMetaUpdate(service.metadata, old.metadata), validateApiService(service));

export function validateApiServiceStatusUpdate(service: APIService, old: APIService): FieldErrors {
  const errors = validateBuiltInMetaUpdate(service.metadata, old.metadata);
  const path = FieldPath.of('status', 'conditions');
  service.status.conditions?.forEach(({ status }, i) =>
    checkEnum(status, ['False', 'True', 'Unknown'], path.index(i).child('status'), errors),
  );
  return errors;
}
