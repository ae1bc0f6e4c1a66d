/** JSON of a value that is a schema or something else: a bool, a list of schemas, a list of texts. */
import { checkSpace, writeLiteral, writeText } from '../json/bytes.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { isObject } from '../value.ts';
import { jsonFalse, jsonNull, jsonTrue } from './json-literals.ts';
import type { TypeLink } from './link.ts';

export function writeChoiceJson(
  out: Buffer,
  o: number,
  value: JsonValue | undefined,
  schema: TypeLink,
  depth: number,
): number {
  if (typeof value === 'boolean') return writeLiteral(out, o, value ? jsonTrue : jsonFalse);
  if (isObject(value)) return writeStruct(out, o, value, schema, depth);
  if (!Array.isArray(value)) return writeLiteral(out, o, jsonNull);
  out[o++] = 0x5b;
  for (const item of value) {
    o = typeof item === 'string' ? writeText(out, o, item) : writeStruct(out, o, item as JsonObject, schema, depth);
    out[o++] = 0x2c;
    checkSpace(out, o);
  }
  if (value.length > 0) o--;
  out[o++] = 0x5d;
  return o;
}

function writeStruct(out: Buffer, o: number, value: JsonObject, schema: TypeLink, depth: number): number {
  const start = o;
  out[o++] = 0x7b;
  o = schema.toJson(out, o, value, depth);
  if (o > start + 1) o--;
  out[o++] = 0x7d;
  return o;
}
