import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { defaultConfig, type NodeAgentConfig } from '../config/config.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../pods/testing/simulated-node.ts';
import { createAllocations } from './allocations.ts';
import { CpuReconciler } from './cpu/cpu-reconciler.ts';
import { containerOf, machineOf, podWith } from './cpu/testing/topologies.ts';
import { openManagers } from './open-managers.ts';

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-states-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const gi = 2 ** 30;
const memoryBytes = 20 * gi;
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 10 * gi, hugePages: [], distances: [] }));
const staticCpus: Partial<NodeAgentConfig> = { cpuManagerPolicy: 'static', systemReserved: { cpu: '500m' } };

async function open(changes: Partial<NodeAgentConfig>, rootDir?: string, gates: Record<string, boolean> = {}) {
  const config = { ...defaultConfig, ...changes };
  const machine = { topology: machineOf({ sockets: 2, coresPerNuma: 4 }), numaNodes, memoryBytes };
  return createAllocations(
    await openManagers({ config, gates, rootDir: rootDir ?? (await folder()), machine, log: silentLogger }),
  );
}

const guaranteed = (uid: string, cpu: string) => podWith(uid, [containerOf('main', { cpu })]);

describe('What a node gives to containers', () => {
  test('A pod that does not fit is refused in the words of the manager', async () => {
    const allocations = await open(staticCpus);
    expect(await allocations.admit(guaranteed('a', '8'))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, ' +
        'which is unexpected',
    });
  });

  test.each([
    { policy: 'single-numa-node', cpu: '5', refused: 'TopologyAffinityError' },
    { policy: 'single-numa-node', cpu: '4', refused: undefined },
    { policy: 'restricted', cpu: '5', refused: undefined },
    { policy: 'best-effort', cpu: '5', refused: undefined },
  ])('With the policy $policy a pod with $cpu CPUs ends with $refused', async ({ policy, cpu, refused }) => {
    const allocations = await open({ ...staticCpus, topologyManagerPolicy: policy });
    const refusal = await allocations.admit(guaranteed('a', cpu));
    expect(refusal?.reason).toBe(refused);
    if (refused !== undefined) expect(refusal?.message).toBe('Resources cannot be allocated with Topology locality');
  });

  test.each([
    { scope: 'container', cpus: ['4-5', '6-7'] },
    { scope: 'pod', cpus: ['4-5', '6-7'] },
  ])('With the scope $scope the containers of a pod lie close together', async ({ scope, cpus }) => {
    const allocations = await open({
      ...staticCpus,
      topologyManagerPolicy: 'single-numa-node',
      topologyManagerScope: scope,
    });
    const taken = guaranteed('a', '3');
    const pod = podWith('b', [containerOf('x', { cpu: '2' }), containerOf('y', { cpu: '2' })]);
    expect(await allocations.admit(taken)).toBeUndefined();
    expect(await allocations.admit(pod)).toBeUndefined();
    expect(['x', 'y'].map((name) => allocations.cpusOf('b', name))).toEqual(cpus);
  });

  test('Containers are told their CPUs and the nodes of their memory', async () => {
    const allocations = await open({
      ...staticCpus,
      memoryManagerPolicy: 'Static',
      evictionHard: {},
      systemReserved: { cpu: '500m', memory: '1Gi' },
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
      topologyManagerPolicy: 'restricted',
    });
    const pod = guaranteed('a', '4');
    expect(await allocations.admit(pod)).toBeUndefined();
    expect(await allocations.grantOf(pod, 'main')).toMatchObject({ cpusetCpus: '4-7', cpusetMems: '1' });
  });

  test('Without policies containers are told nothing', async () => {
    const allocations = await open({});
    expect(allocations.isAsked(guaranteed('a', '2'))).toBe(false);
    expect(await allocations.grantOf(guaranteed('a', '2'), 'main')).toMatchObject({ cpusetCpus: '', cpusetMems: '' });
  });
});

describe('The states of before', () => {
  test('What containers have is kept over a restart of the agent', async () => {
    const root = await folder();
    const before = await open(staticCpus, root);
    await before.admit(guaranteed('a', '2'));
    expect(JSON.parse(await readFile(`${root}/cpu_manager_state`, 'utf8'))).toMatchObject({
      policyName: 'static',
      defaultCpuSet: '0,3-7',
      entries: { a: { main: '1-2' } },
    });
    const after = await open(staticCpus, root);
    expect(after.cpusOf('a', 'main')).toBe('1-2');
    expect(after.uids()).toEqual(['a']);
  });

  test.each([
    { name: 'another policy', file: 'cpu_manager_state', changes: staticCpus },
    { name: 'another policy of memory', file: 'memory_manager_state', changes: {} },
  ])('A state of $name keeps the agent from starting, with the file to delete', async ({ file, changes }) => {
    const root = await folder();
    await writeFile(`${root}/${file}`, '{"policyName":"other"}');
    await expect(open(changes, root)).rejects.toThrow(
      new RegExp(`could not restore state from checkpoint: .* differs from .*"${root}/${file}" before restarting`),
    );
  });

  test.each<{ name: string; changes: Partial<NodeAgentConfig>; message: string }>([
    {
      name: 'no reserved CPU',
      changes: { cpuManagerPolicy: 'static' },
      message: '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
    },
    {
      name: 'options of no policy',
      changes: { cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } },
      message: 'None policy: received unsupported options=map[full-pcpus-only:true]',
    },
    {
      name: 'reserved CPUs that are not there',
      changes: { reservedSystemCPUs: '0,9' },
      message: 'reservedSystemCPUs (--reserved-cpus) names CPUs that are not online: 9',
    },
    {
      name: 'sockets and single NUMA nodes',
      changes: {
        ...staticCpus,
        cpuManagerPolicyOptions: { 'align-by-socket': 'true' },
        topologyManagerPolicy: 'single-numa-node',
      },
      message: 'Topology manager Single numa policy is incompatible with CPUManager Align by socket policy option',
    },
  ])('A configuration with $name is refused', async ({ changes, message }) => {
    await expect(open(changes, undefined, { CPUManagerPolicyAlphaOptions: true })).rejects.toThrow(message);
  });
});

