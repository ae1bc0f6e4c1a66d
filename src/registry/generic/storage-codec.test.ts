import { describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import { readEnvelope, writeEnvelope } from '../../machinery/codec/envelope.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createServedVersion } from './served-version.ts';
import { createStorageCodec, OwnValues, type StorageCodecOptions, type StorageMediaType } from './storage-codec.ts';

const attributes = { namespace: 'x', name: 'a', labels: new Map<string, string>(), fields: new Map<string, string>() };
const key = '/registry/poddisruptionbudgets/x/a';

/** `policy/v1beta1` calls what it lacks by an annotation here, which stands for a conversion. */
const versionOf = (apiVersion: 'policy/v1' | 'policy/v1beta1') =>
  createServedVersion({
    apiVersion,
    kind: 'PodDisruptionBudget',
    listKind: 'PodDisruptionBudgetList',
    typeId: `${apiVersion}.PodDisruptionBudget`,
    storedTypeId: 'policy/v1.PodDisruptionBudget',
    codecs,
    rules: {
      defaults: (object: KubeObject) => {
        (object.metadata ??= {}).labels ??= { defaulted: apiVersion };
      },
      ...(apiVersion === 'policy/v1' ? {} : { toStorage: (object: KubeObject) => ({ ...object, converted: true }) }),
    } as never,
  });
const stored = versionOf('policy/v1');
const older = versionOf('policy/v1beta1');

const codecWith = (more: Partial<StorageCodecOptions> = {}) =>
  createStorageCodec({
    stored,
    others: (apiVersion, kind) => (apiVersion === older.apiVersion && kind === older.kind ? older : undefined),
    scan: () => attributes,
    mediaType: 'application/vnd.kubernetes.protobuf',
    ...more,
  });

const budget = { metadata: { name: 'a', namespace: 'x', labels: { app: 'web' } }, spec: { minAvailable: 2 } };
const bytesOf = (object: object): Buffer =>
  stored.codec.encode(stored.codec.fromJson(Buffer.from(JSON.stringify(object))).value as never);
const mediaTypes: readonly StorageMediaType[] = [
  'application/vnd.kubernetes.protobuf',
  'application/json',
  'application/yaml',
];

describe('the storage codec', () => {
  test.each(mediaTypes.flatMap((written) => mediaTypes.map((configured) => ({ written, configured }))))(
    'A value that was stored as $written is read by a server that stores $configured',
    ({ written, configured }) => {
      const value = codecWith({ mediaType: written }).encode(key, bytesOf(budget));
      const decoded = codecWith({ mediaType: configured }).decode(key, Buffer.from(value), 7);
      expect(decoded).toMatchObject({ key, revision: 7, attributes });
      expect(decoded.bytes).toEqual(bytesOf(budget));
    },
  );

  test.each([
    { mediaType: 'application/json' as const, begins: '{"kind":"PodDisruptionBudget","apiVersion":"policy/v1",' },
    { mediaType: 'application/yaml' as const, begins: 'apiVersion: policy/v1\nkind: PodDisruptionBudget\n' },
    { mediaType: 'application/vnd.kubernetes.protobuf' as const, begins: 'k8s\0' },
  ])('A value that is stored as $mediaType says its kind and version', ({ mediaType, begins }) => {
    const value = codecWith({ mediaType }).encode(key, bytesOf(budget));
    expect(value.subarray(0, begins.length).toString()).toBe(begins);
  });

  test('A value that is there in the bytes that are stored now shares them', () => {
    const value = writeEnvelope(stored.apiVersion, stored.kind, bytesOf(budget));
    const { bytes } = codecWith().decode(key, value, 1);
    expect(bytes.buffer).toBe(readEnvelope(value).raw.buffer);
  });

  test.each([
    { name: 'of the stored version gets the defaults of it', version: stored },
    { name: 'of an older version gets the defaults of that', version: older },
  ])('A stored value $name', ({ version }) => {
    const raw = version.codec.encode(
      version.codec.fromJson(Buffer.from('{"metadata":{"name":"a"},"spec":{}}')).value as never,
    );
    const { bytes } = codecWith().decode(key, writeEnvelope(version.apiVersion, version.kind, raw), 1);
    expect(stored.codec.decode(bytes)).toMatchObject({ metadata: { labels: { defaulted: version.apiVersion } } });
  });

  test('A stored value gets what depends on the server', () => {
    const codec = codecWith({ complete: (object) => void (object.metadata!.annotations = { by: 'server' }) });
    const { bytes } = codec.decode(key, writeEnvelope(stored.apiVersion, stored.kind, bytesOf(budget)), 1);
    expect(stored.codec.decode(bytes)).toMatchObject({ metadata: { annotations: { by: 'server' } } });
  });

  test('A stored value of a version without a type is converted as JSON', () => {
    const codec = codecWith({
      untyped: {
        'policy/v1alpha1': ({ metadata, least }) => ({ metadata: metadata!, spec: { minAvailable: least! } }),
      },
    });
    const text = JSON.stringify({ apiVersion: 'policy/v1alpha1', kind: 'PodDisruptionBudget', least: 3, metadata: {} });
    const { bytes } = codec.decode(key, Buffer.from(text), 1);
    expect(stored.codec.decode(bytes)).toMatchObject({ spec: { minAvailable: 3 } });
  });

  test.each([
    { name: 'protobuf', value: writeEnvelope('v1', 'Secret', Buffer.alloc(0)) },
    { name: 'JSON', value: Buffer.from('{"apiVersion":"v1","kind":"Secret"}') },
    { name: 'YAML', value: Buffer.from('apiVersion: v1\nkind: Secret\n') },
  ])('A stored value of another kind, as $name, is an error that names both', ({ value }) =>
    expect(() => codecWith().decode(key, value, 1)).toThrow(
      'Secret of v1 is stored where PodDisruptionBudget of policy/v1 is expected',
    ),
  );

  test.each([
    { name: 'a value that is no object', value: Buffer.from('[]') },
    { name: 'an envelope that is cut off', value: writeEnvelope('policy/v1', 'X', Buffer.alloc(9)).subarray(0, 8) },
    { name: 'nothing', value: Buffer.alloc(0) },
  ])('$name in the store is an error', ({ value }) => expect(() => codecWith().decode(key, value, 1)).toThrow());

  test('A value that this process has just encoded is not decoded to see that it is normal', () => {
    let decodes = 0;
    const counting = { ...stored, codec: stored.codec, setDefaults: () => void decodes++ };
    const codec = codecWith({ stored: counting });
    const value = codec.encode(key, bytesOf(budget));
    codec.decode(key, Buffer.from(value), 1);
    expect(decodes).toBe(0);
    codec.decode(`${key}2`, Buffer.from(value), 1);
    expect(decodes).toBe(1);
  });

  test('Own values are known by key and content, up to 8 MiB', () => {
    const own = new OwnValues();
    own.add('a', Buffer.from('x'));
    expect([own.has('a', Buffer.from('x')), own.has('a', Buffer.from('y')), own.has('b', Buffer.from('x'))]).toEqual([
      true,
      false,
      false,
    ]);
    own.add('unused', Buffer.from('x'));
    for (let i = 0; i < 9; i++) own.add(`large-${i}`, Buffer.alloc(1024 * 1024));
    expect(own.has('unused', Buffer.from('x'))).toBe(false);
  });
});
