import { tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength, isLabelValue, isQualifiedName } from '../../machinery/formats/names.ts';
import { invalidEach } from './checks.ts';

type StringMap = Readonly<Record<string, string>>;

/** Labels by `/metadata/labels`, and every map that must look like them. Errors name the map, not the key. */
export function checkLabels(labels: StringMap | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const key in labels) {
    const value = labels[key]!;
    invalidEach(isQualifiedName(key), path, key, errors);
    invalidEach(isLabelValue(value), path, value, errors);
  }
}

export function checkLabelName(name: string, path: FieldPath, errors: FieldErrors): void {
  invalidEach(isQualifiedName(name), path, name, errors);
}

/** Bytes that keys and values of all annotations may have together. */
export const maxAnnotationsSize = 256 * 1024;

export function checkAnnotations(annotations: StringMap | undefined, path: FieldPath, errors: FieldErrors): void {
  if (annotations === undefined) return;
  let characters = 0;
  for (const key in annotations) {
    // Case does not matter in the keys of annotations.
    invalidEach(isQualifiedName(key.toLowerCase()), path, key, errors);
    characters += key.length + annotations[key]!.length;
  }
  // A character has at most three bytes in UTF-8 for each of its UTF-16 units: most objects need no exact count.
  if (characters * 3 > maxAnnotationsSize && annotationsSize(annotations) > maxAnnotationsSize)
    errors.push(tooLong(path, maxAnnotationsSize));
}

function annotationsSize(annotations: StringMap): number {
  let size = 0;
  for (const key in annotations) size += byteLength(key) + byteLength(annotations[key]!);
  return size;
}
