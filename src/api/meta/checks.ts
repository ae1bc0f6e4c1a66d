/** Small validators that kinds have in common. All append to `errors`. */
import { invalid, notSupported, required, type ShownValue } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { immutableMessage, negativeMessage } from '../../machinery/formats/messages.ts';
import type { Checker } from '../../machinery/formats/names.ts';
import { isEqual } from '../../machinery/equal.ts';

/** One `Invalid` error for each message of a checker. */
export function invalidEach(
  messages: readonly string[],
  path: FieldPath,
  value: ShownValue,
  errors: FieldErrors,
): void {
  for (const message of messages) errors.push(invalid(path, value, message));
}

export function checkFormat(check: Checker, value: string, path: FieldPath, errors: FieldErrors): void {
  invalidEach(check(value), path, value, errors);
}

/** Absent counts as zero. */
export function checkNonNegative(value: number | bigint | undefined, path: FieldPath, errors: FieldErrors): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, negativeMessage));
}

/** `shown` is what the message shows when the value is not a scalar. */
export function checkImmutable(
  value: unknown,
  old: unknown,
  path: FieldPath,
  errors: FieldErrors,
  shown?: (value: never) => ShownValue,
): void {
  if (isEqual(value, old)) return;
  errors.push(
    invalid(
      path,
      shown === undefined || value === undefined ? (value as ShownValue) : shown(value as never),
      immutableMessage,
    ),
  );
}

export function checkRequiredText(
  value: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  detail = '',
): boolean {
  if (value !== undefined && value !== '') return true;
  errors.push(required(path, detail));
  return false;
}

/** One of a closed set. `supported` in the order messages show it. */
export function checkEnum(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!supported.includes(value ?? '')) errors.push(notSupported(path, value ?? '', supported));
}

/** Several texts as one, which no others make. */
export const keyOf = (...texts: readonly string[]): string => texts.map((text) => `${text.length}:${text}`).join('');

/** Where a list says again what it has said before. In one pass: clients send long lists. */
export function repeatedAt(list: readonly string[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeated = new Set<number>();
  for (const [i, value] of list.entries()) {
    if (seen.has(value)) repeated.add(i);
    seen.add(value);
  }
  return repeated;
}
