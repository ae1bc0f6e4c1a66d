/** An object whose bytes in the store cannot be read is there: nothing is decided as if it were not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyCluster, startFaultyCluster } from './faulty-cluster.ts';

let cluster: FaultyCluster;

beforeAll(async () => {
  cluster = await startFaultyCluster({ controllers: ['namespace', 'garbagecollector', 'resourcequota'] });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** The reason of the condition of a namespace. */
async function reasonOf(name: string, type: string): Promise<string | undefined> {
  const { status } = await cluster.client.core.v1.namespaces.get(name);
  return status.conditions?.find((condition) => condition.type === type)?.reason;
}

test('Bytes that cannot be read keep their dependents, their share of a quota, and their namespace', async () => {
  const { client, store, proxy, until, pass } = cluster;
  const { namespaces, configmaps, secrets, resourcequotas } = client.core.v1;
  for (const name of ['kept', 'ending']) await namespaces.create({ metadata: { name } });
  await resourcequotas.namespace('kept').create({ metadata: { name: 'q' }, spec: { hard: { configmaps: '5' } } });
  const owner = await configmaps.namespace('kept').create({ metadata: { name: 'owner' } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid! }];
  await configmaps.namespace('kept').create({ metadata: { name: 'dependent', ownerReferences } });
  await secrets.namespace('kept').create({ metadata: { name: 'dependent', ownerReferences } });
  await configmaps.namespace('ending').create({ metadata: { name: 'bad' } });
  await secrets.namespace('ending').create({ metadata: { name: 'good' } });
  const used = async (): Promise<unknown> => (await resourcequotas.namespace('kept').get('q')).status?.used;
  await until(async () => expect(await used()).toEqual({ configmaps: '2' }));
  for (const key of ['/registry/configmaps/kept/owner', '/registry/configmaps/ending/bad']) {
    const { kv } = await store.get(key);
    await store.update(key, Buffer.from('k8s\0\xff\xff not a message'), kv!.modRevision);
  }
  await namespaces.delete('ending');
  proxy.dropWatches();
  const before = proxy.requests.length;
  await until(async () =>
    expect(await reasonOf('ending', 'NamespaceDeletionContentFailure')).toBe('ContentDeletionFailed'),
  );
  await pass(600_000, 5000);
  expect((await secrets.namespace('kept').get('dependent')).metadata.deletionTimestamp).toBeUndefined();
  const { kv } = await store.get('/registry/configmaps/kept/dependent');
  expect(kv).toBeDefined();
  expect(await used()).toEqual({ configmaps: '2' });
  expect((await secrets.namespace('ending').list()).items).toEqual([]);
  expect(await reasonOf('ending', 'NamespaceContentRemaining')).toBeDefined();
  expect((await store.get('/registry/configmaps/ending/bad')).kv).toBeDefined();
  // Each resource of the namespace is asked for, with a minute between the last tries.
  expect(proxy.requests.length - before).toBeLessThan(1500);
});
