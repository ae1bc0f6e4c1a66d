import { expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { deleteObject } from './delete.ts';
import type { ResourceStore } from './resource-store.ts';
import type { WriteRequest } from './write.ts';

const stored = (uid: string, revision: number): StoredObject => ({
  key: '/things/a',
  revision,
  bytes: Buffer.from(JSON.stringify({ metadata: { name: 'a', uid } })),
  attributes: { namespace: '', name: 'a', labels: new Map(), fields: new Map() },
});

/** A kind that goes in two steps, in a store whose cache has not heard of the newest object yet. */
function lagging(cached: StoredObject, newest: StoredObject, did: string[]): ResourceStore {
  let current = newest;
  const guarded = (what: string, revision: number, apply: () => void): boolean => {
    if (revision !== current.revision) return false;
    did.push(what);
    apply();
    return true;
  };
  const storage = {
    get: (_key: string, { match }: { match: string }) =>
      Promise.resolve(match === 'any' && did.length === 0 ? cached : current),
    update: (_key: string, bytes: Buffer, revision: number) =>
      Promise.resolve(
        guarded('marked', revision, () => (current = { ...current, bytes, revision: revision + 1 }))
          ? { applied: true, object: current }
          : { applied: false, current },
      ),
    delete: (_key: string, revision: number) =>
      Promise.resolve(
        guarded('removed', revision, () => undefined)
          ? { applied: true, revision: revision + 1 }
          : { applied: false, current },
      ),
  };
  return {
    storage,
    hooks: {},
    group: '',
    kind: { group: '', kind: 'Thing' },
    groupResource: { group: '', resource: 'things' },
    resource: { gracePeriodSeconds: () => 0 },
    garbageCollection: true,
    key: () => '/things/a',
    decode: ({ bytes }: StoredObject) => JSON.parse(bytes.toString()) as KubeObject,
    encode: (object: KubeObject) => Buffer.from(JSON.stringify(object)),
  } as unknown as ResourceStore;
}

const request = {
  dryRun: false,
  name: 'a',
  namespace: '',
  context: { now: new Date() },
  warn: () => undefined,
} as unknown as WriteRequest;

test('A deletion that lost a race is marked before it removes, like any other', async () => {
  const did: string[] = [];
  await deleteObject(
    lagging(stored('one', 4), stored('one', 7), did),
    { gracePeriodSeconds: 0 },
    () => Promise.resolve(),
    request,
  );
  expect(did).toEqual(['marked', 'removed']);
});

test('Its preconditions hold for the object that is there by then', async () => {
  const did: string[] = [];
  const deletion = deleteObject(
    lagging(stored('one', 4), stored('two', 7), did),
    { gracePeriodSeconds: 0, preconditions: { uid: 'one' } },
    () => Promise.resolve(),
    request,
  );
  await expect(deletion).rejects.toMatchObject({ code: 409 });
  expect(did).toEqual([]);
});

test.each([
  { name: 'an object that was changed in between is deleted as well', between: stored('one', 9), deletes: 2 },
  { name: 'an object that was removed in between is gone, as requested', between: undefined, deletes: 1 },
  { name: 'an object that was removed and created again stays', between: stored('two', 9), deletes: 1 },
])('Between the mark and the removal: $name', async ({ between, deletes }) => {
  const store = lagging(stored('one', 7), stored('one', 7), []);
  const { storage } = store;
  const revisions: number[] = [];
  const remove = (_key: string, revision: number): ReturnType<typeof storage.delete> => {
    revisions.push(revision);
    return Promise.resolve(
      revision === between?.revision ? { applied: true, revision: 10 } : { applied: false, current: between },
    );
  };
  const meddled = { ...store, storage: { ...storage, delete: remove } } as unknown as ResourceStore;
  expect(await deleteObject(meddled, { gracePeriodSeconds: 0 }, () => Promise.resolve(), request)).toMatchObject({
    action: 'removed',
    uid: 'one',
  });
  expect(revisions).toEqual([8, 9].slice(0, deletes));
});
