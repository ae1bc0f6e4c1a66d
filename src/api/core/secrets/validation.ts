import { forbidden, invalid, required, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isConfigMapKey } from '../../../machinery/formats/names.ts';
import { JsonSyntaxError } from '../../../machinery/json/json-error.ts';
import { parseJson } from '../../../machinery/json/reader.ts';
import { checkImmutable, invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import type { Secret } from '../../gen/types/core-v1.ts';
import { base64Bytes, immutableIsSet, maxDataBytes } from '../config-maps/validation.ts';

const data = FieldPath.of('data');
const redacted = '<secret contents redacted>';
const accountAnnotation = 'kubernetes.io/service-account.name';

/**
 * What a type of secret has to contain. @see {@link
 * https://kubernetes.io/docs/concepts/configuration/secret/#secret-types | Types of Secret}
 */
const requiredByType: Readonly<Record<string, (secret: Secret, errors: FieldErrors) => void>> = {
  'kubernetes.io/service-account-token': ({ metadata }, errors) => {
    if ((metadata?.annotations?.[accountAnnotation] ?? '') === '')
      errors.push(required(FieldPath.of('metadata', 'annotations').key(accountAnnotation)));
  },
  'kubernetes.io/dockercfg': (secret, errors) => checkJson(secret, '.dockercfg', errors),
  'kubernetes.io/dockerconfigjson': (secret, errors) => checkJson(secret, '.dockerconfigjson', errors),
  'kubernetes.io/basic-auth': (secret, errors) => {
    // Either of the two is enough.
    if (!has(secret, 'username') && !has(secret, 'password'))
      errors.push(required(data.key('username')), required(data.key('password')));
  },
  'kubernetes.io/ssh-auth': (secret, errors) => {
    if ((secret.data?.['ssh-privatekey'] ?? '') === '') errors.push(required(data.key('ssh-privatekey')));
  },
  'kubernetes.io/tls': (secret, errors) => {
    for (const key of ['tls.crt', 'tls.key']) if (!has(secret, key)) errors.push(required(data.key(key)));
  },
};

const has = (secret: Secret, key: string): boolean => secret.data?.[key] !== undefined;

function checkJson(secret: Secret, key: string, errors: FieldErrors): void {
  const value = secret.data?.[key];
  if (value === undefined) return void errors.push(required(data.key(key)));
  try {
    parseJson(Buffer.from(value, 'base64'));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    errors.push(invalid(data.key(key), redacted, error.message));
  }
}

export function validateSecret(object: Secret): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata ?? {}, { namespaced: true, validateName: subdomainName });
  let size = 0;
  for (const [key, value] of Object.entries(object.data ?? {})) {
    invalidEach(isConfigMapKey(key), data.key(key), key, errors);
    size += base64Bytes(value);
  }
  if (size > maxDataBytes) errors.push(tooLong(data, maxDataBytes));
  requiredByType[object.type ?? '']?.(object, errors);
  return errors;
}

export function validateSecretUpdate(object: Secret, old: Secret): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {});
  checkImmutable(object.type ?? '', old.type ?? '', FieldPath.of('type'), errors);
  if (old.immutable === true) {
    if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), immutableIsSet));
    if (!isEqual(object.data, old.data)) errors.push(forbidden(data, immutableIsSet));
  }
  return FieldErrors.joined(errors, validateSecret(object));
}
