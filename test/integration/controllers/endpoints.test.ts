import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

test('A service has the addresses of its ready pods, as Endpoints and as EndpointSlices', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['endpoints-controller', 'endpointslice-controller'],
  });
  const { core, discovery } = cluster.client;
  await core.v1.nodes.create({ metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } } });
  const services = core.v1.services.namespace('default');
  const pods = core.v1.pods.namespace('default');
  await services.create({
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], trafficDistribution: 'PreferClose' },
  });
  await pods.create({
    metadata: { name: 'a', labels: { app: 'web' } },
    spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'a', ports: [{ name: 'http', containerPort: 8080 }] }] },
  });
  const become = (status: 'True' | 'False'): Promise<unknown> =>
    pods.status.patch('a', {
      strategic: {
        status: { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }], conditions: [{ type: 'Ready', status }] },
      },
    });
  const slice = async (): Promise<unknown> => {
    const { items } = await discovery.v1.endpointslices
      .namespace('default')
      .list({ labelSelector: 'kubernetes.io/service-name=web' });
    return items.map(({ ports, endpoints }) => ({ ports, endpoints }));
  };
  const endpointPort = { name: '', protocol: 'TCP', port: 8080 };
  const endpoint = (ready: boolean): object => ({
    addresses: ['10.1.0.1'],
    conditions: { ready, serving: ready, terminating: false },
    nodeName: 'n1',
    zone: 'z1',
    ...(ready ? { hints: { forZones: [{ name: 'z1' }] } } : {}),
  });
  await become('True');
  await vi.waitFor(async () => {
    expect(await slice()).toMatchObject([{ ports: [endpointPort], endpoints: [endpoint(true)] }]);
    expect((await core.v1.endpoints.namespace('default').get('web')).subsets).toMatchObject([
      { addresses: [{ ip: '10.1.0.1', nodeName: 'n1' }], ports: [{ port: 8080, protocol: 'TCP' }] },
    ]);
  }, 5000);
  await become('False');
  await vi.waitFor(async () => {
    expect(await slice()).toMatchObject([{ ports: [endpointPort], endpoints: [endpoint(false)] }]);
    expect((await core.v1.endpoints.namespace('default').get('web')).subsets?.[0]).toMatchObject({
      notReadyAddresses: [{ ip: '10.1.0.1' }],
    });
  }, 5000);
  await pods.delete('a', { gracePeriodSeconds: 0 });
  await vi.waitFor(async () => {
    expect(await slice()).toEqual([{ ports: undefined, endpoints: undefined }]);
    expect((await core.v1.endpoints.namespace('default').get('web')).subsets).toBeUndefined();
  }, 5000);
});
