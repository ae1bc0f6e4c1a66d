/** Values of types that upstream decodes by themselves: times, durations, quantities, int-or-string. */
import type { Element } from '../codec/plan.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import { canonicalQuantity } from '../quantity.ts';
import {
  formatMicroTime,
  formatTime,
  maxTimeSeconds,
  minTimeSeconds,
  parseMicroTime,
  parseTime,
  zeroTimeSeconds,
} from '../time.ts';
import type { JsonValue } from '../value.ts';
import { kindOf } from './go-types.ts';
import { JsonNumber } from './number.ts';

export type WellKnownType = 'time' | 'microtime' | 'duration' | 'quantity' | 'intOrString';

const wellKnownTypes: ReadonlySet<string> = new Set(['time', 'microtime', 'duration', 'quantity', 'intOrString']);

export const isWellKnownType = (fieldType: Element['fieldType']): fieldType is WellKnownType =>
  wellKnownTypes.has(fieldType);

/** A JSON value of a kind that the type does not accept; the decoder adds the path. */
export class FormMismatch extends Error {
  readonly what: string;
  readonly goType: string;

  constructor(what: string, goType: string) {
    super(`json: cannot unmarshal ${what} into Go value of type ${goType}`);
    this.what = what;
    this.goType = goType;
  }
}

/**
 * The normalized value, undefined for a zero time, or the error that ends the decoding. `textOf` gives a value's JSON
 * text.
 */
export function readWellKnownType(
  fieldType: WellKnownType,
  value: JsonValue,
  textOf: (value: JsonValue) => string,
): JsonValue | undefined | Error {
  try {
    switch (fieldType) {
      case 'quantity':
        return canonicalQuantity((typeof value === 'string' ? value : textOf(value)).trim());
      case 'intOrString':
        return typeof value === 'string' ? value : readInt32(value);
      case 'duration':
        return formatDuration(parseDuration(textIn(value)));
      case 'time':
        return readTime(textIn(value));
      case 'microtime':
        return readMicroTime(textIn(value));
    }
  } catch (error) {
    return error as Error;
  }
}

function textIn(value: JsonValue): string {
  if (typeof value !== 'string') throw new FormMismatch(kindOf(value), 'string');
  return value;
}

function readInt32(value: JsonValue): number {
  const literal =
    value instanceof JsonNumber
      ? value.text
      : typeof value === 'number' || typeof value === 'bigint'
        ? String(value)
        : undefined;
  if (literal === undefined) throw new FormMismatch(kindOf(value), 'int32');
  const number = /^-?\d+$/.test(literal) ? Number(literal) : NaN;
  if (!(number >= -0x80000000 && number <= 0x7fffffff)) throw new FormMismatch(`number ${literal}`, 'int32');
  return number === 0 ? 0 : number;
}

function readTime(text: string): string | undefined {
  const { seconds } = parseTime(text);
  return seconds === zeroTimeSeconds ? undefined : formatTime(inRange(seconds));
}

function readMicroTime(text: string): string | undefined {
  const { seconds, nanos } = parseMicroTime(text);
  return seconds === zeroTimeSeconds && nanos < 1000 ? undefined : formatMicroTime(inRange(seconds), nanos);
}

/** An offset can move a time out of the years that RFC 3339 has. */
function inRange(seconds: number): number {
  return Math.min(Math.max(seconds, minTimeSeconds), maxTimeSeconds);
}
