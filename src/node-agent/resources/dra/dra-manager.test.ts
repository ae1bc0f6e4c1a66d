import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { ResourceClaim } from '../../../api/gen/types/resource-v1beta1.ts';
import { ServiceServer } from '../../../grpc/service-server.ts';
import { pluginDirectory } from '../devices/testing/simulated-plugin.ts';
import { formatClaims, parseClaims } from './claim-state.ts';
import { DraManager } from './dra-manager.ts';
import { DraPlugins } from './dra-plugins.ts';
import * as protocol from './gen/dra-plugin.ts';

const driver = 'gpu.example.com';

const podOf = (uid: string, request?: string): Pod =>
  ({
    metadata: { uid, name: uid, namespace: 'default' },
    spec: {
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }],
      containers: [
        { name: 'main', resources: { claims: [{ name: 'gpu', request }] } },
        { name: 'other', resources: {} },
      ],
    },
  }) as unknown as Pod;

const claimFor = (...uids: readonly string[]): ResourceClaim =>
  ({
    metadata: { uid: 'c1', name: 'shared', namespace: 'default' },
    spec: {},
    status: {
      reservedFor: uids.map((uid) => ({ resource: 'pods', name: uid, uid })),
      allocation: { devices: { results: [{ driver, pool: 'p', device: 'd0', request: 'big' }] } },
    },
  }) as unknown as ResourceClaim;

interface Shape {
  readonly claim?: ResourceClaim | undefined;
  readonly prepared?: () => protocol.NodePrepareResourcesResponse;
  readonly unprepared?: () => protocol.NodeUnprepareResourcesResponse;
}

const devices = [
  { requestNames: ['big'], poolName: 'p', deviceName: 'd0', cdiDeviceIds: ['example.com/gpu=0'] },
  { requestNames: ['small'], poolName: 'p', deviceName: 'd1', cdiDeviceIds: ['example.com/gpu=1'] },
];

async function start({ claim = claimFor('p1', 'p2'), prepared, unprepared }: Shape = {}) {
  const directory = await pluginDirectory();
  const endpoint = path.join(directory, 'dra.sock');
  const calls: string[] = [];
  const handlers = {
    nodePrepareResources({ claims = [] }: protocol.NodePrepareResourcesRequest) {
      calls.push(`prepare ${claims.map(({ uid, name, namespace }) => `${namespace}/${name} ${uid}`).join()}`);
      return prepared?.() ?? { claims: { c1: { devices } } };
    },
    nodeUnprepareResources({ claims = [] }: protocol.NodeUnprepareResourcesRequest) {
      calls.push(`unprepare ${claims.map(({ uid }) => uid).join()}`);
      return unprepared?.() ?? { claims: { c1: {} } };
    },
  };
  const server = new ServiceServer(endpoint, [{ tables: protocol, handlers }]);
  await server.listen();
  const plugins = new DraPlugins();
  onTestFinished(async () => {
    plugins.close();
    await server.close();
  });
  const plugin = { name: driver, endpoint, versions: ['v1beta1.DRAPlugin'] };
  plugins.validate(plugin);
  await plugins.register(plugin);
  const open = () =>
    new DraManager({
      checkpoint: path.join(directory, 'dra_manager_state'),
      plugins,
      readClaim: () => Promise.resolve(claim),
    });
  return { manager: open(), open, calls, plugins, directory };
}

