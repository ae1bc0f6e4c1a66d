import { describe, expect, test } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { serviceUnavailable, tooLargeResourceVersion } from '../machinery/status.ts';
import type { ObjectList, ObjectWatch, ReadVersion, StoredObject } from '../storage/objects.ts';
import { StorageError, type StorageReason } from '../storage/storage-error.ts';
import { createStoreInformer, createStoreSource, type SourceStore, type StoreSourceOptions } from './store-source.ts';

const object = (revision: number): StoredObject => ({
  key: 'a',
  revision,
  bytes: Buffer.alloc(0),
  attributes: { namespace: '', name: 'a', labels: new Map(), fields: new Map() },
});

function setUp({ list, ended }: { list?: (version: ReadVersion) => Promise<ObjectList>; ended?: Error } = {}) {
  const versions: ReadVersion[] = [];
  const watch: ObjectWatch = { take: () => [], revision: 7, ended, close: () => undefined };
  const store: SourceStore = {
    resourceName: 'things',
    groupResource: { group: '', resource: 'things' },
    key: (_, name) => name,
    list({ version }) {
      versions.push(version);
      return list?.(version) ?? Promise.resolve({ objects: [object(7)], revision: 7 });
    },
    watch: () => Promise.resolve(watch),
  };
  return { store, versions };
}

describe('a list of a store, for an informer', () => {
  interface Row {
    readonly name: string;
    readonly freshness: StoreSourceOptions['freshness'];
    readonly notBefore: string | undefined;
    readonly version: ReadVersion;
  }

  test.each<Row>([
    { name: 'what the cache has', freshness: 'any', notBefore: undefined, version: { match: 'any' } },
    { name: 'the most recent', freshness: 'mostRecent', notBefore: undefined, version: { match: 'mostRecent' } },
    {
      name: 'not less than is known',
      freshness: 'any',
      notBefore: '5',
      version: { match: 'notOlderThan', revision: 5 },
    },
    { name: 'the most recent again', freshness: 'mostRecent', notBefore: '5', version: { match: 'mostRecent' } },
  ])('A list of a store, for an informer is $name', async ({ freshness, notBefore, version }) => {
    const t = setUp();
    const { signal } = new AbortController();
    const pages = [];
    for await (const page of createStoreSource({ store: t.store, freshness }).list({
      notBefore,
      inPages: true,
      signal,
    }))
      pages.push(page);
    expect(pages).toEqual([{ objects: [object(7)], version: '7' }]);
    expect(t.versions).toEqual([version]);
  });

  test('A list of a store for an informer is the most recent when the store was put back in time', async () => {
    const t = setUp({
      list: ({ match }) =>
        match === 'notOlderThan'
          ? Promise.reject(tooLargeResourceVersion('Too large resource version: 9, current: 3'))
          : Promise.resolve({ objects: [object(3)], revision: 3 }),
    });
    const { signal } = new AbortController();
    const source = createStoreSource({ store: t.store, freshness: 'any' });
    for await (const { version } of source.list({ notBefore: '9', inPages: true, signal })) expect(version).toBe('3');
    expect(t.versions.map(({ match }) => match)).toEqual(['notOlderThan', 'mostRecent']);
  });
});

test.each<{ reason: StorageReason; code: number }>([
  { reason: 'Compacted', code: 410 },
  { reason: 'SlowConsumer', code: 410 },
  { reason: 'Unavailable', code: 503 },
  { reason: 'Internal', code: 500 },
])('A watch that the store ends with $reason ends with code $code for an informer', async ({ reason, code }) => {
  const t = setUp({ ended: new StorageError(reason, 'why') });
  const source = createStoreSource({ store: t.store, freshness: 'any' });
  const watch = await source.watch({ after: '7', signal: new AbortController().signal, onReady: () => undefined });
  expect(watch.ended?.error).toMatchObject({ code });
  expect(watch.version).toBe('7');
});

test('An informer of a store tries again each second, and tells of each failure', async () => {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const t = setUp({ list: () => Promise.reject(serviceUnavailable('the store is away')) });
  const informer = createStoreInformer({
    store: t.store,
    freshness: 'any',
    log: silentLogger,
    clock,
    onError: (error) => errors.push(error),
  });
  informer.start();
  await clock.advance(0);
  for (const tries of [1, 2, 3]) {
    expect([t.versions.length, errors.length]).toEqual([tries, tries]);
    await clock.advance(1000);
  }
  await informer.stop();
});
