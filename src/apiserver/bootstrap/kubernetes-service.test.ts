import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { schemas } from '../../api/schemas.ts';
import { silentLogger } from '../../base/logger.ts';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { ServiceServer } from '../../registry/core/services/testing/service-server.ts';
import { createInternalStorageCodec } from '../../registry/generic/internal-storage-codec.ts';
import { openEmbeddedStore } from '../../storage/embedded/open.ts';
import type { Store } from '../../storage/interface.ts';
import { ControlledStore } from '../../storage/testing/controlled-store.ts';
import {
  createLeaseReconciler,
  createMasterCountReconciler,
  type EndpointReconciler,
  noReconciler,
  type ReconcilerOptions,
} from './endpoint-reconcilers.ts';
import { LoopbackClient, type ObjectName } from '../loopback/loopback-client.ts';
import { KubernetesService } from './kubernetes-service.ts';
import { MasterLeases } from './master-leases.ts';
import { PublishedEndpoints } from './published-endpoints.ts';

const fieldManager = createFieldManager({ schemas });
const storageCodec = createInternalStorageCodec({
  apiVersion: 'v1',
  kind: 'Endpoints',
  typeId: 'core/v1.Endpoints',
  codecs,
  mediaType: 'application/vnd.kubernetes.protobuf',
});
const kubernetes = { namespace: 'default', name: 'kubernetes' };
const endpointsName: ObjectName = { group: '', resource: 'endpoints', ...kubernetes };
const sliceName: ObjectName = { group: 'discovery.k8s.io', resource: 'endpointslices', ...kubernetes };
const serviceName: ObjectName = { group: '', resource: 'services', ...kubernetes };

let store: Store & AsyncDisposable;
beforeEach(async () => {
  store = await openEmbeddedStore();
});
afterEach(() => store[Symbol.asyncDispose]());

interface Replica {
  readonly writer: LoopbackClient;
  readonly service: KubernetesService;
  readonly registry: ServiceServer;
}

const leasesOf = (): MasterLeases => new MasterLeases({ store, prefix: '/registry', storageCodec, ttlSeconds: 15 });
const byLease = (options: ReconcilerOptions): EndpointReconciler =>
  createLeaseReconciler({ ...options, leases: leasesOf() });

