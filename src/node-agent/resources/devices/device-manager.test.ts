import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { podWith } from '../cpu/testing/topologies.ts';
import { anyNode, type Hint } from '../topology/hints.ts';
import { maskOf, nodesOf } from '../topology/numa-mask.ts';
import { DeviceManager } from './device-manager.ts';
import { devicePluginHandler, RegistrationServer } from './registration-server.ts';
import {
  healthy,
  pluginDirectory,
  type PluginShape,
  refusal,
  registerAt,
  startPlugin,
} from './testing/simulated-plugin.ts';

const resource = 'example.com/gpu';

const asking = (count: number, name = 'main') => {
  const amounts = { [resource]: String(count) };
  return { name, resources: { limits: amounts, requests: amounts } };
};
const podAsking = (uid: string, count: number): Pod => podWith(uid, [asking(count)]);

/** An agent over the directory. */
async function startAgent(directory: string, running: readonly string[] = []) {
  const clock = new FakeClock();
  const manager = new DeviceManager({
    checkpoint: path.join(directory, 'kubelet_internal_checkpoint'),
    numaNodes: [0, 1],
    isRunning: (uid) => running.includes(uid),
    clock,
    log: silentLogger,
  });
  const server = new RegistrationServer(directory, manager.plugins, silentLogger);
  await manager.restore();
  await server.start();
  const stop = async (): Promise<void> => {
    await server.stop();
    await manager.stop();
  };
  onTestFinished(stop);
  const allocatable = () => manager.plugins.amounts().allocatable[resource];
  return {
    manager,
    clock,
    stop,
    allocatable,
    becomes: (count: string | undefined) => expect.poll(allocatable).toBe(count),
    allocate: (pod: Pod, hint: Hint = anyNode) => manager.allocate(pod, pod.spec.containers![0]!, hint),
    idsOf: (uid: string) =>
      manager.inventory
        .grantsOf(uid)
        .flatMap(({ devices }) => [...devices.values()].flat())
        .sort(),
  };
}

/** An agent with a plugin whose devices it knows. */
async function start(shape: PluginShape = {}) {
  const directory = await pluginDirectory();
  const agent = await startAgent(directory);
  const devices = shape.devices ?? [healthy('a'), healthy('b'), healthy('c')];
  const plugin = await startPlugin(directory, { ...shape, devices });
  await registerAt(directory, { endpoint: plugin.name, resourceName: resource, options: shape.options });
  await agent.becomes(String(devices.filter(({ health }) => health === 'Healthy').length));
  return { ...agent, directory, plugin };
}

describe('Plugins of devices', () => {
  test('The devices of a plugin are resources of the node, those that are not well only in its capacity', async () => {
    const { manager, plugin } = await start({ devices: [healthy('a'), { ID: 'b', health: 'Unhealthy' }] });
    expect(manager.plugins.amounts()).toEqual({ capacity: { [resource]: '2' }, allocatable: { [resource]: '1' } });
    plugin.setDevices([healthy('a'), healthy('b'), healthy('c')]);
    await expect.poll(() => manager.plugins.amounts().allocatable).toEqual({ [resource]: '3' });
  });

  test('Devices of a plugin that is gone are not well, and after five minutes there are none', async () => {
    const { manager, plugin, becomes, clock } = await start();
    await plugin.stop();
    await becomes('0');
    expect(manager.plugins.amounts().capacity).toEqual({ [resource]: '3' });
    await clock.advance(300_000);
    expect(manager.plugins.amounts()).toEqual({ capacity: { [resource]: '0' }, allocatable: { [resource]: '0' } });
  });

  test('A plugin that registers again takes the place of the one before', async () => {
    const { directory, plugin, becomes } = await start();
    await plugin.stop();
    await becomes('0');
    const next = await startPlugin(directory, { name: 'next.sock', devices: [healthy('z')] });
    await registerAt(directory, { endpoint: next.name, resourceName: resource });
    await becomes('1');
  });

  test.each([
    {
      name: 'another version',
      request: { version: 'v1alpha' },
      message: 'requested API version "v1alpha" is not supported by kubelet. Supported version is "v1beta1"',
    },
    { name: 'no name of a resource', request: { resourceName: 'cpu' }, message: 'the ResourceName "cpu" is invalid' },
    {
      name: 'a socket elsewhere',
      request: { endpoint: '../../etc/x.sock' },
      message: 'the endpoint "../../etc/x.sock" is not the name of a socket',
    },
    {
      name: 'the socket of the agent',
      request: { endpoint: 'kubelet.sock' },
      message: 'the endpoint "kubelet.sock" is not the name of a socket',
    },
  ])('A plugin with $name is refused', async ({ request, message }) => {
    const directory = await pluginDirectory();
    await startAgent(directory);
    const registering = registerAt(directory, { endpoint: 'a.sock', resourceName: resource, ...request });
    await expect(registering).rejects.toThrow(message);
  });

  test('A plugin that lists too many devices is taken for gone', async () => {
    const { plugin, becomes } = await start();
    plugin.setDevices(Array.from({ length: 20_000 }, (_, index) => healthy(String(index))));
    await becomes('0');
  });

  test('A plugin that sends a list of more than 4 MiB is taken for gone', async () => {
    const { plugin, becomes } = await start();
    plugin.setDevices([healthy('x'.repeat(5 << 20))]);
    await becomes('0');
  });

  test('Plugins of the registry are asked for their options', async () => {
    const directory = await pluginDirectory();
    const { manager, becomes } = await startAgent(directory);
    const plugin = await startPlugin(directory, { devices: [healthy('a')] });
    const handler = devicePluginHandler(manager.plugins);
    const found = { name: resource, endpoint: path.join(directory, plugin.name), versions: ['v1beta1'] };
    handler.validate(found);
    expect(() => handler.validate({ ...found, versions: ['v1'] })).toThrow('speaks v1, and the agent v1beta1');
    await handler.register(found, new AbortController().signal);
    await becomes('1');
    await handler.deregister(resource);
    await becomes('0');
  });

  test('Sockets of plugins are removed when the agent starts, other files stay', async () => {
    const { directory, stop, plugin } = await start();
    await stop();
    await writeFile(path.join(directory, 'notes'), 'kept');
    await startAgent(directory);
    expect((await readdir(directory)).sort()).toEqual(['kubelet.sock', 'kubelet_internal_checkpoint', 'notes']);
    await plugin.stop();
  });
});

