/** Controllers behind feature gates that are off by default. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { StorageVersion } from '../../../src/api/gen/types/apiserverinternal-v1alpha1.ts';
import { type ControllerCluster, startControllerCluster } from './controller-cluster.ts';

const timeoutMs = 10_000;
let cluster: ControllerCluster;
beforeAll(async () => {
  const groups = [
    'internal.apiserver.k8s.io/v1alpha1',
    'storagemigration.k8s.io/v1alpha1',
    'certificates.k8s.io/v1alpha1',
  ];
  cluster = await startControllerCluster({
    controllers: [
      'storageversion-garbage-collector-controller',
      'storage-version-migrator-controller',
      'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    ],
    serverFlags: [
      `--runtime-config=${groups.map((each) => `${each}=true`).join(',')}`,
      '--feature-gates=ClusterTrustBundle=true',
    ],
    featureGates: {
      ClusterTrustBundle: true,
      StorageVersionAPI: true,
      StorageVersionMigrator: true,
      InformerResourceVersion: true,
    },
  });
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('The authority of the API server is in a bundle, also after it was deleted', async () => {
  const { clustertrustbundles } = cluster.client.certificates.v1alpha1;
  const names = async (): Promise<string[]> =>
    (await clustertrustbundles.list()).items.map(({ metadata }) => metadata.name!);
  await vi.waitFor(async () => expect(await names()).toHaveLength(1), timeoutMs);
  const [bundle] = (await clustertrustbundles.list()).items;
  expect(bundle!.spec).toEqual({
    signerName: 'kubernetes.io/kube-apiserver-serving',
    trustBundle: cluster.client.config.ca,
  });
  await clustertrustbundles.delete(bundle!.metadata.name!);
  await vi.waitFor(async () => expect(await names()).toEqual([bundle!.metadata.name]), timeoutMs);
});

test('A server without a lease is taken out of storage versions', async () => {
  const { client } = cluster;
  const { storageversions } = client.internal.v1alpha1;
  const leases = client.coordination.v1.leases.namespace('kube-system');
  await leases.create({
    metadata: { name: 'apiserver-here', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec: { holderIdentity: 'x' },
  });
  const tell = async (name: string, ...servers: string[]): Promise<void> => {
    const version = await storageversions.create({ metadata: { name }, spec: {}, status: {} });
    const storageVersions = servers.map((apiServerID) => ({
      apiServerID,
      encodingVersion: 'v1',
      decodableVersions: ['v1'],
    }));
    await storageversions.status.update({
      ...version,
      status: { storageVersions, commonEncodingVersion: 'v1' },
    } as StorageVersion);
  };
  const told = async (): Promise<unknown[]> =>
    (await storageversions.list()).items.map(({ metadata, status }) => [
      metadata.name,
      (status.storageVersions ?? []).map(({ apiServerID }) => apiServerID),
    ]);
  await tell('core.things', 'apiserver-here', 'apiserver-gone');
  await tell('core.others', 'apiserver-gone');
  await vi.waitFor(async () => expect(await told()).toEqual([['core.things', ['apiserver-here']]]), timeoutMs);
  await leases.delete('apiserver-here');
  await vi.waitFor(async () => expect(await told()).toEqual([]), timeoutMs);
});

test('A migration writes each object again, and says how it ended', async () => {
  const { client } = cluster;
  const { storageversionmigrations } = client.storagemigration.v1alpha1;
  for (const name of ['a', 'b']) await client.core.v1.configmaps.namespace('default').create({ metadata: { name } });
  const migrate = async (name: string, resource: string): Promise<void> => {
    await storageversionmigrations.create({
      metadata: { name },
      spec: { resource: { group: '', version: 'v1', resource } },
    });
  };
  const conditions = async (name: string): Promise<string[]> =>
    ((await storageversionmigrations.get(name)).status?.conditions ?? []).map(
      ({ type, status }) => `${type} ${status}`,
    );
  await migrate('maps', 'configmaps');
  await migrate('nothing', 'nothings');
  await vi.waitFor(
    async () => expect(await conditions('maps')).toEqual(['Running False', 'Succeeded True']),
    timeoutMs,
  );
  await vi.waitFor(async () => expect(await conditions('nothing')).toEqual(['Failed True']), timeoutMs);
  expect((await storageversionmigrations.get('maps')).status?.resourceVersion).toMatch(/^\d+$/);
});
