import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { createServiceClient } from '../../../grpc/service-client.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import { CpuSet } from '../cpu/cpu-set.ts';
import { containerOf, podWith } from '../cpu/testing/topologies.ts';
import { DeviceInventory } from '../devices/device-inventory.ts';
import { healthy, pluginDirectory } from '../devices/testing/simulated-plugin.ts';
import * as protocol from './gen/pod-resources.ts';
import { type PodResourcesSource, PodResourcesView } from './pod-resources.ts';
import { PodResourcesServer } from './pod-resources-server.ts';

const resource = 'example.com/gpu';
const sidecar = { ...containerOf('side', {}), restartPolicy: 'Always' as const };
const pod = podWith('p1', [containerOf('main', {})], [sidecar, containerOf('init', {})]);

async function serve(changes: Partial<PodResourcesSource> = {}) {
  const socket = path.join(await pluginDirectory(), 'pod-resources/kubelet.sock');
  const devices = new DeviceInventory();
  devices.setDevices(resource, [healthy('a', 1), healthy('b'), { ID: 'c', health: 'Unhealthy' }]);
  const granted = { uid: 'p1', container: 'main', resource, response: {} };
  devices.grant({ ...granted, devices: devices.byNode(resource, ['a', 'b']) });
  const memoryMap = { memory: { total: 9, systemReserved: 1, allocatable: 8, reserved: 0, free: 8 } };
  const view = new PodResourcesView({
    pods: () => [pod],
    cpus: {
      exclusiveOf: (uid, name) => (uid === 'p1' && name === 'main' ? CpuSet.parse('2-3') : undefined),
      allocatable: CpuSet.parse('1-3'),
    },
    memory: {
      blocksOf: (_, name) => (name === 'main' ? [{ numaAffinity: [0], type: 'memory', size: 4 }] : []),
      machine: { 0: { numberOfAssignments: 0, cells: [0], memoryMap } },
    },
    devices,
    answersGet: true,
    ...changes,
  });
  const clock = new FakeClock();
  const server = new PodResourcesServer(socket, view, clock);
  await server.start();
  const client = createServiceClient<protocol.Methods>(protocol, { path: socket, peer: 'agent', timeoutMs: 10_000 });
  onTestFinished(async () => {
    client.close();
    await server.stop();
  });
  return { ...client.calls, clock };
}

const devicesOfMain = [
  { resourceName: resource, deviceIds: ['b'] },
  { resourceName: resource, deviceIds: ['a'], topology: { nodes: [{ ID: 1n }] } },
];
const mainResources = {
  name: 'main',
  cpuIds: [2n, 3n],
  memory: [{ memoryType: 'memory', size: 4n, topology: { nodes: [{}] } }],
};
const listed = {
  name: 'p1',
  namespace: 'default',
  containers: [{ name: 'side' }, { ...mainResources, devices: expect.arrayContaining(devicesOfMain) }],
};

test('The resources of pods are listed, those of sidecars too, and of one pod', async () => {
  const { list, get } = await serve();
  expect(await list({})).toEqual({ podResources: [listed] });
  expect(await get({ podName: 'p1', podNamespace: 'default' })).toEqual({ podResources: listed });
});

test('What there is to allocate is told: CPUs, devices that are well, memory', async () => {
  const { getAllocatableResources } = await serve();
  expect(await getAllocatableResources({})).toEqual({
    cpuIds: [1n, 2n, 3n],
    devices: [
      { resourceName: resource, deviceIds: ['a'], topology: { nodes: [{ ID: 1n }] } },
      { resourceName: resource, deviceIds: ['b'] },
    ],
    memory: [{ memoryType: 'memory', size: 8n, topology: { nodes: [{}] } }],
  });
});

test('Devices of claims are told', async () => {
  const claim = { claimName: 'c', claimNamespace: 'default' };
  const { list } = await serve({ claims: (_, { name }) => (name === 'main' ? [claim] : []) });
  expect((await list({})).podResources?.[0]?.containers?.[1]?.dynamicResources).toEqual([claim]);
});

test.each([
  { name: 'of a pod that is not there', changes: {}, message: 'pod x in namespace default not found' },
  { name: 'without its gate', changes: { answersGet: false }, message: 'PodResources API Get method disabled' },
])('A question $name is refused', async ({ changes, message }) => {
  const { get } = await serve(changes);
  await expect(get({ podName: 'x', podNamespace: 'default' })).rejects.toThrow(message);
});

test('More than a hundred calls a second are refused', async () => {
  const { list, clock } = await serve();
  for (let call = 0; call < 10; call++) await list({});
  await expect(list({})).rejects.toMatchObject({
    code: GrpcCode.resourceExhausted,
    message: 'rejected by rate limit',
  });
  await clock.advance(10);
  await list({});
});