describe('Pods on a node with CPUs of their own', () => {
  const spec = { containers: [{ ...containerOf('main', { cpu: '2', memory: '1Gi' }), image: 'image:1' }] };

  test('A container starts on its CPUs, which come back when its pod has ended', async () => {
    const allocations = await open(staticCpus);
    const node = await simulateNode({ allocations });
    await node.context.cache.relist();
    node.workers.set({ ...podOf({ spec }), status: {} });
    await node.until(() => node.containers.calls.includes('startContainer main'));
    await node.settle();
    expect(allocations.cpusOf('uid-1', 'main')).toBe('1-2');
    expect(node.containers.configs.get('main')?.linux?.resources?.cpusetCpus).toBe('1-2');
    node.workers.remove('uid-1');
    await node.settle();
    expect(allocations.uids()).toEqual([]);
  });

  test('A pod that gets no CPUs has failed, and nothing of it stays', async () => {
    const allocations = await open(staticCpus);
    await allocations.admit(guaranteed('other', '6'));
    const node = await simulateNode({ allocations });
    await node.context.cache.relist();
    node.workers.set({ ...podOf({ spec }), status: {} });
    await node.until(() => node.statusOf()?.phase === 'Failed');
    expect(node.statusOf()).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
    expect(node.containers.calls).toEqual([]);
    expect(allocations.uids()).toEqual(['other']);
  });

  test('What a pod has that is gone when the agent starts again is given back', async () => {
    const allocations = await open(staticCpus);
    await allocations.admit(guaranteed('gone', '2'));
    const node = await simulateNode({ allocations });
    await node.clean();
    expect(allocations.uids()).toEqual([]);
  });
});

describe('Claims of pods', () => {
  const claims = (problem: () => string | undefined, calls: string[]) => ({
    prepare: ({ metadata: { uid } }: Pod) => {
      calls.push(`prepare ${uid}`);
      return problem() === undefined ? Promise.resolve() : Promise.reject(new Error(problem()));
    },
    unprepare: (uid: string) => Promise.resolve(void calls.push(`unprepare ${uid}`)),
    cdiDevicesOf: () => ['example.com/gpu=0'],
    uids: () => [],
  });

  async function node(problem: () => string | undefined, calls: string[]) {
    const config = { ...defaultConfig };
    const machine = { topology: machineOf({ sockets: 1, coresPerNuma: 2 }), numaNodes, memoryBytes };
    const managers = await openManagers({ config, gates: {}, rootDir: await folder(), machine, log: silentLogger });
    const simulated = await simulateNode({ allocations: createAllocations(managers, [], claims(problem, calls)) });
    await simulated.context.cache.relist();
    simulated.workers.set({ ...podOf({}), status: {} });
    return simulated;
  }

  test('Claims are ready before the sandbox is made, and taken back when the pod has ended', async () => {
    const calls: string[] = [];
    const simulated = await node(() => undefined, calls);
    await simulated.settle();
    expect(calls[0]).toBe('prepare uid-1');
    expect(simulated.containers.configs.get('main')?.CDIDevices).toEqual([{ name: 'example.com/gpu=0' }]);
    simulated.workers.remove('uid-1');
    await simulated.settle();
    expect(calls.at(-1)).toBe('unprepare uid-1');
  });

  test('A pod whose claims cannot be made ready says so, and tries again', async () => {
    let problem: string | undefined = 'no power';
    const simulated = await node(() => problem, []);
    await simulated.settle();
    expect(simulated.containers.calls).toEqual([]);
    expect(simulated.events).toEqual([
      'Warning FailedPrepareDynamicResources Failed to prepare dynamic resources: no power',
    ]);
    problem = undefined;
    await simulated.pass(11);
    expect(simulated.statusOf()?.phase).toBe('Running');
  });
});

test('The runtime is told once of CPUs that change, and again after a failure', async () => {
  const told: string[] = [];
  let cpus = '0-7';
  let fails = true;
  const reconciler = new CpuReconciler({
    allocations: { cpusOf: () => cpus },
    runtime: {
      updateContainerResources({ containerId, linux }) {
        told.push(`${containerId} ${linux?.cpusetCpus}`);
        return fails ? Promise.reject(new Error('busy')) : Promise.resolve({});
      },
    },
    running: () => [{ uid: 'a', name: 'main', containerId: 'c1' }],
    log: silentLogger,
  });
  await reconciler.reconcile();
  fails = false;
  await reconciler.reconcile();
  await reconciler.reconcile();
  cpus = '0-3';
  await reconciler.reconcile();
  expect(told).toEqual(['c1 0-7', 'c1 0-7', 'c1 0-3']);
});
