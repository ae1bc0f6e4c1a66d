/**
 * Writing the messages that JSON shows as scalars, without their tag and length: those are the same for all. An absent
 * value is written as the zero of its field type.
 */
import { parseDuration } from '../duration.ts';
import { stringifyJson } from '../json/writer.ts';
import { parseMicroTime, parseTime, parseUtcSeconds, zeroTimeSeconds } from '../time.ts';
import type { JsonValue } from '../value.ts';
import { RawJson } from '../value.ts';
import { checkSpace, writeBlob, writeInt, writeString, wrongType } from './wire-write.ts';

export type FormWriter = (b: Buffer, p: number, value: JsonValue | undefined) => number;

function writeInstant(b: Buffer, p: number, seconds: number, nanos: number): number {
  p = writeInt(b, p, nanos);
  b[--p] = 16;
  p = writeInt(b, p, seconds);
  b[--p] = 8;
  return p;
}

export const writeTime: FormWriter = (b, p, value) => {
  if (value === undefined || value === null) return p;
  if (typeof value !== 'string') throw wrongType(value, 'time');
  const seconds = parseUtcSeconds(value) ?? parseTime(value).seconds;
  return seconds === zeroTimeSeconds ? p : writeInstant(b, p, seconds, 0);
};

export const writeMicroTime: FormWriter = (b, p, value) => {
  if (value === undefined || value === null) return p;
  if (typeof value !== 'string') throw wrongType(value, 'time');
  const { seconds, nanos } = value.length === 20 ? parseTime(value) : parseMicroTime(value);
  return seconds === zeroTimeSeconds && nanos === 0 ? p : writeInstant(b, p, seconds, nanos);
};

export const writeDuration: FormWriter = (b, p, value) => {
  if (value !== undefined && typeof value !== 'string') throw wrongType(value, 'duration');
  p = writeInt(b, p, value === undefined ? 0 : parseDuration(value));
  b[--p] = 8;
  return p;
};

export const writeQuantity: FormWriter = (b, p, value) => {
  p = writeString(b, p, value ?? '0');
  b[--p] = 10;
  return p;
};

export const writeIntOrString: FormWriter = (b, p, value) => {
  const isText = typeof value === 'string';
  p = writeString(b, p, isText ? value : '');
  b[--p] = 26;
  p = writeInt(b, p, isText ? 0 : ((value ?? 0) as number));
  b[--p] = 16;
  b[--p] = isText ? 1 : 0;
  b[--p] = 8;
  return p;
};

export const writeRaw: FormWriter = (b, p, value) => {
  if (value === undefined || value === null) return p;
  p = writeRawText(b, p, value);
  b[--p] = 10;
  return p;
};

/** runtime.Unknown with JSON inside. */
export const writeUnknown: FormWriter = (b, p, value) => {
  p = writeString(b, p, 'application/json');
  b[--p] = 34;
  b[--p] = 0;
  b[--p] = 26;
  if (value !== undefined && value !== null) {
    p = writeRawText(b, p, value);
    b[--p] = 18;
  }
  for (const byte of emptyTypeMeta) b[--p] = byte;
  return p;
};

/** Back to front: field 1, a TypeMeta whose two texts are empty. */
const emptyTypeMeta = [0, 18, 0, 10, 4, 10];

function writeRawText(b: Buffer, p: number, value: JsonValue): number {
  if (!(value instanceof RawJson)) return writeString(b, p, stringifyJson(value));
  return value.binary ? writeBlob(b, p, Buffer.from(value.text, 'latin1')) : writeString(b, p, value.text);
}

/** A JSON value that is read: upstream keeps null as nothing. */
export const writeJsonMessage: FormWriter = (b, p, value) => {
  if (value === undefined || value === null) return p;
  p = writeString(b, p, stringifyJson(value));
  b[--p] = 10;
  return p;
};

/** A list of texts as a message with one field `items`. */
export const writeTexts: FormWriter = (b, p, value) => {
  if (value === undefined || value === null) return p;
  if (!Array.isArray(value)) throw wrongType(value, 'a list');
  for (let i = value.length - 1; i >= 0; i--) {
    p = writeString(b, p, value[i]);
    b[--p] = 10;
    checkSpace(p);
  }
  return p;
};
