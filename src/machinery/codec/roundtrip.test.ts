import { describe, expect, test } from 'vitest';
import { fixtureNames, fixtureObject, hasFixtures, readFixture } from '../../../test/support/fixtures.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { createCodecs, readEnvelope, type TypeCodec, type TypeMeta, writeEnvelope } from './index.ts';

const codecs = createCodecs(schemas);

function open(name: string): { typeMeta: TypeMeta; raw: Buffer; codec: TypeCodec; stored: Buffer } {
  const stored = readFixture(name, 'pb');
  const { apiVersion, kind, raw } = readEnvelope(stored);
  // This one fixture has no type in its envelope.
  const typeId = name === 'core.v1.WatchEvent' ? 'meta/v1.WatchEvent' : schemas.ofKind(apiVersion, kind)!;
  return { typeMeta: { apiVersion, kind }, raw, codec: codecs.of(typeId), stored };
}

describe.skipIf(!hasFixtures)('objects that upstream encoded, every field filled (facts/roundtrip)', () => {
  test('There are all 49 objects that upstream encoded', () => {
    expect(fixtureNames).toHaveLength(49);
  });

  describe.each(fixtureNames)('$name', ({ name }) => {
    test('An object that upstream encoded encodes back to the same bytes', () => {
      const { typeMeta, raw, codec, stored } = open(name);
      const value = codec.decode(raw);
      expect(codec.encode(value).equals(raw)).toBe(true);
      expect(codec.encodeEnvelope(value, typeMeta).equals(stored)).toBe(true);
      expect(writeEnvelope(typeMeta.apiVersion, typeMeta.kind, raw).equals(stored)).toBe(true);
    });

    test('An object that upstream encoded gives upstream’s JSON, by way of a value and without', () => {
      const { typeMeta, raw, codec } = open(name);
      const expected = JSON.stringify(fixtureObject(name));
      expect(codec.toJson(codec.decode(raw), { typeMeta }).toString()).toBe(expected);
      expect(codec.transcode(raw, { typeMeta }).toString()).toBe(expected);
      expect(codec.transcode(raw, { typeMeta, newline: true }).toString()).toBe(`${expected}\n`);
    });

    test('The JSON of an object that upstream encoded gives the value that protobuf gives', () => {
      const { typeMeta, raw, codec } = open(name);
      const { value, problems } = codec.fromJson(JSON.stringify(fixtureObject(name)));
      expect(problems).toEqual([]);
      const withType = typeMeta.kind === '' ? codec.decode(raw) : { ...codec.decode(raw), ...typeMeta };
      expect(value).toEqual(withType);
      expect(codec.encode(value).equals(raw)).toBe(true);
    });
  });
});
