import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { ResourceSettings } from '../../pods/config/resources.ts';
import { cgroupPath } from './cgroup-path.ts';
import { createLinuxPodCgroups } from './linux-pod-cgroups.ts';
import { type NodeLimits, nodeLimits } from './node-limits.ts';

interface Shape {
  readonly isCgroupV2: boolean;
  readonly driver?: 'cgroupfs' | 'systemd';
  readonly limits?: NodeLimits;
  readonly settings?: Partial<ResourceSettings>;
  readonly pods?: readonly Pod[];
}

/** Directories in place of the file system of control groups: what is written to a file stays in it. */
async function groups({ isCgroupV2, driver = 'cgroupfs', limits = noLimits, settings = {}, pods = [] }: Shape) {
  const mount = await mkdtemp(path.join(tmpdir(), 'orch-cgroups-'));
  onTestFinished(() => rm(mount, { recursive: true }));
  if (isCgroupV2) await writeFile(`${mount}/cgroup.controllers`, 'cpu memory pids rdma\n');
  else for (const name of ['cpu', 'memory', 'pids', 'hugetlb']) await mkdir(`${mount}/${name}`);
  const events: string[] = [];
  const cgroups = createLinuxPodCgroups({
    mount,
    root: '/agent',
    driver,
    limits,
    pods: () => pods,
    settings: {
      cpuCfsQuota: true,
      cpuCfsQuotaPeriodUs: 100_000,
      memoryCapacity: 1n << 32n,
      isCgroupV2,
      podPidsLimit: 512,
      hugePageSizes: [],
      killsSingleProcess: false,
      swap: undefined,
      memoryQos: undefined,
      ...settings,
    },
    log: silentLogger,
    event: (...event) => void events.push(event.join(' ')),
  });
  return { cgroups, events, read: (file: string) => readFile(`${mount}/${file}`, 'utf8'), mount };
}

const noLimits: NodeLimits = { pods: {}, reserved: [], memoryReservedPercent: undefined };
const amounts = { cpu: '250m', memory: '64Mi' };
const guaranteed = {
  metadata: { uid: 'u1' },
  spec: { containers: [{ name: 'main', resources: { limits: amounts, requests: amounts } }] },
} as unknown as Pod;
const bestEffort = {
  metadata: { uid: 'u2' },
  spec: { containers: [{ name: 'main', resources: {} }] },
} as unknown as Pod;

test('A pod has its limits in one group of v2, and the groups above pass the controllers on', async () => {
  const { cgroups, read } = await groups({ isCgroupV2: true });
  await cgroups.ensure(guaranteed);
  const at = 'agent/kubepods/podu1';
  expect(await read(`${at}/cpu.weight`)).toBe('10');
  expect(await read(`${at}/cpu.max`)).toBe('25000 100000');
  expect(await read(`${at}/memory.max`)).toBe(String(64 << 20));
  expect(await read(`${at}/pids.max`)).toBe('512');
  for (const above of ['.', 'agent', 'agent/kubepods'])
    expect(await read(`${above}/cgroup.subtree_control`)).toBe('+pids');
});

test('A pod has a group in each hierarchy of v1, below its class of service', async () => {
  const { cgroups, read } = await groups({ isCgroupV2: false });
  await cgroups.ensure(bestEffort);
  expect(await read('cpu/agent/kubepods/besteffort/podu2/cpu.shares')).toBe('2');
  expect(await read('pids/agent/kubepods/besteffort/podu2/pids.max')).toBe('512');
  expect(await cgroups.uids()).toEqual(['u2']);
});

test('Beside the hierarchies of v1 nothing of a pod is left in that of v2', async () => {
  const { cgroups, mount } = await groups({ isCgroupV2: false });
  await mkdir(`${mount}/unified/agent/kubepods/besteffort/podu2`, { recursive: true });
  await cgroups.remove('u2');
  expect(await readdir(`${mount}/unified/agent/kubepods/besteffort`)).toEqual([]);
});

test('The group of a pod is taken away, and those of others stay', async () => {
  const { cgroups, mount } = await groups({ isCgroupV2: false });
  await cgroups.ensure(bestEffort);
  const parent = `${mount}/memory/agent/kubepods/besteffort`;
  await mkdir(`${parent}/podother`);
  for (const [file, hierarchy] of [
    ['cpu.shares', 'cpu'],
    ['pids.max', 'pids'],
  ] as const)
    await rm(`${mount}/${hierarchy}/agent/kubepods/besteffort/podu2/${file}`);
  await cgroups.remove('u2');
  expect(await readdir(parent)).toEqual(['podother']);
});

