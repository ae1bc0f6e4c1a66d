/**
 * Reading the messages that JSON shows as scalars (Time, Quantity, IntOrString, …). Each takes the bytes from `p` to
 * `q`, where the message ends, and returns its JSON value; undefined where JSON has none.
 */
import { formatDuration } from '../duration.ts';
import { JsonSyntaxError, JsonTypeError } from '../json/json-error.ts';
import { parseJson } from '../json/reader.ts';
import { canonicalQuantity, QuantityError } from '../quantity.ts';
import { formatMicroTime, formatTime, maxTimeSeconds, minTimeSeconds, zeroTimeSeconds } from '../time.ts';
import type { JsonValue } from '../value.ts';
import { RawJson } from '../value.ts';
import { DecodeError } from './decode-error.ts';
import { at, readInt32, readInt64, readLength, readString, skipField, unexpectedEnd } from './wire-read.ts';

/** What a zero time is inside a list or a map, where it cannot be left out; JSON shows it as null. */
export const zeroTime = '0001-01-01T00:00:00Z';

let seconds = 0;
let nanos = 0;

const timeFields = { 1: 'Seconds', 2: 'Nanos' };

/** False for the zero time. */
function readInstant(b: Buffer, p: number, q: number): boolean {
  if (p === q) return false;
  seconds = 0;
  nanos = 0;
  while (p < q) {
    const tag = b[p]!;
    if (tag === 8) {
      const value = readInt64(b, p + 1);
      seconds = Number(value);
      p = at.p;
    } else if (tag === 16) {
      nanos = readInt32(b, p + 1);
      p = at.p;
    } else p = skipField(b, p, q, timeFields, 'Timestamp');
  }
  if (p !== q) throw unexpectedEnd();
  return true;
}

function checkRange(): void {
  if (!(seconds >= minTimeSeconds && seconds <= maxTimeSeconds))
    throw new DecodeError('proto: time outside of the years 0 to 9999');
}

/** Upstream ignores the nanoseconds of a Time. */
export function readTime(b: Buffer, p: number, q: number): string | undefined {
  if (!readInstant(b, p, q) || seconds === zeroTimeSeconds) return undefined;
  checkRange();
  return formatTime(seconds);
}

export function readMicroTime(b: Buffer, p: number, q: number): string | undefined {
  if (!readInstant(b, p, q)) return undefined;
  const carried = Math.floor(nanos / 1_000_000_000);
  seconds += carried;
  nanos -= carried * 1_000_000_000;
  if (seconds === zeroTimeSeconds && nanos === 0) return undefined;
  checkRange();
  return formatMicroTime(seconds, nanos);
}

/**
 * One field of a message whose other fields do not matter; the last one counts. Leaves its bounds in `from` and `to`.
 */
let from = 0;
let to = 0;

function readOnly(
  b: Buffer,
  p: number,
  q: number,
  tag: number,
  fields: Readonly<Record<number, string>>,
  type: string,
): boolean {
  let found = false;
  while (p < q) {
    if (b[p] === tag) {
      const length = readLength(b, p + 1, q);
      from = at.p;
      p = to = from + length;
      found = true;
    } else p = skipField(b, p, q, fields, type);
  }
  if (p !== q) throw unexpectedEnd();
  return found;
}

const quantityFields = { 1: 'String_' };
const rawFields = { 1: 'Raw' };

export function readQuantity(b: Buffer, p: number, q: number): string {
  if (!readOnly(b, p, q, 10, quantityFields, 'Quantity')) return '0';
  try {
    return canonicalQuantity(readString(b, from, to));
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

export function readDuration(b: Buffer, p: number, q: number): string {
  let value: number | bigint = 0;
  while (p < q) {
    if (b[p] === 8) {
      value = readInt64(b, p + 1);
      p = at.p;
    } else p = skipField(b, p, q, { 1: 'Duration' }, 'Duration');
  }
  if (p !== q) throw unexpectedEnd();
  return formatDuration(value);
}

const intOrStringFields = { 1: 'Type', 2: 'IntVal', 3: 'StrVal' };

export function readIntOrString(b: Buffer, p: number, q: number): number | string {
  let type: number | bigint = 0;
  let number = 0;
  let text = '';
  while (p < q) {
    switch (b[p]) {
      case 8:
        type = readInt64(b, p + 1);
        p = at.p;
        break;
      case 16:
        number = readInt32(b, p + 1);
        p = at.p;
        break;
      case 26: {
        const length = readLength(b, p + 1, q);
        text = readString(b, at.p, at.p + length);
        p = at.p + length;
        break;
      }
      default:
        p = skipField(b, p, q, intOrStringFields, 'IntOrString');
    }
  }
  if (p !== q) throw unexpectedEnd();
  if (type === 0) return number;
  if (type === 1) return text;
  throw new DecodeError('impossible IntOrString.Type');
}

/** Where the text of a RawExtension or FieldsV1 lies: `at.p` to the returned position; -1 when there is none. */
export function rawEnd(b: Buffer, p: number, q: number): number {
  if (!readOnly(b, p, q, 10, rawFields, 'RawExtension')) return -1;
  at.p = from;
  return to;
}

/** RawExtension and FieldsV1. */
export function readRaw(b: Buffer, p: number, q: number): JsonValue | undefined {
  return readOnly(b, p, q, 10, rawFields, 'RawExtension') ? rawJson(b, from, to) : undefined;
}

/** runtime.Unknown, of which JSON shows what it holds. */
export function readUnknown(b: Buffer, p: number, q: number): JsonValue | undefined {
  return readOnly(b, p, q, 18, { 2: 'Raw' }, 'Unknown') ? rawJson(b, from, to) : undefined;
}

function rawJson(b: Buffer, p: number, q: number): JsonValue {
  const text = b.utf8Slice(p, q);
  const exact = !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(b.subarray(p, q));
  return (exact ? new RawJson(text) : new RawJson(b.latin1Slice(p, q), true)).asValue();
}

/** A JSON value that is read: `null` and nothing at all are the same. */
export function readJsonMessage(b: Buffer, p: number, q: number): JsonValue {
  if (!readOnly(b, p, q, 10, rawFields, 'JSON') || from === to) return null;
  try {
    return parseJson(b.subarray(from, to));
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonTypeError)
      throw new DecodeError(error.message, { cause: error });
    throw error;
  }
}

export function readBytes(b: Buffer, p: number, q: number): string {
  return b.base64Slice(p, q);
}

/** A list of texts as a message with one field `items`. */
export function readTexts(b: Buffer, p: number, q: number): string[] {
  const texts: string[] = [];
  while (p < q) {
    if (b[p] === 10) {
      const length = readLength(b, p + 1, q);
      texts.push(readString(b, at.p, at.p + length));
      p = at.p + length;
    } else p = skipField(b, p, q, { 1: 'Items' }, 'Items');
  }
  if (p !== q) throw unexpectedEnd();
  return texts;
}
