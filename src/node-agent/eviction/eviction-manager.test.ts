import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Container, Pod, PodSpec } from '../../api/gen/types/core-v1.ts';
import { createEvictionMetrics } from '../metrics/eviction-metrics.ts';
import { EvictionManager, type EvictionManagerOptions, hasStorageLimit } from './eviction-manager.ts';
import { storageProblem } from './local-storage.ts';
import { memoryOf } from './observe.ts';
import { podProcesses } from './pod-processes.ts';
import { type ContainerUsage, type PodUsage, rankedForEviction } from './ranking.ts';
import { judge, noThresholdState, type Observations, type ThresholdSettings } from './thresholds.ts';

const Mi = 1 << 20;
const settings: ThresholdSettings = {
  hard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
  soft: { 'memory.available': '200Mi' },
  softGraceMs: { 'memory.available': 60_000 },
  minimumReclaim: { 'memory.available': '50Mi' },
  pressureTransitionMs: 300_000,
};
const left = (memoryMi: number, diskPercent = 50): Observations =>
  new Map([
    ['memory.available', { available: memoryMi * Mi, capacity: 1024 * Mi }],
    ['nodefs.available', { available: diskPercent * Mi, capacity: 100 * Mi }],
  ]);

describe('Thresholds of eviction', () => {
  test.each([
    { name: 'there is enough', memory: 300, disk: 50, met: [], pressures: [] },
    { name: 'memory is short', memory: 80, disk: 50, met: ['memory.available'], pressures: ['MemoryPressure'] },
    { name: 'the disk is full', memory: 300, disk: 5, met: ['nodefs.available'], pressures: ['DiskPressure'] },
    { name: 'a soft threshold has just been met', memory: 150, disk: 50, met: [], pressures: [] },
  ])('Pods are evicted for what is met when $name', ({ memory, disk, met, pressures }) => {
    const judged = judge(left(memory, disk), settings, noThresholdState, 0);
    expect(judged.met.map(({ signal }) => signal)).toEqual(met);
    expect(judged.pressures).toEqual(pressures);
  });

  test('A soft threshold counts when it was met for its time', () => {
    const first = judge(left(150), settings, noThresholdState, 0);
    expect(judge(left(150), settings, first.state, 59_999).met).toEqual([]);
    expect(judge(left(150), settings, first.state, 60_000).met).toMatchObject([{ isHard: false }]);
    const between = judge(left(300), settings, first.state, 30_000);
    expect(judge(left(150), settings, between.state, 60_000).met).toEqual([]);
  });

  test('What was met is over when the minimum is free as well', () => {
    const first = judge(left(80), settings, noThresholdState, 0);
    expect(judge(left(140), settings, first.state, 1).met).toMatchObject([{ isHard: true }]);
    expect(judge(left(151), settings, first.state, 1).met).toEqual([]);
  });

  test('A condition of pressure stays for its time', () => {
    const first = judge(left(80), settings, noThresholdState, 0);
    expect(judge(left(300), settings, first.state, 299_999).pressures).toEqual(['MemoryPressure']);
    expect(judge(left(300), settings, first.state, 300_000).pressures).toEqual([]);
  });

  test('Memory that the kernel gives back counts as available', () => {
    const text = 'MemTotal:  1000 kB\nMemFree:   100 kB\nInactive:  700 kB\nInactive(file):  200 kB\n';
    expect(memoryOf(text)).toEqual({ available: 300 * 1024, capacity: 1000 * 1024 });
  });
});

interface Shape {
  readonly processes?: number;
  readonly requests?: Record<string, string>;
  readonly limits?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly use?: Partial<ContainerUsage>;
  readonly volumes?: Record<string, number>;
}

