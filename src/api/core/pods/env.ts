/**
 * Environment variables of containers.
 * @see {@link https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/ | Define
 *   environment variables}
 */
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  SecretKeySelector,
} from '../../gen/types/core-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import {
  isConfigMapKey,
  isDns1123Subdomain,
  isEnvVarName,
  isRelaxedEnvVarName,
} from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText, invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { checkObjectField, checkResourceField } from './downward-fields.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

/** The fields of the pod that a variable can show. */
const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function checkEnv(
  variables: readonly EnvVar[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  variables?.forEach(({ name, value, valueFrom }, i) => {
    const at = path.index(i);
    if (checkRequiredText(name, at.child('name'), errors)) checkName(name!, at.child('name'), errors, rules);
    if (valueFrom !== undefined) checkValueFrom(valueFrom, value !== undefined, at.child('valueFrom'), errors);
  });
}

const checkName = (
  name: string,
  path: FieldPath,
  errors: FieldErrors,
  { relaxedEnvNames }: PodValidationOptions,
): void => checkFormat(relaxedEnvNames ? isRelaxedEnvVarName : isEnvVarName, name, path, errors);

function checkValueFrom(
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: EnvVarSource,
  hasValue: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (fieldRef !== undefined) checkObjectField(fieldRef, variableFields, path.child('fieldRef'), errors);
  if (resourceFieldRef !== undefined)
    checkResourceField(resourceFieldRef, { needsContainer: false }, path.child('resourceFieldRef'), errors);
  if (configMapKeyRef !== undefined) checkKeyReference(configMapKeyRef, path.child('configMapKeyRef'), errors);
  if (secretKeyRef !== undefined) checkKeyReference(secretKeyRef, path.child('secretKeyRef'), errors);
  const count = countDefined(fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef);
  if (count === 0)
    errors.push(
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'),
    );
  else if (hasValue) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalid(path, '', oneTooMany));
}

const oneTooMany = 'may not have more than one field specified at a time';

const countDefined = (...values: unknown[]): number =>
  values.reduce((count: number, value) => (value === undefined ? count : count + 1), 0);

function checkKeyReference(
  { name = '', key }: ConfigMapKeySelector | SecretKeySelector,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkFormat(isDns1123Subdomain, name, path.child('name'), errors);
  if (checkRequiredText(key, path.child('key'), errors)) checkFormat(isConfigMapKey, key!, path.child('key'), errors);
}

export function checkEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  sources?.forEach(({ prefix = '', configMapRef, secretRef }, i) => {
    const at = path.index(i);
    if (prefix !== '') checkName(prefix, at.child('prefix'), errors, rules);
    if (configMapRef !== undefined) checkNameReference(configMapRef.name, at.child('configMapRef', 'name'), errors);
    if (secretRef !== undefined) checkNameReference(secretRef.name, at.child('secretRef', 'name'), errors);
    // These two name the list, not its item.
    if (configMapRef === undefined && secretRef === undefined)
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (configMapRef !== undefined && secretRef !== undefined) errors.push(invalid(path, '', oneTooMany));
  });
}

/** A trailing hyphen is accepted here, as in the prefix of a name. */
function checkNameReference(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (checkRequiredText(name, path, errors)) invalidEach(subdomainName(name!, true), path, name, errors);
}
