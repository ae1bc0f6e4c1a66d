/** What controllers cannot see: an object whose bytes cannot be read is there, one without a definition is not. */
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

test('A definition that is deleted while its objects are collected leaves no request about them', async () => {
  const { client, proxy, until, pass } = cluster;
  const group = 'example.com';
  const widgets = client.dynamic({ group, version: 'v1', resource: 'widgets' }).namespace('default');
  const definitions = client.apiextensions.v1.customresourcedefinitions;
  const isAboutWidgets = ({ path }: { path: string }): boolean => path.includes('/widgets');
  await definitions.create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      ...{
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'Widgets' },
      },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await until(async () => expect(proxy.count(isAboutWidgets)).toBeGreaterThan(0));
  const secrets = client.core.v1.secrets.namespace('default');
  for (const name of ['a', 'b', 'c']) {
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } };
    const { metadata } = await widgets.create(object);
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name, uid: metadata!.uid! };
    await secrets.create({ metadata: { name, ownerReferences: [owner] } });
  }
  await widgets.delete('a', { propagationPolicy: 'Foreground' });
  await definitions.delete('widgets.example.com');
  await until(async () => expect((await secrets.list()).items).toEqual([]));
  await until(async () => expect((await definitions.list()).items).toEqual([]));
  await pass(120_000, 4000);
  const before = proxy.count(isAboutWidgets);
  await pass(300_000, 10_000);
  expect(proxy.count(isAboutWidgets)).toBe(before);
});

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
  await pass(300_000, 10_000);
  expect((await secrets.namespace('kept').get('dependent')).metadata.deletionTimestamp).toBeUndefined();
  const { kv } = await store.get('/registry/configmaps/kept/dependent');
  expect(kv).toBeDefined();
  expect(await used()).toEqual({ configmaps: '2' });
  expect((await secrets.namespace('ending').list()).items).toEqual([]);
  expect(await reasonOf('ending', 'NamespaceContentRemaining')).toBeDefined();
  expect((await store.get('/registry/configmaps/ending/bad')).kv).toBeDefined();
  // Each resource of the namespace is asked for, with a minute between the last tries.
  expect(proxy.requests.length - before).toBeLessThan(1200);
});
