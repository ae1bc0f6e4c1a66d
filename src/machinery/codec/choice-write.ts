/** Writing the messages whose JSON is a schema or something else; see `choice-read.ts` for their fields. */
import type { JsonObject, JsonValue } from '../value.ts';
import { isObject } from '../value.ts';
import type { TypeLink } from './link.ts';
import type { ChoiceType } from './plan.ts';
import { writeVarint } from '../../base/protobuf/varint.ts';
import { checkSpace, writeString, wrongType } from './wire-write.ts';

export type ChoiceWriter = (b: Buffer, p: number, value: JsonValue | undefined, depth: number) => number;

const writers = new WeakMap<TypeLink, Map<ChoiceType, ChoiceWriter>>();

/** The same writer for the same field type and schema type, so that generated code binds it once. */
export function writeChoice(fieldType: ChoiceType, schema: TypeLink): ChoiceWriter {
  let known = writers.get(schema);
  if (known === undefined) writers.set(schema, (known = new Map()));
  let writer = known.get(fieldType);
  if (writer === undefined) known.set(fieldType, (writer = createWriter(fieldType, schema)));
  return writer;
}

function createWriter(fieldType: ChoiceType, schema: TypeLink): ChoiceWriter {
  const writeSchema = (b: Buffer, p: number, value: JsonObject, depth: number, tag: number): number => {
    const content = schema.encode(b, p, value, depth);
    const begin = writeVarint(b, content, p - content);
    b[begin - 1] = tag;
    return begin - 1;
  };
  switch (fieldType) {
    case 'schemaOrBool':
      return (b, p, value, depth) => {
        if (isObject(value)) p = writeSchema(b, p, value, depth, 18);
        else if (typeof value !== 'boolean') throw wrongType(value, 'a bool or a schema');
        b[--p] = value === false ? 0 : 1;
        b[--p] = 8;
        return p;
      };
    case 'schemaOrArray':
      return (b, p, value, depth) =>
        writeOrList(
          p,
          value,
          (q, item) => {
            if (!isObject(item)) throw wrongType(item, 'a schema');
            return writeSchema(b, q, item, depth, 18);
          },
          (q, item) => writeSchema(b, q, item, depth, 10),
        );
    case 'schemaOrStringArray':
      return (b, p, value, depth) =>
        writeOrList(
          p,
          value,
          (q, item) => {
            q = writeString(b, q, item);
            b[--q] = 18;
            return q;
          },
          (q, item) => writeSchema(b, q, item, depth, 10),
        );
  }
}

function writeOrList(
  p: number,
  value: JsonValue | undefined,
  writeItem: (p: number, item: JsonValue) => number,
  writeOne: (p: number, item: JsonObject) => number,
): number {
  if (value === undefined || value === null) return p;
  if (isObject(value)) return writeOne(p, value);
  if (!Array.isArray(value)) throw wrongType(value, 'a schema or a list');
  for (const item of value.toReversed()) p = checkSpace(writeItem(p, item));
  return p;
}
