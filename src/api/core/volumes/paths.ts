/** Paths inside volumes and on hosts. */
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { inclusiveRangeMessage } from '../../../machinery/formats/messages.ts';

const hasBackstep = (text: string): boolean => text.includes('..') && text.split('/').includes('..');

export function checkNoBacksteps(text: string, path: FieldPath, errors: FieldErrors): void {
  if (hasBackstep(text)) errors.push(invalid(path, text, "must not contain '..'"));
}

export const containsBackstep = hasBackstep;

/** A path that stays below where it starts. */
export function checkDescendingPath(text: string, path: FieldPath, errors: FieldErrors): void {
  if (text.startsWith('/')) errors.push(invalid(path, text, 'must be a relative path'));
  checkNoBacksteps(text, path, errors);
}

/** A descending path for a file: names that begin with two dots belong to the volume's own machinery. */
export function checkFilePath(text: string, path: FieldPath, errors: FieldErrors): void {
  checkDescendingPath(text, path, errors);
  if (isReserved(text)) errors.push(invalid(path, text, "must not start with '..'"));
}

const isReserved = (text: string): boolean => text.startsWith('..') && !text.startsWith('../');

export const isFilePath = (text: string): boolean => !text.startsWith('/') && !hasBackstep(text) && !isReserved(text);

export function checkFileMode(mode: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777))
    errors.push(invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

/** Partition and logical unit numbers. */
export function checkByte(value: number | undefined, low: number, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined && (value < 0 || value > 255))
    errors.push(invalid(path, value, inclusiveRangeMessage(low, 255)));
}
