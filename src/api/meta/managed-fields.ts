import { invalid, tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength } from '../../machinery/formats/names.ts';
import type { ManagedFieldsEntry } from '../../machinery/object-meta.ts';

const maxManagerLength = 128;
const maxSubresourceLength = 256;

/**
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management | Field management}
 */
export function checkManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  entries?.forEach((entry, i) => {
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      errors.push(invalid(path.index(i).child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1')
      errors.push(invalid(path.index(i).child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    checkFieldManager(entry.manager ?? '', () => path.index(i).child('manager'), errors);
    if (byteLength(entry.subresource ?? '') > maxSubresourceLength)
      errors.push(tooLong(path.index(i).child('subresource'), maxSubresourceLength));
  });
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Also for the `fieldManager` of a request. */
export function checkFieldManager(manager: string, path: () => FieldPath, errors: FieldErrors): void {
  if (byteLength(manager) > maxManagerLength) errors.push(tooLong(path(), maxManagerLength));
  if (printable.test(manager)) return;
  let position = 0;
  for (const char of manager) {
    if (!printable.test(char))
      errors.push(
        invalid(
          path(),
          manager,
          `invalid character U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} (at ` +
            `position ${position})`,
        ),
      );
    position += byteLength(char);
  }
}