describe('Claims of pods', () => {
  test('A driver makes a claim ready once, and takes it back after the last pod', async () => {
    const { manager, calls } = await start();
    await manager.prepare(podOf('p1'));
    await manager.prepare(podOf('p1'));
    await manager.prepare(podOf('p2'));
    expect(manager.uids()).toEqual(['p1', 'p2']);
    await manager.unprepare('p1');
    expect(calls).toEqual(['prepare default/shared c1']);
    await manager.unprepare('p2');
    await manager.unprepare('p2');
    expect(calls).toEqual(['prepare default/shared c1', 'unprepare c1']);
  });

  test.each([
    { name: 'all requests of a claim', request: undefined, ids: ['example.com/gpu=0', 'example.com/gpu=1'] },
    { name: 'one request', request: 'small', ids: ['example.com/gpu=1'] },
  ])('A container has the devices of $name, and another one has none', async ({ request, ids }) => {
    const { manager } = await start();
    const pod = podOf('p1', request);
    await manager.prepare(pod);
    expect(manager.cdiDevicesOf(pod, 'main')).toEqual(ids);
    expect(manager.cdiDevicesOf(pod, 'other')).toEqual([]);
    expect(manager.resourcesOf(pod, pod.spec.containers![0]!)).toMatchObject([
      {
        claimName: 'shared',
        claimNamespace: 'default',
        claimResources: ids.map((id) => ({ driverName: driver, cdiDevices: [{ name: id }] })),
      },
    ]);
  });

  test('A container whose claim is not ready does not start', async () => {
    const { manager } = await start();
    expect(() => manager.cdiDevicesOf(podOf('p1'), 'main')).toThrow(
      'unable to get claim info for claim gpu: claim info not found',
    );
  });

  test.each<Shape & { name: string; message: string }>([
    {
      name: 'is reserved for other pods',
      claim: claimFor('p9'),
      message: 'pod p1(p1) is not allowed to use resource claim shared(c1)',
    },
    {
      name: 'the driver refuses',
      prepared: () => ({ claims: { c1: { error: 'no power' } } }),
      message: 'NodePrepareResources failed for claim default/shared: no power',
    },
    { name: 'the driver leaves out', prepared: () => ({}), message: 'NodePrepareResources left out 1 claims' },
    {
      name: 'the driver cannot make ready now',
      prepared: () => {
        throw new Error('busy');
      },
      message: 'NodePrepareResources failed: rpc error: code = Unknown desc = busy',
    },
  ])('A claim that $name is not ready', async ({ message, ...shape }) => {
    const { manager } = await start(shape);
    await expect(manager.prepare(podOf('p1'))).rejects.toThrow(message);
    expect(manager.uids()).toEqual([]);
  });

  test('A claim of a driver that is not there is not ready', async () => {
    const { manager, plugins } = await start();
    await plugins.deregister(driver);
    await expect(manager.prepare(podOf('p1'))).rejects.toThrow(`failed to get gRPC client for driver ${driver}`);
  });

  test('A claim that the driver does not take back is asked for again', async () => {
    let error = 'in use';
    const { manager, calls } = await start({ unprepared: () => ({ claims: { c1: { error } } }) });
    await manager.prepare(podOf('p1'));
    await expect(manager.unprepare('p1')).rejects.toThrow(
      'NodeUnprepareResources failed for claim default/shared: in use',
    );
    error = '';
    await manager.unprepare('p1');
    expect(calls.filter((call) => call === 'unprepare c1')).toHaveLength(2);
    expect(manager.uids()).toEqual([]);
  });

  test('A pod without claims asks no driver', async () => {
    const { manager, calls } = await start();
    await manager.prepare({ ...podOf('p1'), spec: { containers: [] } } as unknown as Pod);
    expect(calls).toEqual([]);
  });
});

describe('Claims over a restart of the agent', () => {
  test('What is ready stays, and is taken back later', async () => {
    const { manager, open, calls, directory } = await start();
    await manager.prepare(podOf('p1'));
    const next = open();
    await next.restore();
    expect(next.cdiDevicesOf(podOf('p1'), 'main')).toEqual(['example.com/gpu=0', 'example.com/gpu=1']);
    await next.prepare(podOf('p1'));
    await next.unprepare('p1');
    expect(calls).toEqual(['prepare default/shared c1', 'unprepare c1']);
    expect(parseClaims(await readFile(path.join(directory, 'dra_manager_state'), 'utf8'))).toEqual([]);
  });

  test.each([
    { name: 'no JSON', text: '{', message: 'JSON' },
    { name: 'another checksum', text: formatClaims([]).replace(/\d+}$/, '1}'), message: 'checkpoint is corrupted' },
    { name: 'no data', text: '{"Checksum":0}', message: 'checkpoint is corrupted' },
  ])('A checkpoint with $name is refused', ({ text, message }) => {
    expect(() => parseClaims(text)).toThrow(message);
  });
});

test('A driver of another version is refused', () => {
  const plugins = new DraPlugins();
  expect(() => plugins.validate({ name: driver, endpoint: '/x', versions: ['v2'] })).toThrow(
    `DRA driver ${driver} speaks v2, and the agent v1beta1.DRAPlugin`,
  );
});