describe('Devices of containers', () => {
  test('A container has devices of its own, and what their plugin says', async () => {
    const { manager, allocate, plugin, idsOf } = await start({
      answer: (ids) => ({
        envs: { GPUS: ids.join() },
        mounts: [{ containerPath: '/lib/gpu', hostPath: '/opt/gpu', readOnly: true }],
        devices: ids.map((id) => ({ containerPath: `/dev/${id}`, hostPath: `/dev/gpu-${id}`, permissions: 'rw' })),
        annotations: { 'example.com/gpu': 'yes' },
        cdiDevices: ids.map((id) => ({ name: `example.com/gpu=${id}` })),
      }),
    });
    await allocate(podAsking('p1', 2));
    expect(idsOf('p1')).toEqual(['a', 'b']);
    expect(plugin.calls).toEqual(['allocate a b']);
    expect(await manager.grantOf(podAsking('p1', 2), 'main')).toEqual({
      environment: new Map([['GPUS', 'a,b']]),
      mounts: [{ containerPath: '/lib/gpu', hostPath: '/opt/gpu', readonly: true }],
      devices: [
        { containerPath: '/dev/a', hostPath: '/dev/gpu-a', permissions: 'rw' },
        { containerPath: '/dev/b', hostPath: '/dev/gpu-b', permissions: 'rw' },
      ],
      annotations: { 'example.com/gpu': 'yes' },
      cdiDevices: ['example.com/gpu=a', 'example.com/gpu=b'],
    });
  });

  test.each([
    {
      name: 'as many are not free',
      count: 4,
      message: `requested number of devices unavailable for ${resource}. Requested: 4, Available: 3`,
    },
    {
      name: 'none is well',
      shape: { devices: [{ ID: 'a', health: 'Unhealthy' }] },
      message: `no healthy devices present; cannot allocate unhealthy devices ${resource}`,
    },
    {
      name: 'their plugin refuses',
      shape: {
        answer: () => {
          throw refusal('busy');
        },
      },
      message: 'rpc error: code = Unavailable desc = busy',
    },
    {
      name: 'their plugin says nothing',
      shape: { answer: () => undefined },
      message: 'no containers return in allocation response',
    },
  ])('A container gets no devices when $name', async ({ count = 1, shape = {}, message }) => {
    const { allocate, idsOf } = await start(shape);
    await expect(allocate(podAsking('p1', count))).rejects.toThrow(message);
    expect(idsOf('p1')).toEqual([]);
  });

  test('Devices come back when their pod has ended', async () => {
    const { allocate, manager, idsOf } = await start();
    await allocate(podAsking('p1', 3));
    await expect(allocate(podAsking('p2', 1))).rejects.toThrow('Available: 0');
    manager.release('p1');
    await allocate(podAsking('p2', 1));
    expect(idsOf('p2')).toEqual(['a']);
  });

  test('Devices of an init container go to the containers after it', async () => {
    const { manager } = await start();
    const pod = podWith('p1', [asking(2)], [asking(3, 'init')]);
    for (const container of [...pod.spec.initContainers!, ...pod.spec.containers!])
      await manager.allocate(pod, container, anyNode);
    const [init, main] = manager.inventory.grantsOf('p1').map(({ devices }) => [...devices.values()].flat());
    expect([init, main]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]);
  });

  test('A plugin says which of the devices it prefers', async () => {
    const { allocate, plugin, idsOf } = await start({
      options: { getPreferredAllocationAvailable: true },
      prefers: ['c', 'unknown'],
    });
    await allocate(podAsking('p1', 2));
    expect(plugin.calls[0]).toBe('preferred a b c of 2');
    expect(idsOf('p1')).toEqual(['a', 'c']);
  });

  test('A plugin is asked before each start of a container, if it wants to be', async () => {
    let fails = false;
    const { allocate, plugin, manager } = await start({
      options: { preStartRequired: true },
      preStart: () => {
        if (fails) throw refusal('broken');
      },
    });
    const pod = podAsking('p1', 1);
    await allocate(pod);
    await manager.grantOf(pod, 'main');
    expect(plugin.calls).toEqual(['allocate a', 'preStart a']);
    fails = true;
    await expect(manager.grantOf(pod, 'main')).rejects.toThrow(
      'device plugin PreStartContainer rpc failed with err: rpc error: code = Unavailable desc = broken',
    );
  });
});

