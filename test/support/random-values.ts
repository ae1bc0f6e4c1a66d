import type { Element, Member } from '../../src/machinery/codec/plan.ts';
import { Plans } from '../../src/machinery/codec/plan.ts';
import type { SchemaRegistry } from '../../src/machinery/schema.ts';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { createMap, RawJson } from '../../src/machinery/value.ts';
import type { RandomSource } from './random.ts';
import { pick, randomInt } from './random.ts';

const texts = [
  'a',
  'ClusterFirst',
  'ünïcode',
  '<b>&"quoted"\\</b>',
  'tab\tline\nend',
  '\u2028\u2029',
  '😀 emoji',
  '\u0000\u001f\u007f',
  '__proto__',
  'true',
  '0',
  '-',
  'x'.repeat(70),
  `long ü ${'y'.repeat(120)}`,
  'null',
  ' ',
];
const keys = [
  'a',
  'b',
  'app.kubernetes.io/name',
  '__proto__',
  'constructor',
  'toString',
  '10',
  '9',
  '0',
  'ü',
  '\ud83d\ude00',
  '\uffff',
  '"<"',
  'k'.repeat(70),
];
const raws = [
  '{}',
  '{"a":1}',
  '[1,2,{"b":null}]',
  '"text"',
  '{".":{},"f:spec":{"f:x":{}}}',
  '1.5',
  '{"10":1,"9":2}',
  'true',
];
const fieldSets = ['{}', '{".":{},"f:spec":{"f:x":{}}}', '{"k:{\\"name\\":\\"a\\"}":{}}'];
const quantities = ['1', '100m', '1Gi', '1500m', '-3', '1e9', '12345678901234567890', '1n', '17Ki'];
const int64s = [
  1,
  -1,
  42,
  2 ** 31,
  -(2 ** 31) - 1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2n ** 63n - 1n,
  -(2n ** 63n),
  9007199254740993n,
];
const plains: JsonValue[] = [
  'x',
  1,
  1.5,
  true,
  ['a', 1],
  Object.assign(createMap<JsonValue>(), { a: 1, b: [null], c: createMap() }),
  9007199254740993n,
  1e21,
  1e-7,
];

/**
 * Normalized values of any type of the schema: what decoding returns, so that every round trip must return them.
 */
export class ValueGenerator {
  readonly #plans: Plans;
  readonly #random: RandomSource;
  readonly #filled: (id: string) => JsonObject;

  /** @param empty the value of an empty message of a type */
  constructor(schemas: SchemaRegistry, random: RandomSource, empty: (id: string) => JsonObject) {
    this.#plans = new Plans(schemas);
    this.#random = random;
    this.#filled = empty;
  }

  struct(id: string, depth = 3): JsonObject {
    const value = this.#filled(id);
    if (depth > 0) this.#members(value, id, depth);
    return value;
  }

  #members(value: JsonObject, id: string, depth: number): void {
    const { members } = this.#plans.of(id);
    // Types with many members would otherwise grow beyond all bounds.
    const share = Math.min(0.6, 3 / Math.max(members.length / depth, 1) + 0.1);
    for (const member of members) {
      if (member.shape === 'inline') this.#members(value, (member.element as { type: string }).type, depth);
      else if (this.#random() < share) this.#member(value, member, depth);
    }
  }

  #member(value: JsonObject, { json, shape, element, pointer, omitempty }: Member, depth: number): void {
    if (shape === 'list') value[json] = this.#many(() => this.#element(element, depth, true));
    else if (shape === 'map') value[json] = this.#map(element, depth);
    else {
      const item = this.#element(element, depth, pointer);
      // An empty value that is left out when zero is not normalized: JSON would lose it.
      const isEmpty = item === '' && element.fieldType === 'bytes' && omitempty;
      if (item !== undefined && !isEmpty) value[json] = item;
    }
  }

  #map(element: Element, depth: number): JsonObject {
    const map = createMap<JsonValue>();
    for (const key of this.#many(() => pick(this.#random, keys)))
      map[key as string] = this.#element(element, depth, true)!;
    return map;
  }

  #many(make: () => JsonValue | undefined): JsonValue[] {
    return Array.from({ length: 1 + randomInt(this.#random, 3) }, () => make()!);
  }

  /** @param zero whether a zero value may come: inside lists, maps and pointers it is as good as any */
  #element(element: Element, depth: number, zero: boolean): JsonValue | undefined {
    const orZero = <T extends JsonValue>(nothing: T, values: readonly T[]): T =>
      zero && this.#random() < 0.2 ? nothing : pick(this.#random, values);
    switch (element.fieldType) {
      case 'string':
        return orZero('', texts);
      case 'bool':
        return orZero(false, [true]);
      case 'int32':
        return orZero(0, [1, -1, 127, 128, 300, 70_000, 2 ** 31 - 1, -(2 ** 31)]);
      case 'uint32':
        return orZero(0, [1, 2 ** 32 - 1]);
      case 'int64':
      case 'goDuration':
        return orZero<number | bigint>(0, int64s);
      case 'uint64':
        return orZero<number | bigint>(0, [1, 2n ** 64n - 1n]);
      case 'double':
        return orZero(0, [1.5, -0.1, 1e21, 1e-7, 100]);
      case 'bytes':
        return orZero('', ['AA==', 'aGVsbG8=', '/+8=', 'QUJD'.repeat(40)]);
      case 'time':
        return pick(this.#random, [
          '2024-05-01T10:00:00Z',
          '1970-01-01T00:00:00Z',
          '1969-12-31T23:59:59Z',
          '9999-12-31T23:59:59Z',
          '0001-01-01T00:00:01Z',
          '2000-02-29T12:34:56Z',
        ]);
      case 'microtime':
        return pick(this.#random, [
          '2024-05-01T10:00:00.000001Z',
          '1970-01-01T00:00:00.000000Z',
          '2023-12-31T23:59:59.999999Z',
          '1960-01-01T00:00:00.500000Z',
        ]);
      case 'duration':
        return orZero('0s', ['1m0s', '1h5m30s', '1.5s', '300ms', '-1ns', '2562047h47m16.854775807s']);
      case 'quantity':
        return orZero('0', quantities);
      case 'intOrString':
        return orZero<number | string>(0, [80, -1, 'http', '25%', '']);
      case 'fieldsV1':
        return new RawJson(pick(this.#random, fieldSets)).asValue();
      case 'rawExtension':
      case 'unknown':
        return new RawJson(pick(this.#random, raws)).asValue();
      case 'json':
        return pick(this.#random, plains);
      case 'any':
        return pick(this.#random, plains);
      case 'texts':
        return this.#many(() => pick(this.#random, texts));
      case 'struct':
        return this.struct(element.type, depth - 1);
      case 'schemaOrBool':
        return this.#random() < 0.5 ? this.#random() < 0.5 : this.struct(element.schema, depth - 2);
      case 'schemaOrArray':
        return this.#random() < 0.5
          ? this.#many(() => this.struct(element.schema, depth - 2))
          : this.struct(element.schema, depth - 2);
      case 'schemaOrStringArray':
        return this.#random() < 0.5
          ? this.#many(() => pick(this.#random, texts))
          : this.struct(element.schema, depth - 2);
    }
  }
}
