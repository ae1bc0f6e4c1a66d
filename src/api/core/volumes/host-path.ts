import type { HostPathVolumeSource } from '../../gen/types/core-v1.ts';
import { notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { checkNoBacksteps } from './paths.ts';

const types = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

export function checkHostPathVolume(
  { path: hostPath, type }: HostPathVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!checkRequiredText(hostPath, path.child('path'), errors)) return;
  checkNoBacksteps(hostPath!, path.child('path'), errors);
  if (type !== undefined && !types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
}