function usageOf(
  name: string,
  { requests = {}, limits = {}, spec = {}, use = {}, volumes = {}, processes = 0 }: Shape,
): PodUsage {
  const containers: Container[] = [{ name: 'main', image: 'image:1', resources: { requests, limits } }];
  const pod = { metadata: { name, namespace: 'default', uid: name }, spec: { containers, ...spec }, status: {} } as Pod;
  return {
    pod,
    containers: new Map([['main', { memoryBytes: 0, diskBytes: 0, inodes: 0, ...use }]]),
    processes,
    volumes: new Map(Object.entries(volumes).map(([volume, bytes]) => [volume, { bytes, inodes: 1 }])),
  };
}

test('Pods that use more than they asked for go first, then those of a lower priority, then the larger ones', () => {
  const usages = [
    usageOf('within', { requests: { memory: '100Mi' }, use: { memoryBytes: 90 * Mi } }),
    usageOf('important', { spec: { priority: 10 }, use: { memoryBytes: 500 * Mi } }),
    usageOf('small', { use: { memoryBytes: 10 * Mi } }),
    usageOf('large', { use: { memoryBytes: 20 * Mi } }),
    usageOf('critical', { spec: { priority: 2_000_000_000 }, use: { memoryBytes: 900 * Mi } }),
  ];
  const ranked = rankedForEviction(usages, 'memory', () => false).map(({ pod }) => pod.metadata.name);
  expect(ranked).toEqual(['large', 'small', 'important', 'within']);
});

test('Where processes are short, pods of a lower priority go first, then those with more processes', async () => {
  const usages = [
    usageOf('few', { processes: 3 }),
    usageOf('important', { spec: { priority: 10 }, processes: 900 }),
    usageOf('many', { processes: 500 }),
  ];
  const ranked = rankedForEviction(usages, 'pids', () => false).map(({ pod }) => pod.metadata.name);
  expect(ranked).toEqual(['many', 'few', 'important']);
  const mount = await mkdtemp(`${tmpdir()}/orch-pids-`);
  onTestFinished(() => rm(mount, { recursive: true }));
  await mkdir(`${mount}/pids/orch/kubepods/besteffort/podfew`, { recursive: true });
  await writeFile(`${mount}/pids/orch/kubepods/besteffort/podfew/pids.current`, '17\n');
  const options = { cgroups: { root: '/orch', driver: 'cgroupfs' as const }, isCgroupV2: false, mount };
  expect(await podProcesses(usages[0]!.pod, options)).toBe(17);
  expect(await podProcesses(usages[2]!.pod, options)).toBe(0);
});

describe('Limits of the disk', () => {
  const withVolume = { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] };
  test.each<{ name: string; shape: Shape; problem: string | undefined }>([
    { name: 'no limit', shape: { use: { diskBytes: 99 * Mi } }, problem: undefined },
    { name: 'a volume within its limit', shape: { spec: withVolume, volumes: { v: Mi } }, problem: undefined },
    {
      name: 'a volume over its limit',
      shape: { spec: withVolume, volumes: { v: Mi + 1 } },
      problem: 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
    },
    {
      name: 'a container and a volume over the limit of all containers',
      shape: {
        limits: { 'ephemeral-storage': '2Mi' },
        spec: {},
        use: { diskBytes: Mi },
        volumes: { v: 2 * Mi },
      },
      problem: 'Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ',
    },
  ])('A pod is judged by what it uses: $name', ({ shape, problem }) => {
    expect(storageProblem(usageOf('web', shape))?.message).toBe(problem);
  });

  test('Only pods with a limit are measured', () => {
    expect(hasStorageLimit(usageOf('web', {}).pod)).toBe(false);
    expect(hasStorageLimit(usageOf('web', { spec: withVolume }).pod)).toBe(true);
    expect(hasStorageLimit(usageOf('web', { limits: { 'ephemeral-storage': '1' } }).pod)).toBe(true);
  });
});

interface Told {
  readonly done: string[];
}

