/** Numbers of pods, given as such or as a share of all. */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isPercent } from '../../machinery/formats/names.ts';
import { type GoSyntax } from '../../machinery/go-quote.ts';
import { checkNonNegative, invalidEach } from '../meta/checks.ts';
import { goIntOrString } from '../shown-struct.ts';

type IntOrPercent = number | string;

export const shownIntOrPercent = (value: IntOrPercent): GoSyntax => goIntOrString(value);

export function checkIntOrPercent(value: IntOrPercent, path: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') invalidEach(isPercent(value), path, shownIntOrPercent(value), errors);
  else checkNonNegative(value, path, errors);
}

/** The number of `5` and of `5%`; zero for what is neither. */
export function amountOf(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  return percentOf(value) ?? (/^[-+]?\d+$/.test(value) ? Number(value) : 0);
}

const percentOf = (value: string): number | undefined =>
  isPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;

export function checkAtMostAll(value: IntOrPercent, path: FieldPath, errors: FieldErrors): void {
  const percent = typeof value === 'string' ? percentOf(value) : undefined;
  if (percent !== undefined && percent > 100)
    errors.push(invalid(path, shownIntOrPercent(value), 'must not be greater than 100%'));
}
