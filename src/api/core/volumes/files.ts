/** Volumes made of files that the API serves: config maps, secrets, fields of the pod, tokens. */
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  SecretVolumeSource,
} from '../../gen/types/core-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { checkObjectField, checkResourceField } from '../pods/downward-fields.ts';
import { checkFileMode, checkFilePath } from './paths.ts';

export function checkSecretVolume(source: SecretVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(source.secretName, path.child('secretName'), errors);
  checkItems(source, path, errors);
}

export function checkConfigMapVolume(source: ConfigMapVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(source.name, path.child('name'), errors);
  checkItems(source, path, errors);
}

function checkItems({ defaultMode, items }: SecretVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkFileMode(defaultMode, path.child('defaultMode'), errors);
  items?.forEach((item, i) => checkKeyToPath(item, path.child('items').index(i), errors));
}

export function checkKeyToPath({ key, path: file, mode }: KeyToPath, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(key, path.child('key'), errors);
  checkRequiredText(file, path.child('path'), errors);
  checkFilePath(file ?? '', path.child('path'), errors);
  checkFileMode(mode, path.child('mode'), errors);
}

export function checkDownwardApiVolume(
  { defaultMode, items }: DownwardAPIVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkFileMode(defaultMode, path.child('defaultMode'), errors);
  // The files' errors name the volume: their index is not in the path.
  items?.forEach((file) => checkDownwardApiFile(file, path, errors));
}

/** The fields of the pod that a file can show. */
const fileFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

export function checkDownwardApiFile(file: DownwardAPIVolumeFile, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(file.path, path.child('path'), errors);
  checkFilePath(file.path ?? '', path.child('path'), errors);
  if (file.fieldRef !== undefined) {
    checkObjectField(file.fieldRef, fileFields, path.child('fieldRef'), errors);
    if (file.resourceFieldRef !== undefined)
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (file.resourceFieldRef !== undefined) {
    checkResourceField(file.resourceFieldRef, { needsContainer: true }, path.child('resourceFieldRef'), errors);
  } else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  checkFileMode(file.mode, path.child('mode'), errors);
}