const burstable = {
  metadata: { uid: 'u3' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }] },
} as unknown as Pod;

const machine = {
  cpus: 4,
  memoryBytes: 2 ** 33,
  pids: 1000,
  hugePages: new Map([['2MB', 4_194_304n]]),
};

const reserving = {
  enforceNodeAllocatable: ['pods'],
  systemReserved: { cpu: '500m', memory: '1Gi', pid: '100' },
  kubeReserved: { cpu: '500m', memory: '1Gi' },
  systemReservedCgroup: '/system',
  kubeReservedCgroup: '/agents',
  qosReserved: {},
};

test('The limits of a pod are set once, also those of a group that was made before', async () => {
  const { cgroups, mount, read } = await groups({ isCgroupV2: true });
  const file = 'agent/kubepods/besteffort/podu2/pids.max';
  await mkdir(`${mount}/${path.dirname(file)}`, { recursive: true });
  await cgroups.ensure(bestEffort);
  expect(await read(file)).toBe('512');
  await writeFile(`${mount}/${file}`, '7');
  await cgroups.ensure(bestEffort);
  expect(await read(file)).toBe('7');
});

describe('What pods may use together', () => {
  test('All pods have what is not kept back, where that is enforced', async () => {
    const { cgroups, read } = await groups({ isCgroupV2: false, limits: nodeLimits(reserving, machine) });
    await cgroups.start();
    const of = (file: string): Promise<string> => read(`${file.split('.')[0]}/agent/kubepods/${file}`);
    expect(await read('cpu/agent/kubepods/cpu.shares')).toBe('3072');
    expect(await of('memory.limit_in_bytes')).toBe(String(2 ** 33 - 2 ** 31));
    expect(await of('pids.max')).toBe('900');
    expect(await of('hugetlb.2MB.limit_in_bytes')).toBe('4194304');
    expect(await read('cpu/agent/kubepods/besteffort/cpu.shares')).toBe('2');
  });

  test('All pods have all of the machine, where nothing is enforced', () => {
    const { pods } = nodeLimits({ ...reserving, enforceNodeAllocatable: ['none'] }, machine);
    expect(pods).toMatchObject({ cpuShares: 4096n, memoryBytes: 2n ** 33n, pids: 1000 });
  });

  test('What is kept back is limited in its own group', async () => {
    const enforced = {
      ...reserving,
      enforceNodeAllocatable: ['pods', 'system-reserved', 'kube-reserved-compressible'],
    };
    const { cgroups, events, read, mount } = await groups({
      isCgroupV2: false,
      limits: nodeLimits(enforced, machine),
    });
    for (const name of ['cpu', 'memory', 'pids'])
      for (const group of ['system', 'agents']) await mkdir(`${mount}/${name}/agent/${group}`, { recursive: true });
    await cgroups.start();
    expect(await read('cpu/agent/system/cpu.shares')).toBe('512');
    expect(await read('memory/agent/system/memory.limit_in_bytes')).toBe(String(2 ** 30));
    expect(await read('pids/agent/system/pids.max')).toBe('100');
    expect(await read('cpu/agent/agents/cpu.shares')).toBe('512');
    await expect(read('memory/agent/agents/memory.limit_in_bytes')).rejects.toThrow('ENOENT');
    expect(events).toEqual([
      'Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods',
      'Normal NodeAllocatableEnforced Updated limits on system reserved cgroup /system',
      'Normal NodeAllocatableEnforced Updated limits on kube reserved cgroup /agents',
    ]);
  });

  test('A limit of all pods that the kernel does not take is told, and tried again', async () => {
    const { cgroups, events, read, mount } = await groups({ isCgroupV2: true, limits: nodeLimits(reserving, machine) });
    const file = `${mount}/agent/kubepods/memory.max`;
    // A directory in place of the file cannot be written.
    await mkdir(file, { recursive: true });
    await cgroups.start();
    expect(events).toEqual([
      expect.stringContaining('Warning FailedNodeAllocatableEnforcement Failed to update Node Allocatable Limits'),
    ]);
    await rm(file, { recursive: true });
    await cgroups.updateClasses();
    await cgroups.updateClasses();
    expect(events.slice(1)).toEqual(['Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods']);
    expect(await read('agent/kubepods/memory.max')).toBe(String(2 ** 33 - 2 ** 31));
  });

  test('A group of what is kept back that is not there keeps the agent from starting', async () => {
    const limits = nodeLimits({ ...reserving, enforceNodeAllocatable: ['system-reserved'] }, machine);
    const { cgroups } = await groups({ isCgroupV2: true, limits });
    await expect(cgroups.start()).rejects.toThrow(
      'Failed to enforce system-reserved limits: there is no control group /agent/system',
    );
  });

  test('Burstable pods have CPU by what they ask for, also when another one comes', async () => {
    const pods = [burstable];
    const { cgroups, read } = await groups({ isCgroupV2: false, pods });
    await cgroups.start();
    expect(await read('cpu/agent/kubepods/burstable/cpu.shares')).toBe('512');
    pods.push({ ...burstable, metadata: { uid: 'u4' } });
    await cgroups.ensure(pods[1]!);
    expect(await read('cpu/agent/kubepods/burstable/cpu.shares')).toBe('1024');
  });

  test('Memory is kept back for the pods that asked for it', async () => {
    const limits = nodeLimits({ ...reserving, qosReserved: { memory: '50%' } }, machine);
    const { cgroups, read } = await groups({ isCgroupV2: false, limits, pods: [guaranteed, burstable] });
    await cgroups.start();
    const all = 2 ** 33 - 2 ** 31;
    const left = all - (64 << 20) / 2;
    expect(await read('memory/agent/kubepods/burstable/memory.limit_in_bytes')).toBe(String(left));
    expect(await read('memory/agent/kubepods/besteffort/memory.limit_in_bytes')).toBe(String(left - 2 ** 29));
  });

  test('Memory is kept from reclaim with the feature gate MemoryQoS', async () => {
    const settings = { memoryQos: { throttlingFactor: 0.9 } };
    const { cgroups, read } = await groups({ isCgroupV2: true, settings, pods: [burstable] });
    await cgroups.start();
    await cgroups.ensure(burstable);
    expect(await read('agent/kubepods/burstable/memory.min')).toBe(String(2 ** 30));
    expect(await read('agent/kubepods/burstable/podu3/memory.min')).toBe(String(2 ** 30));
  });
});

