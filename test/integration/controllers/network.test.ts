import { expect, test, vi } from 'vitest';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { startControllerCluster } from './controller-cluster.ts';

test('A node gets a range of each family, and a node too many is told that there is none', async () => {
  const nodeIpam = {
    ...defaultControllerManagerOptions.nodeIpam,
    allocateNodeCidrs: true,
    clusterCidrs: ['10.1.0.0/24', 'fd00:1::/56'],
  };
  await using cluster = await startControllerCluster({ controllers: ['node-ipam-controller'], options: { nodeIpam } });
  const { nodes, events } = cluster.client.core.v1;
  await nodes.create({ metadata: { name: 'a' } });
  await vi.waitFor(async () => {
    const { spec } = await nodes.get('a');
    expect(spec).toMatchObject({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] });
  }, 5000);
  await nodes.create({ metadata: { name: 'b' } });
  await vi.waitFor(async () => {
    const { items } = await events.namespace('default').list();
    expect(items.map(({ reason, message }) => [reason, message])).toContainEqual([
      'CIDRNotAvailable',
      'Node b status is now: CIDRNotAvailable',
    ]);
  }, 5000);
  await nodes.delete('a');
  await vi.waitFor(async () => expect((await nodes.get('b')).spec?.podCIDR).toBe('10.1.0.0/24'), 10_000);
});

test('A range of service addresses is ready, and stays as long as a service has an address of it', async () => {
  let laterMs = 0;
  await using cluster = await startControllerCluster({
    controllers: ['service-cidr-controller'],
    serverFlags: ['--runtime-config=networking.k8s.io/v1beta1=true', '--feature-gates=MultiCIDRServiceAllocator=true'],
    wallTime: () => Date.now() + laterMs,
    featureGates: { MultiCIDRServiceAllocator: true },
  });
  const { servicecidrs } = cluster.client.networking.v1beta1;
  const services = cluster.client.core.v1.services.namespace('default');
  const condition = async (): Promise<unknown> => {
    const { metadata, status } = await servicecidrs.get('more');
    return [metadata.finalizers, status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason ?? ''])];
  };
  const finalizers = ['networking.k8s.io/service-cidr-finalizer'];
  await servicecidrs.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.77.0.0/24'] } });
  await vi.waitFor(async () => expect(await condition()).toEqual([finalizers, [['Ready', 'True', '']]]), 5000);
  await services.create({ metadata: { name: 'held' }, spec: { clusterIP: '10.77.0.7', ports: [{ port: 80 }] } });
  await servicecidrs.delete('more');
  await vi.waitFor(
    async () => expect(await condition()).toEqual([finalizers, [['Ready', 'False', 'Terminating']]]),
    5000,
  );
  // Servers may take addresses of it for ten seconds after it began to end.
  laterMs = 20_000;
  await services.delete('held');
  await vi.waitFor(
    async () => expect((await servicecidrs.list()).items.map(({ metadata }) => metadata.name)).toEqual(['kubernetes']),
    5000,
  );
});

test('Endpoints of a user are mirrored until the service has a selector', async () => {
  await using cluster = await startControllerCluster({ controllers: ['endpointslice-mirroring-controller'] });
  const { core, discovery } = cluster.client;
  const slices = async (): Promise<unknown> =>
    (
      await discovery.v1.endpointslices.namespace('default').list({ labelSelector: 'kubernetes.io/service-name=web' })
    ).items.map(({ endpoints }) => endpoints);
  await core.v1.services.namespace('default').create({ metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  await core.v1.endpoints.namespace('default').create({
    metadata: { name: 'web' },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
  });
  await vi.waitFor(async () => expect(await slices()).toMatchObject([[{ addresses: ['192.0.2.1'] }]]), 5000);
  await core.v1.services.namespace('default').patch('web', { merge: { spec: { selector: { app: 'web' } } } });
  await vi.waitFor(async () => expect(await slices()).toEqual([]), 5000);
});
