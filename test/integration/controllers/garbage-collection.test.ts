import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client, KubeObject } from '../../../src/client/index.ts';
import type { OwnerReference } from '../../../src/machinery/object-meta.ts';
import { type ControllerCluster, startControllerCluster } from './controller-cluster.ts';

let cluster: ControllerCluster;
let client: Client;

beforeAll(async () => {
  cluster = await startControllerCluster({ controllers: ['garbagecollector'] });
  ({ client } = cluster);
});

afterAll(() => cluster[Symbol.asyncDispose]());

const timeoutMs = 10_000;
let count = 0;
/** A namespace of its own for each test. */
async function newNamespace(): Promise<string> {
  const name = `gc-${++count}`;
  await client.core.v1.namespaces.create({ metadata: { name } });
  return name;
}

type Metadata = Pick<NonNullable<KubeObject['metadata']>, 'finalizers' | 'ownerReferences'>;

const map = async (namespace: string, name: string, metadata: Metadata = {}): Promise<OwnerReference> => {
  const made = await client.core.v1.configmaps.create({ metadata: { ...metadata, name, namespace } });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: made.metadata.uid! };
};
const mapsBecome = (namespace: string, names: readonly string[]): Promise<void> =>
  vi.waitFor(async () => {
    const { items } = await client.core.v1.configmaps.namespace(namespace).list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  }, timeoutMs);
const owned = (...ownerReferences: OwnerReference[]): Metadata => ({ ownerReferences });
const blocking = (reference: OwnerReference): OwnerReference => ({ ...reference, blockOwnerDeletion: true });

test('What a deleted object owned goes with it, down to the last one', async () => {
  const namespace = await newNamespace();
  const owner = await map(namespace, 'owner');
  const child = await map(namespace, 'child', owned(owner));
  await map(namespace, 'grandchild', owned(child));
  await map(namespace, 'other');
  await client.core.v1.configmaps.namespace(namespace).delete('owner');
  await mapsBecome(namespace, ['other']);
});

test('An object that is deleted in the foreground goes after the dependents that block it', async () => {
  const namespace = await newNamespace();
  const maps = client.core.v1.configmaps.namespace(namespace);
  const owner = await map(namespace, 'owner');
  const child = await map(namespace, 'child', owned(blocking(owner)));
  await map(namespace, 'held', { ...owned(blocking(child)), finalizers: ['example.com/hold'] });
  await map(namespace, 'loose', { ...owned(owner), finalizers: ['example.com/hold'] });
  await maps.delete('owner', { propagationPolicy: 'Foreground' });
  await vi.waitFor(async () => {
    const { items } = await maps.list();
    expect(items.map(({ metadata }) => [metadata.name, metadata.finalizers])).toEqual([
      ['child', ['foregroundDeletion']],
      ['held', ['example.com/hold']],
      ['loose', ['example.com/hold']],
      ['owner', ['foregroundDeletion']],
    ]);
    expect(items.every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
  }, timeoutMs);
  await maps.patch('held', { merge: { metadata: { finalizers: null } } });
  await mapsBecome(namespace, ['loose']);
});

test('Dependents of an object that is deleted as an orphanage stay, without their reference', async () => {
  const namespace = await newNamespace();
  const maps = client.core.v1.configmaps.namespace(namespace);
  const owner = await map(namespace, 'owner');
  await map(namespace, 'a', owned(owner));
  await map(namespace, 'b', owned(owner));
  await maps.delete('owner', { propagationPolicy: 'Orphan' });
  await mapsBecome(namespace, ['a', 'b']);
  const { items } = await maps.list();
  expect(items.map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
});

test('An object goes with the last of its owners, and loses its references to the others before', async () => {
  const namespace = await newNamespace();
  const maps = client.core.v1.configmaps.namespace(namespace);
  const first = await map(namespace, 'first');
  const second = await map(namespace, 'second');
  const gone: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'never-was' };
  await map(namespace, 'a', owned(blocking(first), gone, blocking(second)));
  await maps.delete('first', { propagationPolicy: 'Foreground' });
  await vi.waitFor(async () => {
    expect((await maps.get('a')).metadata.ownerReferences).toEqual([blocking(second)]);
  }, timeoutMs);
  await maps.delete('second');
  await mapsBecome(namespace, []);
});

test('Two objects that own each other go when one is deleted in the foreground', async () => {
  const namespace = await newNamespace();
  const maps = client.core.v1.configmaps.namespace(namespace);
  const a = await map(namespace, 'a');
  const b = await map(namespace, 'b', owned(blocking(a)));
  await maps.patch('a', { merge: { metadata: { ownerReferences: [blocking(b)] } } });
  await maps.delete('a', { propagationPolicy: 'Foreground' });
  await mapsBecome(namespace, []);
});

test('An owner that is not there is asked for: by its uid, its name and its namespace', async () => {
  const namespace = await newNamespace();
  const other = await newNamespace();
  const elsewhere = await map(other, 'elsewhere');
  const owner = await map(namespace, 'owner');
  await map(namespace, 'a-earlier', owned({ ...owner, uid: 'an-earlier-one' }));
  await map(namespace, 'b-elsewhere', owned(elsewhere));
  await map(namespace, 'c-unknown', owned({ apiVersion: 'none.example.com/v1', kind: 'Nothing', name: 'x', uid: 'x' }));
  await mapsBecome(namespace, ['c-unknown', 'owner']);
  await vi.waitFor(async () => {
    const { items } = await client.core.v1.events.namespace(namespace).list();
    expect(items.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
      'Warning OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: ' +
        `${namespace}, name: elsewhere, uid: ${elsewhere.uid}] does not exist in namespace "${namespace}"`,
    ]);
  }, timeoutMs);
  await mapsBecome(other, ['elsewhere']);
});

test('Custom resources own and are owned as soon as they are defined', { timeout: 20_000 }, async () => {
  const namespace = await newNamespace();
  await client.apiextensions.v1.customresourcedefinitions.create({
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  } as never);
  const things = client.dynamic({ group: 'example.com', version: 'v1', resource: 'things' }).namespace(namespace);
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing' };
  const made = await vi.waitFor(() => things.create({ ...thing, metadata: { name: 'owner' } }), timeoutMs);
  const reference = { ...thing, name: 'owner', uid: made.metadata!.uid! };
  await things.create({ ...thing, metadata: { name: 'child', ...owned(reference) } });
  await map(namespace, 'map', owned(reference));
  await things.delete('owner', { propagationPolicy: 'Orphan' });
  await vi.waitFor(async () => {
    expect((await things.get('child')).metadata?.ownerReferences ?? []).toEqual([]);
  }, timeoutMs);
  const again = await vi.waitFor(() => things.create({ ...thing, metadata: { name: 'owner' } }), timeoutMs);
  const next = { ...thing, name: 'owner', uid: again.metadata!.uid! };
  await map(namespace, 'other', owned(next));
  await client.apiextensions.v1.customresourcedefinitions.delete('things.example.com');
  await mapsBecome(namespace, ['map']);
});
