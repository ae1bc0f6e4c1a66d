import type { CSIVolumeSource } from '../../gen/types/core-v1.ts';
import { tooLong } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText, invalidEach } from '../../meta/checks.ts';

const maxDriverNameLength = 63;

export function checkCsiDriverName(name: string, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(name, path, errors);
  if (byteLength(name) > maxDriverNameLength) errors.push(tooLong(path, maxDriverNameLength));
  invalidEach(isDns1123Subdomain(name.toLowerCase()), path, name, errors);
}

export function checkCsiVolume(
  { driver = '', nodePublishSecretRef }: CSIVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkCsiDriverName(driver, path.child('driver'), errors);
  if (nodePublishSecretRef === undefined) return;
  const { name } = nodePublishSecretRef;
  if (checkRequiredText(name, path.child('nodePublishSecretRef', 'name'), errors))
    checkFormat(isDns1123Subdomain, name!, path.child('name'), errors);
}
