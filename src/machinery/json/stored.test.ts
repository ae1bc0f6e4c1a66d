import { describe, expect, test } from 'vitest';
import { randomInt, randomObject, randomSource } from '../../../test/support/random.ts';
import type { JsonObject } from '../value.ts';
import { parseJson } from './reader.ts';
import { createJsonAttributesScanner } from './attributes-scanner.ts';
import { spliceJsonResourceVersion, splicedJsonLength } from './splice.ts';
import { encodeJson, stringifyJson } from './writer.ts';

describe('putting the resourceVersion into stored JSON', () => {
  test.each([
    {
      name: 'between its neighbours',
      text: '{"kind":"T","metadata":{"name":"a","uid":"u"},"spec":{}}',
      spliced: '{"kind":"T","metadata":{"name":"a","resourceVersion":"5","uid":"u"},"spec":{}}',
    },
    {
      name: 'as the last member',
      text: '{"metadata":{"name":"a"}}',
      spliced: '{"metadata":{"name":"a","resourceVersion":"5"}}',
    },
    { name: 'as the only member', text: '{"metadata":{}}', spliced: '{"metadata":{"resourceVersion":"5"}}' },
    {
      name: 'over another one',
      text: '{"metadata":{"a":1,"resourceVersion":"123","z":2}}',
      spliced: '{"metadata":{"a":1,"resourceVersion":"5","z":2}}',
    },
    {
      name: 'not into what only looks like metadata',
      text: '{"spec":{"metadata":{"x":"}"}},"metadata":{"labels":{"resourceVersion":"1","\\"":"\\\\"}}}',
      spliced:
        '{"spec":{"metadata":{"x":"}"}},"metadata":{"labels":{"resourceVersion":"1","\\"":"\\\\"},' +
        '"resourceVersion":"5"}}',
    },
    {
      name: 'with spaces around',
      text: ' { "metadata" : { "name" : "a" , "uid":1 } } ',
      spliced: ' { "metadata" : { "name" : "a" , "resourceVersion":"5","uid":1 } } ',
    },
  ])('Putting the resourceVersion into stored JSON: $name', ({ text, spliced }) => {
    expect(spliceJsonResourceVersion(Buffer.from(text), 5).toString()).toBe(spliced);
    expect(splicedJsonLength(Buffer.from(text), 5)).toBe(spliced.length);
  });

  test('Putting the resourceVersion into stored JSON gives what writing the value gives', () => {
    const random = randomSource(7);
    for (let i = 0; i < 300; i++) {
      const value = {
        ...randomObject(random),
        metadata: { ...randomObject(random), labels: randomObject(random), name: 'n', uid: 'u' } as JsonObject,
      };
      const revision = randomInt(random, 1e9) + 1;
      const expected = stringifyJson({ ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } });
      const stored = encodeJson(value);
      expect(spliceJsonResourceVersion(stored, revision).toString()).toBe(expected);
      expect(splicedJsonLength(stored, revision)).toBe(Buffer.byteLength(expected));
    }
  });

  test.each([
    '',
    '[]',
    '{',
    '{"metadata":',
    '{"metadata":{"a"',
    '{"metadata":5}',
    '{"spec":{}}',
    '{"metadata":{"a":1 "b"',
    '{"a" 1}',
    '{a:1}',
  ])('Text that has no place for it is refused: %s', (text) => {
    expect(() => spliceJsonResourceVersion(Buffer.from(text), 5)).toThrow(
      expect.objectContaining({ name: 'DecodeError' }),
    );
  });
});

describe('index attributes from JSON', () => {
  const scan = createJsonAttributesScanner([
    'spec.color',
    'spec.size',
    'spec.on',
    { name: 'owner', paths: ['spec.first', 'metadata.uid'] },
    'spec.list',
    'spec.none',
  ]);

  test('Index attributes from JSON are scanned from the JSON of an object', () => {
    const attributes = scan(
      encodeJson(
        parseJson(
          '{"metadata":{"name":"a","namespace":"b","labels":{"x":"1","ü\\"":"\\u00e9"},"uid":"u"},' +
            '"spec":{"color":"r\\u00e9d","size":5,"on":true,"list":[1],"none":null}}',
        ),
      ),
    );
    expect([attributes.namespace, attributes.name]).toEqual(['b', 'a']);
    expect([...attributes.labels]).toEqual([
      ['x', '1'],
      ['ü"', 'é'],
    ]);
    expect([...attributes.fields]).toEqual([
      ['spec.color', 'réd'],
      ['spec.size', '5'],
      ['spec.on', 'true'],
      ['owner', 'u'],
      ['spec.list', ''],
      ['spec.none', ''],
    ]);
  });

  test('Index attributes from the JSON of an object without any of it are empty', () => {
    const attributes = scan(Buffer.from('{"metadata":{},"spec":[]}'));
    expect([
      attributes.namespace,
      attributes.name,
      attributes.labels.size,
      attributes.fields.get('spec.color'),
    ]).toEqual(['', '', 0, '']);
  });

  test('Labels elsewhere in JSON are no index attributes', () => {
    expect(
      createJsonAttributesScanner()(
        Buffer.from('{"labels":{"a":"b"},"spec":{"labels":{"a":"b"}},"metadata":{"x":{"labels":{"a":"b"}}}}'),
      ).labels.size,
    ).toBe(0);
  });

  test.each(['', '[', '{"metadata":{"name":"a', '{"metadata":{"labels":{"a":"b"'])(
    'Text that is cut off is refused: %s',
    (text) => {
      expect(() => scan(Buffer.from(text))).toThrow(expect.objectContaining({ name: 'DecodeError' }));
    },
  );
});
