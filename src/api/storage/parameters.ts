import { invalid, required, tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength } from '../../machinery/formats/names.ts';

const maxParameters = 512;
/** Bytes of keys and values together. */
export const maxParametersSize = 256 * 1024;

type StringMap = Readonly<Record<string, string>>;

/** What a driver is told about the volumes of a class: its own words. */
export function checkParameters(
  parameters: StringMap | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { allowEmpty }: { readonly allowEmpty: boolean },
): void {
  const count = Object.keys(parameters ?? {}).length;
  if (count > maxParameters) errors.push(tooLong(path, maxParameters));
  if (count === 0 && !allowEmpty) errors.push(required(path, 'must contain at least one key/value pair'));
  checkOpaqueMap(parameters, path, errors);
}

/** A map that only the provisioner or driver interprets. */
export function checkOpaqueMap(map: StringMap | undefined, path: FieldPath, errors: FieldErrors): void {
  let size = 0;
  for (const key in map) {
    if (key === '') errors.push(invalid(path, key, 'field can not be empty.'));
    size += byteLength(key) + byteLength(map[key]!);
  }
  if (size > maxParametersSize) errors.push(tooLong(path, maxParametersSize));
}
