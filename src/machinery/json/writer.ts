/**
 * Writes values of unknown type as JSON, as Go prints an `any`: members sorted by name, no spaces.
 *
 * What the reader reads can be written, however deep it is.
 */
import { EncodeError } from '../codec/decode-error.ts';
import { copyOut, Scratch } from '../bytes/scratch.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { RawJson } from '../value.ts';
import { checkSpace, writeAscii, writeCompact, writeNumber, writeText } from './bytes.ts';

const scratch = new Scratch();

/** `{"a":1}` as bytes. Throws `EncodeError` for what JSON cannot say. */
export function encodeJson(value: JsonValue): Buffer {
  return scratch.run((out) => copyOut(out, 0, writeValue(out, 0, value)));
}

/** `{"a":1}` as text. */
export function stringifyJson(value: JsonValue): string {
  return scratch.run((out) => out.utf8Slice(0, writeValue(out, 0, value)));
}

/**
 * The same value as text with members in any order, for readers that do not compare bytes: several times faster where
 * the engine can write it.
 */
export const stringifyUnordered = (value: JsonValue): string =>
  isNative(value, maxRecursion) ? JSON.stringify(value) : stringifyJson(value);

/** Whether `JSON.stringify` says the same: no carried JSON, no numbers that it cannot write, no great depth. */
function isNative(value: JsonValue | undefined, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth === 0 || value instanceof RawJson) return false;
  if (Array.isArray(value)) return value.every((item) => isNative(item, depth - 1));
  for (const key in value) if (!isNative(value[key], depth - 1)) return false;
  return true;
}

/** The members of a map in the order in which they are printed: by bytes of their names. */
export function sortedKeys(object: JsonObject): string[] {
  return sortNames(Object.keys(object));
}

/** Sorts by UTF-8 bytes, which differs from the order of UTF-16 only behind the surrogates. */
export function sortNames(names: string[]): string[] {
  for (let i = 1; i < names.length; i++) {
    if (names[i - 1]! > names[i]!) {
      names.sort(hasSurrogate(names) ? compareCodePoints : undefined);
      return names;
    }
  }
  return hasSurrogate(names) ? names.sort(compareCodePoints) : names;
}

const surrogate = /[\ud800-\udfff]/;
const hasSurrogate = (names: string[]): boolean => names.some((name) => surrogate.test(name));
const compareCodePoints = (a: string, b: string): number => Buffer.compare(encodeUtf8(a), encodeUtf8(b));

/** Deeper values are written without recursion. */
const maxRecursion = 100;

/** Writes a value at `o` of a scratch buffer. */
export function writeValue(out: Buffer, o: number, value: JsonValue | undefined, depth = maxRecursion): number {
  const scalar = writeScalar(out, o, value);
  if (scalar >= 0) return scalar;
  if (depth === 0) return writeDeep(out, o, value as JsonObject | JsonValue[]);
  const begin = o + 1;
  if (Array.isArray(value)) {
    out[o++] = 0x5b;
    for (const item of value) {
      o = writeValue(out, o, item, depth - 1);
      out[o++] = 0x2c;
    }
    return close(out, o, begin, 0x5d);
  }
  out[o++] = 0x7b;
  for (const key of sortedKeys(value as JsonObject)) {
    const member = (value as JsonObject)[key];
    if (member === undefined) continue;
    o = writeText(out, o, key);
    out[o++] = 0x3a;
    o = writeValue(out, o, member, depth - 1);
    out[o++] = 0x2c;
  }
  return close(out, o, begin, 0x7d);
}

/** Puts the bracket in the place of the last comma. */
function close(out: Buffer, o: number, begin: number, bracket: number): number {
  if (o > begin) o--;
  out[o] = bracket;
  return checkSpace(out, o + 1);
}

interface Open {
  readonly container: JsonObject | JsonValue[];
  readonly keys: readonly string[] | undefined;
  next: number;
}

function writeDeep(out: Buffer, o: number, value: JsonObject | JsonValue[]): number {
  const open: Open[] = [];
  let current: JsonValue | undefined = value;
  for (;;) {
    const scalar = writeScalar(out, o, current);
    if (scalar >= 0) o = scalar;
    else {
      const container = current as JsonObject | JsonValue[];
      open.push({ container, keys: Array.isArray(container) ? undefined : definedKeys(container), next: 0 });
      out[o++] = Array.isArray(container) ? 0x5b : 0x7b;
    }
    for (;;) {
      const innermost = open[open.length - 1];
      if (innermost === undefined) return o;
      checkSpace(out, o);
      const count = innermost.keys?.length ?? (innermost.container as JsonValue[]).length;
      if (innermost.next < count) {
        if (innermost.next > 0) out[o++] = 0x2c;
        const index = innermost.next++;
        if (innermost.keys === undefined) current = (innermost.container as JsonValue[])[index];
        else {
          o = writeText(out, o, innermost.keys[index]!);
          out[o++] = 0x3a;
          current = (innermost.container as JsonObject)[innermost.keys[index]!];
        }
        break;
      }
      out[o++] = innermost.keys === undefined ? 0x5d : 0x7d;
      open.pop();
    }
  }
}

function definedKeys(object: JsonObject): string[] {
  const keys = sortedKeys(object);
  return keys.some((key) => object[key] === undefined) ? keys.filter((key) => object[key] !== undefined) : keys;
}

/** -1 for a list or an object. */
function writeScalar(out: Buffer, o: number, value: JsonValue | undefined): number {
  switch (typeof value) {
    case 'string':
      return writeText(out, o, value);
    case 'number':
    case 'bigint':
      return writeNumber(out, o, value);
    case 'boolean':
      return writeAscii(out, o, value ? 'true' : 'false');
    case 'undefined':
      return writeAscii(out, o, 'null');
    default:
      break;
  }
  if (value === null) return writeAscii(out, o, 'null');
  if (typeof value !== 'object') throw new EncodeError(`json: unsupported type: ${typeof value}`);
  return value instanceof RawJson ? writeRaw(out, o, value) : -1;
}

/** Carried JSON, compacted as Go does. */
export function writeRaw(out: Buffer, o: number, raw: RawJson): number {
  if (raw.binary) throw new EncodeError('json: error calling MarshalJSON: the value is no JSON');
  const bytes = Buffer.from(raw.text, 'utf8');
  return bytes.length === 0 ? writeAscii(out, o, 'null') : writeCompact(out, o, bytes, 0, bytes.length);
}

/**
 * Carried JSON, or a plain value in its place.
 * @param check whether the text has to be checked: it may be no JSON, because it was not parsed when it was received
 */
export function writeCarried(out: Buffer, o: number, value: JsonValue, check: boolean): number {
  if (!(value instanceof RawJson)) return writeValue(out, o, value);
  if (check && !value.binary && value.text !== '') checkJson(value.text);
  return writeRaw(out, o, value);
}

export function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new EncodeError('json: error calling MarshalJSON: the value is no JSON', { cause: error });
  }
}
