import { forbidden, invalid, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isConfigMapKey } from '../../../machinery/formats/names.ts';
import { invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import type { ConfigMap } from '../../gen/types/core-v1.ts';

/** All values together. */
export const maxDataBytes = 1024 * 1024;
const data = FieldPath.of('data');
const binaryData = FieldPath.of('binaryData');
const immutable = FieldPath.of('immutable');

export const base64Bytes = (text: string): number => Buffer.byteLength(text, 'base64');

/** @see {@link https://kubernetes.io/docs/concepts/configuration/configmap/ | ConfigMap} */
export function validateConfigMap(object: ConfigMap): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata ?? {}, { namespaced: true, validateName: subdomainName });
  let size = 0;
  for (const [key, value] of Object.entries(object.data ?? {})) {
    invalidEach(isConfigMapKey(key), data.key(key), key, errors);
    // With the key in both maps it is undefined which value readers see.
    if (object.binaryData?.[key] !== undefined)
      errors.push(invalid(data.key(key), key, 'duplicate of key present in binaryData'));
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(object.binaryData ?? {})) {
    invalidEach(isConfigMapKey(key), binaryData.key(key), key, errors);
    size += base64Bytes(value);
  }
  if (size > maxDataBytes) errors.push(tooLong(FieldPath.of('[]'), maxDataBytes));
  return errors;
}

export function validateConfigMapUpdate(object: ConfigMap, old: ConfigMap): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {});
  if (old.immutable === true) {
    if (object.immutable !== true) errors.push(forbidden(immutable, immutableIsSet));
    if (!isEqual(object.data, old.data)) errors.push(forbidden(data, immutableIsSet));
    if (!isEqual(object.binaryData, old.binaryData)) errors.push(forbidden(binaryData, immutableIsSet));
  }
  return FieldErrors.joined(errors, validateConfigMap(object));
}

export const immutableIsSet = 'field is immutable when `immutable` is set';
