/** What Go's strconv.ParseInt finds wrong with a text. */
export type IntegerProblem = 'invalid syntax' | 'value out of range';

/** Those of 2^63. */
const maxDigits = 19;

/** A decimal int64, or why the text is none. */
export function readInteger(text: string): bigint | IntegerProblem {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  // A query may have a million digits, which take long to read.
  const digits = text.replace(/^[+-]?0*/, '').length;
  const value = digits > maxDigits ? undefined : BigInt(text);
  return value !== undefined && value === BigInt.asIntN(64, value) ? value : 'value out of range';
}

/**
 * A decimal int64.
 * @throws {Error} with the text of Go's strconv.ParseInt
 */
export function parseInteger(text: string): bigint {
  const value = readInteger(text);
  if (typeof value === 'string') throw new Error(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${value}`);
  return value;
}
