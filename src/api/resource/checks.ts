/** Rules that the kinds of dynamic resource allocation have in common. */
import {
  duplicate,
  invalid,
  required,
  type ShownValue,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength, isCIdentifier, isDns1123Label, isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import type { JsonValue } from '../../machinery/value.ts';
import { checkCsiDriverName } from '../core/volumes/csi.ts';
import { checkFormat } from '../meta/checks.ts';
import { maxIdLength } from './device-selectors.ts';

/** Requests, constraints and configurations of a claim, and selectors of a request. */
export const maxParts = 32;
/** Bytes of what a driver is told. */
export const maxParametersLength = 10 * 1024;
const maxPoolNameLength = 253;

/** Drivers of devices have the names that drivers of volumes have. */
export const checkDriverName = checkCsiDriverName;

/** A request, or a device in its pool. */
export const checkLabel = (name: string, path: FieldPath, errors: FieldErrors): void =>
  checkFormat(isDns1123Label, name, path, errors);

/** Subdomains with slashes between them. */
export function checkPoolName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return void errors.push(required(path));
  if (byteLength(name) > maxPoolNameLength) errors.push(tooLong(path, maxPoolNameLength));
  for (const part of name.split('/')) checkFormat(isDns1123Subdomain, part, path, errors);
}

export function checkCount(list: readonly unknown[], max: number, path: FieldPath, errors: FieldErrors): void {
  if (list.length > max) errors.push(tooMany(path, list.length, max));
}

/**
 * @param field what of an item is its key
 * @param shown how a message shows a key
 */
export function checkUnique(
  keys: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
  field?: string,
  shown: (key: string) => ShownValue = (key) => key,
): void {
  const seen = new Set<string>();
  for (const [i, key] of keys.entries()) {
    const at = path.index(i);
    if (seen.has(key)) errors.push(duplicate(field === undefined ? at : at.child(field), shown(key)));
    seen.add(key);
  }
}

/** The name of an attribute or of a capacity: an identifier, in the domain of the driver or with another one. */
export function checkPropertyName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return void errors.push(required(path, 'name required'));
  const parts = name.split('/');
  if (parts.length === 1) return checkIdentifier(name, path, errors);
  if (parts.length > 2) return;
  const [domain, id] = parts as [string, string];
  if (domain === '') errors.push(required(path, 'the domain must not be empty'));
  else checkDriverName(domain, path, errors);
  if (id === '') errors.push(required(path, 'the name must not be empty'));
  else checkIdentifier(id, path, errors);
}

/** The same with a domain. */
export function checkFullPropertyName(name: string, path: FieldPath, errors: FieldErrors): void {
  checkPropertyName(name, path, errors);
  if (name !== '' && !name.includes('/')) errors.push(invalid(path, name, 'must include a domain'));
}

function checkIdentifier(id: string, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(id) > maxIdLength) errors.push(tooLong(path, maxIdLength));
  for (const message of isCIdentifier(id)) errors.push(typeInvalid(path, id, message));
}

/** What a driver alone understands: an object. */
export function checkParameters(
  parameters: JsonValue | undefined,
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): void {
  if (parameters === undefined || parameters === null) errors.push(required(path));
  // What was stored before there was a limit stays.
  else if (!isStored && byteLength(stringifyJson(parameters)) > maxParametersLength)
    errors.push(tooLong(path, maxParametersLength));
  else if (typeof parameters !== 'object' || Array.isArray(parameters))
    errors.push(invalid(path, '<value omitted>', 'parameters must be a valid JSON object'));
}
