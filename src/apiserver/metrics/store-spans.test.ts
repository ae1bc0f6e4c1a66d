import { describe, expect, test } from 'vitest';
import { runInSpan } from '../../base/span.ts';
import { RecordedSpan } from '../../base/testing/recorded-spans.ts';
import { observeStore } from '../../storage/observed-store.ts';
import type { Store } from '../../storage/interface.ts';
import type { ObjectStorage } from '../../storage/objects.ts';
import { traceReads, traceStore } from './store-spans.ts';

const about = { 'audit-id': 'audit', key: '/k', type: '*core.Pod', resource: 'pods' };

describe('spans of the store', () => {
  const store = observeStore(
    new Proxy({}, { get: () => () => Promise.resolve({}) }) as Store,
    () => undefined,
    traceStore('pods', '*core.Pod'),
  );

  test.each<{ name: string; call: () => Promise<unknown>; below: readonly (readonly [string, object])[] }>([
    { name: 'a create', call: () => store.create('/k', Buffer.alloc(0)), below: [['Create etcd3', about]] },
    {
      name: 'an update',
      call: () => store.update('/k', Buffer.alloc(0), 1),
      below: [['GuaranteedUpdate etcd3', about]],
    },
    {
      name: 'a list',
      call: () => store.list('/k', { revision: 7, limit: 500 }),
      below: [['List(recursive=true) etcd3', { 'audit-id': 'audit', key: '/k', resourceVersion: '7', limit: 500 }]],
    },
    { name: 'a single read', call: () => store.get('/k'), below: [] },
  ])('The spans of $name are those of the reference', async ({ call, below }) => {
    const request = new RecordedSpan('GET');
    await runInSpan(request, call);
    expect(request.below.map(({ name, attributes }) => [name, attributes])).toEqual(below);
    expect(request.below.every(({ isOpen }) => !isOpen)).toBe(true);
    expect(await call()).toEqual({});
  });
});

test('Reads of a watch cache are spans, and the storage is the same besides', async () => {
  class Storage {
    readonly prefix = '/pods/';
    readonly #objects = 3;
    get = (): Promise<undefined> => Promise.resolve(undefined);
    list = (): Promise<object> => Promise.resolve({ objects: [] });
    count(): Promise<number> {
      return Promise.resolve(this.#objects);
    }
  }
  const storage = traceReads(new Storage() as unknown as ObjectStorage, 'pods');
  const request = new RecordedSpan('GET');
  await runInSpan(request, async () => {
    await storage.get('/k', { match: 'any' });
    await storage.list({ version: { match: 'mostRecent' } });
    expect(await storage.count()).toBe(3);
  });
  expect(request.below.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['cacher.Get', { 'audit-id': 'audit', key: '/k', 'resource-version': '0' }],
    ['cacher.GetList', { 'audit-id': 'audit', type: 'pods' }],
  ]);
  expect(storage.prefix).toBe('/pods/');
});