describe('Devices and NUMA nodes', () => {
  const devices = [healthy('a', 0), healthy('b', 1), healthy('c', 1), healthy('d')];
  const shown = (hints: readonly Hint[] | undefined): string[] | undefined =>
    hints?.map(({ affinity, preferred }) => `${nodesOf(affinity!).join('+')}${preferred ? '!' : ''}`);

  test.each([
    { count: 1, hints: ['0!', '1!', '0+1'] },
    { count: 2, hints: ['1!', '0+1'] },
    { count: 3, hints: ['0+1!'] },
    { count: 5, hints: [] },
  ])('For $count devices the nodes are $hints', async ({ count, hints }) => {
    const { manager } = await start({ devices });
    expect(shown(manager.hintsOfContainer(podAsking('p1', count), asking(count)).get(resource))).toEqual(hints);
    expect(shown(manager.hintsOfPod(podAsking('p1', count)).get(resource))).toEqual(hints);
  });

  test('Devices that lie nowhere need no node', async () => {
    const { manager } = await start();
    expect(manager.hintsOfContainer(podAsking('p1', 1), asking(1)).get(resource)).toBeUndefined();
  });

  test.each([
    { count: 2, ids: ['b', 'c'] },
    { count: 3, ids: ['a', 'b', 'c'] },
    { count: 4, ids: ['a', 'b', 'c', 'd'] },
  ])('$count devices are those of the node that is hinted at first', async ({ count, ids }) => {
    const { allocate, idsOf } = await start({ devices });
    await allocate(podAsking('p1', count), { affinity: maskOf([1]), preferred: true });
    expect(idsOf('p1')).toEqual(ids);
  });
});

describe('An agent that starts again', () => {
  test('A container that runs keeps its devices while their plugin is not there', async () => {
    const { directory, allocate, stop, plugin } = await start({ answer: () => ({ envs: { GPU: '1' } }) });
    await allocate(podAsking('p1', 2));
    await stop();
    await plugin.stop();
    const next = await startAgent(directory, ['p1']);
    await next.allocate(podAsking('p1', 2));
    expect(next.idsOf('p1')).toEqual(['a', 'b']);
    expect(next.manager.plugins.amounts()).toEqual({ capacity: { [resource]: '0' }, allocatable: { [resource]: '0' } });
    expect(next.manager.withGranted({ cpu: '2' })).toEqual({ cpu: '2', [resource]: '2' });
    expect((await next.manager.grantOf(podAsking('p1', 2), 'main')).environment.get('GPU')).toBe('1');
    const notRunning = podAsking('p2', 1);
    await expect(next.allocate(notRunning)).rejects.toThrow(
      `no healthy devices present; cannot allocate unhealthy devices ${resource}`,
    );
  });

  test('A container that does not run gets its devices again when they are well', async () => {
    const { directory, allocate, stop } = await start();
    await allocate(podAsking('p1', 2));
    await stop();
    const next = await startAgent(directory);
    await expect(next.allocate(podAsking('p1', 2))).rejects.toThrow('no healthy devices present');
    const plugin = await startPlugin(directory, { devices: [healthy('a'), { ID: 'b', health: 'Unhealthy' }] });
    await registerAt(directory, { endpoint: plugin.name, resourceName: resource });
    await next.becomes('1');
    await expect(next.allocate(podAsking('p1', 2))).rejects.toThrow(
      `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
    );
    plugin.setDevices([healthy('a'), healthy('b')]);
    await next.becomes('2');
    await next.allocate(podAsking('p1', 2));
    await expect(next.allocate(podAsking('p1', 1))).rejects.toThrow(
      `pod "p1" container "main" changed request for resource "${resource}" from 2 to 1`,
    );
  });

  test.each([
    { name: 'is no JSON', change: () => '{' },
    { name: 'was changed by hand', change: (text: string) => text.replace('"a"', '"b"') },
  ])('A checkpoint that $name is passed over', async ({ change }) => {
    const { directory, allocate, stop } = await start();
    await allocate(podAsking('p1', 1));
    await stop();
    const file = path.join(directory, 'kubelet_internal_checkpoint');
    await writeFile(file, change(await readFile(file, 'utf8')));
    expect((await startAgent(directory)).manager.uids()).toEqual([]);
  });
});