function replica(
  ip: string,
  create: (options: ReconcilerOptions) => EndpointReconciler = byLease,
  nodePort = 0,
  on: Store = store,
): Replica {
  const registry = new ServiceServer({ store: on });
  const writer = new LoopbackClient({ registry: registry.registry, fieldManager, enabled: () => true });
  const reconciler = create({
    endpoints: new PublishedEndpoints(writer),
    ip,
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  return {
    registry,
    writer,
    service: new KubernetesService({
      writer,
      reconciler,
      clusterIp: '10.0.0.1',
      port: 6443,
      nodePort,
      log: silentLogger,
    }),
  };
}

const published = async ({ writer }: Replica): Promise<(string | undefined)[]> =>
  (await writer.find<Endpoints>(endpointsName))?.subsets?.flatMap(({ addresses = [] }) =>
    addresses.map(({ ip }) => ip),
  ) ?? [];
const sliced = async ({ writer }: Replica): Promise<string[]> =>
  (await writer.find<EndpointSlice>(sliceName))?.endpoints?.flatMap(({ addresses = [] }) => addresses) ?? [];

describe('the kubernetes service', () => {
  test('The kubernetes service has the first address of the range and the port of the server', async () => {
    const { service, registry } = replica('192.0.2.1');
    await service.sync();
    const made = await registry.get('kubernetes');
    expect(made.metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(made.metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'v1' },
    ]);
    expect(made.spec).toEqual({
      type: 'ClusterIP',
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    });
  });

  test('The kubernetes service has a node port where one is asked for', async () => {
    const { service, registry } = replica('192.0.2.1', byLease, 30_443);
    await service.sync();
    expect((await registry.get('kubernetes')).spec).toMatchObject({ type: 'NodePort', ports: [{ nodePort: 30_443 }] });
  });

  test('The kubernetes service is made again when it was deleted, and otherwise left as it is', async () => {
    const { service, registry, writer } = replica('192.0.2.1');
    await service.sync();
    await writer.change<Service>(serviceName, ({ spec }) => (spec.sessionAffinity = 'ClientIP'));
    await service.sync();
    expect((await registry.get('kubernetes')).spec.sessionAffinity).toBe('ClientIP');
    await registry.remove('kubernetes');
    await service.sync();
    expect((await registry.get('kubernetes')).spec).toMatchObject({ clusterIP: '10.0.0.1', sessionAffinity: 'None' });
  });

  test('A round that finds everything in order writes the lease alone', async () => {
    const { service } = replica('192.0.2.1');
    await service.sync();
    const before = await store.currentRevision();
    await service.sync();
    expect((await store.currentRevision()) - before).toBe(1);
  });
});

describe('endpoints of the kubernetes service, by lease', () => {
  test('The endpoints change when servers start and stop', async () => {
    const [first, second] = [replica('192.0.2.1'), replica('192.0.2.2')];
    await first.service.sync();
    await second.service.sync();
    expect([await published(first), await sliced(first)]).toEqual([
      ['192.0.2.1', '192.0.2.2'],
      ['192.0.2.1', '192.0.2.2'],
    ]);
    await first.service.stop();
    expect([await published(second), await sliced(second), await leasesOf().list()]).toEqual([
      ['192.0.2.2'],
      ['192.0.2.2'],
      ['192.0.2.2'],
    ]);
    await second.service.stop();
    expect([await published(second), await sliced(second), await leasesOf().list()]).toEqual([[], [], []]);
  });

  test('A server that has stopped does not come back', async () => {
    const { service } = replica('192.0.2.1');
    await service.sync();
    await service.stop();
    await service.sync();
    expect(await leasesOf().list()).toEqual([]);
  });

  test('A server that ended without a word is published until its lease ends', async () => {
    const [first, second] = [replica('192.0.2.1'), replica('192.0.2.2')];
    await first.service.sync();
    await second.service.sync();
    await leasesOf().remove('192.0.2.1');
    expect(await published(second)).toEqual(['192.0.2.1', '192.0.2.2']);
    await second.service.sync();
    expect(await published(second)).toEqual(['192.0.2.2']);
  });

  test('What such a server left is withdrawn before its successor is ready, if another server is there', async () => {
    const [first, second] = [replica('192.0.2.1'), replica('192.0.2.2')];
    await first.service.sync();
    await replica('192.0.2.1').service.withdrawStale();
    expect(await published(first)).toEqual(['192.0.2.1']);
    await first.service.sync();
    await second.service.sync();
    await replica('192.0.2.1').service.withdrawStale();
    expect(await published(second)).toEqual(['192.0.2.2']);
  });

  test('Servers that look at the endpoints of the kubernetes service at the same time agree', async () => {
    const replicas = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((ip) => replica(ip));
    // In the first round one of them makes the service, and the others may find its address taken before they see it.
    await Promise.allSettled(replicas.map(({ service }) => service.sync()));
    await Promise.all(replicas.map(({ service }) => service.sync()));
    expect((await replicas[0]!.registry.get('kubernetes')).spec.clusterIP).toBe('10.0.0.1');
    expect(await published(replicas[0]!)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
  });

  test('What is made says that no controller should copy it', async () => {
    const { service, writer } = replica('192.0.2.1');
    await service.sync();
    expect((await writer.find<Endpoints>(endpointsName))!.metadata.labels).toEqual({
      'endpointslice.kubernetes.io/skip-mirror': 'true',
    });
    expect(await writer.find<EndpointSlice>(sliceName)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    });
  });

  test('A cluster that changes to IPv6 gets another slice', async () => {
    const before = replica('192.0.2.1');
    await before.service.sync();
    await before.service.stop();
    const after = replica('2001:db8::1');
    await after.service.sync();
    expect((await after.writer.find<EndpointSlice>(sliceName))?.addressType).toBe('IPv6');
    expect([await published(after), await sliced(after)]).toEqual([['2001:db8::1'], ['2001:db8::1']]);
  });

  test('The key is what upstream writes', async () => {
    await leasesOf().renew('192.0.2.1');
    await leasesOf().renew('192.0.2.1');
    const { kv } = await store.get('/registry/masterleases/192.0.2.1');
    expect(storageCodec.codec.decode(storageCodec.decode(kv!.key, kv!.value, kv!.modRevision).bytes)).toEqual({
      metadata: { generation: 2 },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }] }],
    });
  });
});

describe('endpoints of the kubernetes service, otherwise', () => {
  const byCount =
    (count: number) =>
    (options: ReconcilerOptions): EndpointReconciler =>
      createMasterCountReconciler({ ...options, count });

  test('The endpoints of the kubernetes service are up to a known number of servers', async () => {
    const [first, second] = [replica('192.0.2.1', byCount(2)), replica('192.0.2.2', byCount(2))];
    await first.service.sync();
    await second.service.sync();
    expect(await published(first)).toEqual(['192.0.2.1', '192.0.2.2']);
    await replica('192.0.2.9', byCount(2)).service.sync();
    expect(await published(first)).toEqual(['192.0.2.2', '192.0.2.9']);
    await second.service.stop();
    expect([await published(first), await sliced(first)]).toEqual([['192.0.2.9'], ['192.0.2.9']]);
  });

  test('The slice is that of the endpoints as they are when several servers write it', async () => {
    const controlled = new ControlledStore(store);
    const slow = replica('192.0.2.2', byCount(3), 0, controlled);
    await replica('192.0.2.1', byCount(3)).service.sync();
    const write = controlled.holdNext('update', '/registry/endpointslices/');
    const round = slow.service.sync();
    await write.reached;
    await replica('192.0.2.3', byCount(3)).service.sync();
    write.release();
    await round;
    expect([await published(slow), await sliced(slow)]).toEqual([
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    ]);
  });

  test('With --endpoint-reconciler-type=none the server publishes no endpoints', async () => {
    const none = replica('192.0.2.1', () => noReconciler);
    await none.service.sync();
    await none.service.stop();
    expect([await none.writer.find(endpointsName), (await none.registry.get('kubernetes')).spec.clusterIP]).toEqual([
      undefined,
      '10.0.0.1',
    ]);
  });
});
