/** Reading the messages whose JSON is a schema or something else: a bool, a list of schemas, a list of texts. */
import type { JsonValue } from '../value.ts';
import type { TypeLink } from './link.ts';
import type { ChoiceType } from './plan.ts';
import { at, readBool, readLength, readString, skipField, unexpectedEnd } from './wire-read.ts';

export type ChoiceReader = (b: Buffer, p: number, q: number, depth: number) => JsonValue | undefined;

const readers = new WeakMap<TypeLink, Map<ChoiceType, ChoiceReader>>();

/** The same reader for the same field type and schema type, so that generated code binds it once. */
export function readChoice(fieldType: ChoiceType, schema: TypeLink): ChoiceReader {
  let known = readers.get(schema);
  if (known === undefined) readers.set(schema, (known = new Map()));
  let reader = known.get(fieldType);
  if (reader === undefined) known.set(fieldType, (reader = createReader(fieldType, schema)));
  return reader;
}

function createReader(fieldType: ChoiceType, schema: TypeLink): ChoiceReader {
  switch (fieldType) {
    case 'schemaOrBool':
      return (b, p, q, depth) => readOrBool(schema, b, p, q, depth);
    case 'schemaOrArray':
      return (b, p, q, depth) =>
        readOrList(schema, b, p, q, depth, (from, to) => schema.decode(b, from, to, {}, depth));
    case 'schemaOrStringArray':
      return (b, p, q, depth) => readOrList(schema, b, p, q, depth, (from, to) => readString(b, from, to));
  }
}

/** Fields: 1 the bool, 2 the schema, which counts when it is there. */
function readOrBool(schema: TypeLink, b: Buffer, p: number, q: number, depth: number): JsonValue {
  let allows = false;
  let value: JsonValue | undefined;
  while (p < q) {
    if (b[p] === 8) {
      allows = readBool(b, p + 1);
      p = at.p;
    } else if (b[p] === 18) {
      const length = readLength(b, p + 1, q);
      const from = at.p;
      p = from + length;
      value = schema.decode(b, from, p, {}, depth);
    } else p = skipField(b, p, q, { 1: 'Allows', 2: 'Schema' }, 'JSONSchemaPropsOrBool');
  }
  if (p !== q) throw unexpectedEnd();
  return value ?? allows;
}

/** Fields: 1 the schema, 2 the items of the list, which counts unless it is empty. */
function readOrList(
  schema: TypeLink,
  b: Buffer,
  p: number,
  q: number,
  depth: number,
  item: (from: number, to: number) => JsonValue,
): JsonValue | undefined {
  let value: JsonValue | undefined;
  const list: JsonValue[] = [];
  while (p < q) {
    const tag = b[p]!;
    if (tag === 10 || tag === 18) {
      const length = readLength(b, p + 1, q);
      const from = at.p;
      p = from + length;
      if (tag === 18) list.push(item(from, p));
      else value = schema.decode(b, from, p, {}, depth);
    } else p = skipField(b, p, q, { 1: 'Schema', 2: 'Property' }, 'JSONSchemaPropsOrArray');
  }
  if (p !== q) throw unexpectedEnd();
  return list.length > 0 ? list : value;
}
