import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../test/support/random.ts';
import { ValueGenerator } from '../../../test/support/random-values.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { parseJson } from '../json/reader.ts';
import type { JsonObject } from '../value.ts';
import { createCodecs } from './index.ts';

const codecs = createCodecs(schemas);
const packages = schemas.packages.map(({ name }) => ({ name }));

/** Types whose JSON is an object of their fields; the others are parts of those. */
const structs = (packageName: string): string[] =>
  schemas
    .typesOf(packageName)
    .map((name) => (name.includes('.') ? name : `${packageName}.${name}`))
    .filter((id) => schemas.type(id).jsonType === undefined && schemas.type(id).alias === undefined);

const samples = 4;

function eachValue(packageName: string, check: (id: string, value: JsonObject) => void): void {
  structs(packageName).forEach((id, index) => {
    const generator = new ValueGenerator(schemas, randomSource(index * 7919 + packageName.length), (type) =>
      codecs.of(type).empty(),
    );
    for (let i = 0; i < samples; i++) check(id, generator.struct(id));
  });
}

/**
 * Fails with both sides shown only when they differ: comparing by the test library alone would take most of the time.
 */
function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
}

describe('random values of every type', () => {
  test.each(packages)('Random values of $name: protobuf and back', ({ name }) => {
    eachValue(name, (id, value) => {
      if (schemas.type(id).noProto === true || schemas.packages.find((p) => p.name === name)!.protoPackage === '')
        return;
      const codec = codecs.of(id);
      const bytes = codec.encode(value);
      expectSame(codec.decode(bytes), value, id);
      expect(codec.encode(codec.decode(bytes)).equals(bytes), id).toBe(true);
    });
  });

  test.each(packages)('Random values of $name: JSON and back, by the quick and by the exact way', ({ name }) => {
    eachValue(name, (id, value) => {
      const codec = codecs.of(id);
      const json = codec.toJson(value);
      const { value: back, problems } = codec.fromJson(json);
      expectSame(back, value, `${id} ${json.toString()}`);
      expect(problems).toEqual([]);
      const odd = codec.fromJson(`{"odd":1,${json.subarray(1).toString()}`.replace(',}', '}'));
      expectSame(odd.value, value, id);
      expect(odd.problems).toEqual(['unknown field "odd"']);
      expectSame(codec.toJson(codec.normalize(parseJson(json)).value), json, id);
    });
  });

  test.each(packages)('Random values of $name: the transcoder writes what the value writer writes', ({ name }) => {
    eachValue(name, (id, value) => {
      if (schemas.type(id).noProto === true || schemas.packages.find((p) => p.name === name)!.protoPackage === '')
        return;
      const codec = codecs.of(id);
      expect(codec.transcode(codec.encode(value)).toString(), id).toBe(codec.toJson(value).toString());
    });
  });
});