describe('Slices', () => {
  test('With the driver systemd groups are slices, which are found and removed again', async () => {
    const { cgroups, read, mount } = await groups({ isCgroupV2: true, driver: 'systemd' });
    await cgroups.ensure({ ...burstable, metadata: { uid: 'a-b' } });
    const parent = 'agent.slice/agent-kubepods.slice/agent-kubepods-burstable.slice';
    expect(await read(`${parent}/agent-kubepods-burstable-poda_b.slice/pids.max`)).toBe('512');
    expect(await cgroups.uids()).toEqual(['a-b']);
    await rm(`${mount}/${parent}/agent-kubepods-burstable-poda_b.slice`, { recursive: true });
    await mkdir(`${mount}/${parent}/agent-kubepods-burstable-poda_b.slice`);
    await cgroups.remove('a-b');
    expect(await cgroups.uids()).toEqual([]);
  });

  test.each([
    { names: ['kubepods', 'burstable', 'poda-b'], root: '/', path: '/kubepods/burstable/poda-b', driver: 'cgroupfs' },
    { names: ['kubepods'], root: '/a/b', path: '/a/b/kubepods', driver: 'cgroupfs' },
    {
      names: ['kubepods', 'poda-b'],
      root: '/',
      path: '/kubepods.slice/kubepods-poda_b.slice',
      driver: 'systemd',
    },
  ] as const)('The group $names below $root is at $path with $driver', ({ names, path: expected, ...settings }) => {
    expect(cgroupPath(names, settings)).toBe(expected);
  });
});

test('A pod has the huge pages that its containers may use', async () => {
  const { cgroups, read } = await groups({ isCgroupV2: false, settings: { hugePageSizes: [2 << 20, 2 ** 30] } });
  const amounts = { ...guaranteed.spec.containers![0]!.resources.limits, 'hugepages-2Mi': '4Mi' };
  await cgroups.ensure({
    ...guaranteed,
    spec: { containers: [{ name: 'a', resources: { limits: amounts, requests: amounts } }] },
  });
  const at = 'hugetlb/agent/kubepods/podu1';
  expect(await read(`${at}/hugetlb.2MB.limit_in_bytes`)).toBe('4194304');
  expect(await read(`${at}/hugetlb.1GB.limit_in_bytes`)).toBe('0');
});
