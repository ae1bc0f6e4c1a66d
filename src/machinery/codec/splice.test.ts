import { describe, expect, test } from 'vitest';
import { fixtureNames, hasFixtures, readFixture } from '../../../test/support/fixtures.ts';
import { schemas } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../value.ts';
import { createCodecs, readEnvelope } from './index.ts';
import {
  listEnvelope,
  listItemLength,
  listItemPrefix,
  metadataField,
  spliceEnvelope,
  spliceResourceVersion,
  splicedLength,
  writeListItem,
} from './splice.ts';

const codecs = createCodecs(schemas);
const codec = codecs.of('core/v1.ConfigMap');
const revisions = [1, 9, 10, 127, 999_999, 1_000_000, 2 ** 53 - 1];

/** The way by way of a value. */
function withVersion(value: JsonObject, revision: number): Buffer {
  return codec.encode({
    ...value,
    metadata: { ...(value['metadata'] as JsonObject), resourceVersion: String(revision) },
  });
}

/** Sizes around the ones at which a length takes another byte. */
const names = [
  1, 40, 90, 100, 105, 110, 115, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 200, 16250, 16300, 16340, 16345,
  16350, 16370, 20000,
].map((length) => 'x'.repeat(length));

describe('putting the resourceVersion into stored bytes', () => {
  test.each(revisions.map((revision) => ({ revision })))(
    'Putting the resourceVersion into stored bytes: $revision, whatever the size of the metadata',
    ({ revision }) => {
      for (const name of names) {
        const value = {
          metadata: { name, generateName: 'g', labels: { a: 'b' }, managedFields: [{ manager: name }] },
          data: { k: name },
        };
        const stored = codec.encode(value);
        const expected = withVersion(value, revision);
        expect(spliceResourceVersion(stored, revision).equals(expected)).toBe(true);
        expect(splicedLength(stored, revision)).toBe(expected.length);
        const { apiVersion, kind, raw } = readEnvelope(spliceEnvelope('v1', 'ConfigMap', stored, revision));
        expect([apiVersion, kind, raw.equals(expected)]).toEqual(['v1', 'ConfigMap', true]);
      }
    },
  );

  test('The resourceVersion put into stored bytes replaces one that is there', () => {
    const value = { metadata: { name: 'a' } };
    expect(spliceResourceVersion(withVersion(value, 123_456_789), 5).equals(withVersion(value, 5))).toBe(true);
  });

  test.each([
    { name: 'no metadata', bytes: '1206 0a0161 120162', expected: '0a03 320135 1206 0a0161 120162' },
    { name: 'an empty message', bytes: '', expected: '0a03 320135' },
    { name: 'empty metadata', bytes: '0a00', expected: '0a03 320135' },
    { name: 'metadata that other writers left short', bytes: '0a05 0a0161 3807', expected: '0a08 0a0161 320135 3807' },
    { name: 'fields before it of other kinds', bytes: '0a05 0a0161 1005', expected: '0a08 0a0161 1005 320135' },
  ])('Putting the resourceVersion into stored bytes finds its place with $name', ({ bytes, expected }) => {
    const hex = (text: string): Buffer => Buffer.from(text.replace(/ /g, ''), 'hex');
    expect(spliceResourceVersion(hex(bytes), 5).toString('hex')).toBe(hex(expected).toString('hex'));
  });

  test.each(['0a05 0a01', '0a03 0a0561', '0aff'])('Bytes that are cut off are refused: %s', (text) => {
    expect(() => spliceResourceVersion(Buffer.from(text.replace(/ /g, ''), 'hex'), 5)).toThrow('unexpected EOF');
  });

  test.skipIf(!hasFixtures).each(fixtureNames.filter(({ name }) => /^(core|apps|batch|rbac|coordination)/.test(name)))(
    'Putting the resourceVersion into stored bytes: $name',
    ({ name }) => {
      const { apiVersion, kind, raw } = readEnvelope(readFixture(name, 'pb'));
      const typeId = schemas.ofKind(apiVersion, kind);
      if (
        typeId === undefined ||
        !schemas.type(typeId).fields.some((field) => field.json === 'metadata' && field.type === 'meta/v1.ObjectMeta')
      )
        return;
      const value = codecs.of(typeId).decode(raw);
      (value['metadata'] as JsonObject)['resourceVersion'] = '424242';
      expect(spliceResourceVersion(raw, 424242).equals(codecs.of(typeId).encode(value))).toBe(true);
    },
  );
});

describe('lists, item by item', () => {
  const values = Array.from({ length: 20 }, (_, i) => ({
    metadata: { name: `a${i}`, namespace: 'x'.repeat(i * 11) },
    data: { k: 'v'.repeat(i * 13) },
  }));
  const stored = values.map((value) => codec.encode(value));
  const list = (items: JsonObject[], metadata: JsonObject): Buffer =>
    codecs.of('core/v1.ConfigMapList').encodeEnvelope({ metadata, items }, { apiVersion: 'v1', kind: 'ConfigMapList' });

  test.each([
    { name: 'a whole list', options: { revision: 77 }, metadata: { resourceVersion: '77' } },
    {
      name: 'a page',
      options: { revision: 77, continueToken: 'token', remaining: 300 },
      metadata: { resourceVersion: '77', continue: 'token', remainingItemCount: 300 },
    },
    {
      name: 'a long token',
      options: { revision: 5, continueToken: 't'.repeat(500) },
      metadata: { resourceVersion: '5', continue: 't'.repeat(500) },
    },
  ])('Lists, item by item: $name', ({ options, metadata }) => {
    const items = values.map((value, i) => ({
      ...value,
      metadata: { ...value.metadata, resourceVersion: String(i * 1000 + 1) },
    }));
    const expected = list(items, metadata);

    const itemsLength = stored.reduce((sum, bytes, i) => sum + listItemLength(bytes, i * 1000 + 1), 0);
    const { head, tail } = listEnvelope({ apiVersion: 'v1', kind: 'ConfigMapList', itemsLength, ...options });
    const body = Buffer.alloc(itemsLength);
    let end = 0;
    stored.forEach((bytes, i) => {
      end = writeListItem(body, end, bytes, i * 1000 + 1);
    });
    expect(end).toBe(itemsLength);
    expect(Buffer.concat([head, body, tail]).equals(expected)).toBe(true);

    const pieces = stored.flatMap((bytes, i) => [
      listItemPrefix(splicedLength(bytes, i * 1000 + 1)),
      spliceResourceVersion(bytes, i * 1000 + 1),
    ]);
    expect(Buffer.concat([head, ...pieces, tail]).equals(expected)).toBe(true);
  });

  test('An empty list is encoded without items', () => {
    const { head, tail } = listEnvelope({ apiVersion: 'v1', kind: 'ConfigMapList', revision: 5, itemsLength: 0 });
    expect(Buffer.concat([head, tail]).equals(list([], { resourceVersion: '5' }))).toBe(true);
  });
});

test('The metadata of an object alone is a message of its own', () => {
  const value = { metadata: { name: 'a', labels: { b: 'c' } }, data: { k: 'v' } };
  expect(codecs.of('meta/v1.PartialObjectMetadata').decode(metadataField(codec.encode(value)))).toEqual({
    metadata: value.metadata,
  });
  expect(metadataField(Buffer.from([18, 0]))).toHaveLength(0);
  expect(() => metadataField(Buffer.from([10, 5, 1]))).toThrow('unexpected EOF');
});
