import { describe, expect, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import type { JsonObject } from '../value.ts';
import { createCodecs, createPartialReader, type KeptFields } from './index.ts';

const codecs = createCodecs(schemas);

describe('a partial reader', () => {
  const cases: { name: string; kept: KeptFields; type: string; whole: JsonObject; read: JsonObject }[] = [
    {
      name: 'nothing is left out of types that are not named',
      kept: {},
      type: 'core/v1.ConfigMap',
      whole: { metadata: { name: 'a', annotations: { b: 'c' } }, data: { d: 'e' } },
      read: { metadata: { name: 'a', annotations: { b: 'c' } }, data: { d: 'e' } },
    },
    {
      name: 'texts, maps, numbers and messages are skipped',
      kept: { 'meta/v1.ObjectMeta': ['name'], 'core/v1.ConfigMap': ['metadata'] },
      type: 'core/v1.ConfigMap',
      whole: {
        metadata: { name: 'a', generation: 300, annotations: { b: 'c'.repeat(200) }, ownerReferences: [] },
        data: { d: 'e' },
        immutable: true,
      },
      read: { metadata: { name: 'a' } },
    },
    {
      name: 'a message that is always there is none where it is left out',
      kept: { 'core/v1.Pod': ['metadata'] },
      type: 'core/v1.Pod',
      whole: { metadata: { name: 'a' }, spec: { containers: [] }, status: { phase: 'Running' } },
      read: { metadata: { name: 'a' } },
    },
    {
      name: 'items of lists, and what is inlined into them',
      kept: { 'core/v1.VolumeSource': ['hostPath'], 'core/v1.PodSpec': ['volumes'], 'core/v1.Pod': ['spec'] },
      type: 'core/v1.PodList',
      whole: {
        metadata: { resourceVersion: '7' },
        items: [
          {
            metadata: { name: 'a' },
            spec: {
              containers: [{ name: 'c', resources: {} }],
              volumes: [
                { name: 'v', hostPath: { path: '/' } },
                { name: 'w', configMap: { name: 'x' } },
              ],
            },
            status: {},
          },
        ],
      },
      read: {
        metadata: { resourceVersion: '7' },
        items: [{ spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }, { name: 'w' }] } }],
      },
    },
  ];

  test.each(cases)('Protobuf is read in part: $name', ({ kept, type, whole, read }) => {
    const { value } = codecs.of(type).normalize(whole);
    expect(createPartialReader(schemas, kept).decode(type, codecs.of(type).encode(value))).toEqual(read);
  });

  test.each(cases)('JSON loses the same members: $name', ({ kept, type, whole, read }) => {
    const value = structuredClone(whole);
    createPartialReader(schemas, kept).prune(type, value);
    expect(value).toEqual(read);
  });

  test('A field that does not exist is an error of the program', () => {
    const reader = createPartialReader(schemas, { 'core/v1.ConfigMap': ['metadata', 'name'] });
    expect(() => reader.decode('core/v1.ConfigMap', Buffer.alloc(0))).toThrow('core/v1.ConfigMap has no field name');
  });

  test('Bytes that end too early are refused, also in a field that is skipped', () => {
    const type = 'core/v1.ConfigMap';
    const { value } = codecs.of(type).normalize({ metadata: {}, data: { a: 'b' } });
    const bytes = codecs.of(type).encode(value);
    const reader = createPartialReader(schemas, { [type]: ['metadata'] });
    expect(() => reader.decode(type, bytes.subarray(0, bytes.length - 1))).toThrow('unexpected EOF');
  });
});