function manage(
  observations: () => Observations,
  usages: readonly PodUsage[],
  more: Partial<EvictionManagerOptions> = {},
) {
  const told: Told = { done: [] };
  const manager = new EvictionManager({
    settings: { ...settings, maxPodGraceSeconds: 5, limitsStorage: true },
    observe: () => Promise.resolve(observations()),
    pods: () => usages.map(({ pod }) => pod),
    usages: (pods) => Promise.resolve(usages.filter(({ pod }) => pods.includes(pod))),
    isStatic: () => false,
    reclaimDisk: () => {
      told.done.push('reclaim');
      return Promise.resolve();
    },
    evict: ({ metadata }, { message, graceSeconds }) =>
      told.done.push(`evict ${metadata.name} ${graceSeconds}s ${message}`),
    event: (reason, message) => told.done.push(`${reason} ${message}`),
    condition: (message) => ({ type: 'DisruptionTarget', status: 'True', message }),
    nowMs: () => 0,
    ...more,
  });
  return { manager, ...told };
}

test('One pod is ended where memory is short, and told why', async () => {
  const { manager, done } = manage(
    () => left(80),
    [usageOf('a', { use: { memoryBytes: 10 * Mi } }), usageOf('b', { use: { memoryBytes: 30 * Mi } })],
  );
  await manager.look();
  expect(done).toEqual([
    'EvictionThresholdMet Attempting to reclaim memory',
    'evict b 1s The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. ' +
      'Container main was using 30Mi, request is 0, has larger consumption of memory. ',
  ]);
  expect(manager.pressures).toEqual(['MemoryPressure']);
});

test('No pod is ended where images and dead containers were all that filled the disk', async () => {
  let percent = 5;
  const { manager, done } = manage(() => left(300, percent), [usageOf('a', { use: { diskBytes: Mi } })], {
    reclaimDisk: () => {
      percent = 60;
      return Promise.resolve();
    },
  });
  await manager.look();
  expect(done).toEqual(['EvictionThresholdMet Attempting to reclaim ephemeral-storage']);
});

test('A pod over a limit of the disk is ended whatever the node has left', async () => {
  const { manager, done } = manage(
    () => left(300),
    [usageOf('a', { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] }, volumes: { v: 9 * Mi } })],
  );
  await manager.look();
  expect(done).toEqual(['evict a 1s Usage of EmptyDir volume "v" exceeds the limit "1Mi". ']);
});

test.each<{ name: string; memory: number; usages: PodUsage[]; evicted: string[]; aged: string[] }>([
  {
    name: 'memory is short',
    memory: 80,
    usages: [usageOf('a', { use: { memoryBytes: Mi } })],
    evicted: ['memory.available'],
    aged: ['memory.available'],
  },
  {
    name: 'a pod exceeds the limit of its volume',
    memory: 300,
    usages: [
      usageOf('a', { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] }, volumes: { v: 9 * Mi } }),
    ],
    evicted: ['emptydirfs.limit'],
    aged: [],
  },
  {
    name: 'a pod exceeds the limit of its containers',
    memory: 300,
    usages: [usageOf('a', { limits: { 'ephemeral-storage': '1' }, use: { diskBytes: 2 } })],
    evicted: ['ephemeralpodfs.limit'],
    aged: [],
  },
  { name: 'there is enough', memory: 300, usages: [usageOf('a', {})], evicted: [], aged: [] },
])('Evictions are counted by what was short when $name', async ({ memory, usages, evicted, aged }) => {
  const registry = new Registry();
  let now = 0;
  const { manager } = manage(() => left(memory), usages, {
    observer: createEvictionMetrics(registry),
    nowMs: () => (now += 50),
  });
  await manager.look();
  const lines = (await registry.metrics()).split('\n');
  const signals = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}{`)).map((line) => /eviction_signal="([^"]*)"/.exec(line)?.[1]);
  expect(signals('kubelet_evictions')).toEqual(evicted);
  expect(signals('kubelet_eviction_stats_age_seconds_count')).toEqual(aged);
  if (aged.length > 0)
    expect(lines).toContain('kubelet_eviction_stats_age_seconds_sum{eviction_signal="memory.available"} 0.1');
});
