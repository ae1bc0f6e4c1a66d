import { JsonTypeError } from './json-error.ts';

/** A number whose text matters: with fraction, exponent or more than fifteen digits. Only where asked for. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const minInt64 = -(2n ** 63n);

const maxInt64 = 2n ** 63n - 1n;

/** As Go reads a number without a type: an int64 where it is one, else a float64. */
export function numberOf(literal: string): number | bigint {
  if (literal.length <= 20 && /^-?\d+$/.test(literal)) {
    const integer = BigInt(literal);
    if (integer >= minInt64 && integer <= maxInt64)
      return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  const value = Number(literal);
  if (!Number.isFinite(value))
    throw new JsonTypeError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
  return value;
}
