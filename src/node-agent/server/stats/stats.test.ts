import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createApplication, createHandler } from '../application.ts';
import { ask, runtimeOf } from '../testing/served-node.ts';
import { CgroupReader } from './cgroup-usage.ts';
import { CpuRates } from './cpu-rate.ts';
import { parseDevices } from './network.ts';
import { NodeStats } from './node-stats.ts';
import { statsRoutes } from './stats-routes.ts';
import { VolumeFigures } from './volume-stats.ts';

let folder: string;
const write = async (file: string, text: string): Promise<void> => {
  const at = path.join(folder, file);
  await mkdir(path.dirname(at), { recursive: true });
  await writeFile(at, text);
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-stats-'));
  for (const [group, scale] of [
    ['', 10],
    ['kubepods', 2],
    ['runtime', 3],
    ['kubepods/besteffort/podu', 1],
  ] as const) {
    const v1 = (controller: string, name: string): string => path.join('v1/sys/fs/cgroup', controller, group, name);
    await write(v1('cpuacct', 'cpuacct.usage'), `${scale * 1_000_000_000}\n`);
    await write(v1('memory', 'memory.usage_in_bytes'), `${scale * 1000}\n`);
    await write(v1('memory', 'memory.limit_in_bytes'), group === 'kubepods' ? '1500\n' : '9223372036854771712\n');
    await write(
      v1('memory', 'memory.stat'),
      `cache 1\ntotal_inactive_file ${scale * 100}\ntotal_rss ${scale * 10}\ntotal_pgfault 7\ntotal_pgmajfault 3\n`,
    );
  }
  const v2 = (name: string): string => path.join('v2', name);
  await write(v2('cpu.stat'), 'usage_usec 2000\nuser_usec 1\n');
  await write(v2('memory.stat'), 'anon 300\nfile 500\ninactive_file 200\npgfault 1\npgmajfault 2\n');
  await write(v2('pod/memory.current'), '1000\n');
  await write(v2('pod/memory.max'), 'max\n');
  await write('v1/proc/meminfo', 'MemTotal: 100 kB\nSwapTotal: 4 kB\nSwapFree: 1 kB\n');
  await write('v1/proc/loadavg', '0.1 0.2 0.3 2/345 678\n');
  await write('v1/proc/sys/kernel/pid_max', '32768\n');
  await write('v1/proc/net/dev', 'Inter-|\n face |\n lo: 1 1\n eth0: 10 1 2 0 0 0 0 0 20 1 3 0 0 0 0 0\n');
  await write('v1/proc/net/route', 'Iface\tDestination\neth0\t00000000\t0\n');
  await write('logs/n_p_u/main/0.log', 'x'.repeat(100));
  await write('pods/u/volumes/kubernetes.io~empty-dir/scratch/file', 'x'.repeat(5000));
  await write('pods/u/volumes/kubernetes.io~nfs/pv-1/file', 'x');
  await write('pods/u/volumes/kubernetes.io~host-path/host/file', 'x');
  await write('v1/sys/fs/cgroup/pids/kubepods/besteffort/podu/pids.current', '3\n');
  await write('v1/sys/fs/cgroup/memory/kubepods/besteffort/podu/cc/cgroup.procs', '11\n');
  await write('v1/proc/11/net/dev', 'head\n lo: 1 1\n eth0: 30 1 4 0 0 0 0 0 40 1 5 0 0 0 0 0\n');
});
afterAll(() => rm(folder, { recursive: true }));

const pod: Pod = {
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: {
    containers: [{ name: 'main', image: 'i', resources: {} }],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'host', hostPath: { path: '/' } },
      { name: 'absent', emptyDir: {} },
    ],
  },
  status: {
    startTime: '2026-01-02T03:00:00Z',
    containerStatuses: [{ name: 'main', state: { running: { startedAt: '2026-01-02T03:00:01Z' } } } as never],
  },
};

let now = Date.parse('2026-01-02T03:04:05Z');

const statsOf = (listContainerStats?: () => Promise<object>, periodMs = 60_000, runtimeCgroups = ''): NodeStats =>
  new NodeStats({
    nodeName: 'node',
    rootDir: folder,
    podLogsDir: path.join(folder, 'logs'),
    groups: { root: '/', driver: 'cgroupfs' },
    startedAt: Date.parse('2026-01-01T00:00:00Z'),
    wallTime: () => now,
    root: path.join(folder, 'v1'),
    runtimeCgroups,
    volumes: new VolumeFigures({
      rootDir: folder,
      periodMs,
      clock: { now: () => now, after: () => ({ cancel: () => undefined }) },
      volumeOfClaim: (_, claim) => Promise.resolve(claim === 'data' ? 'pv-1' : undefined),
    }),
    served: { pods: () => [pod] },
    runtime: runtimeOf({
      listContainerStats:
        listContainerStats ??
        (() =>
          Promise.resolve({
            stats: [
              {
                attributes: { id: 'c', metadata: { name: 'main' }, labels: { 'io.kubernetes.pod.uid': 'u' } },
                cpu: { usageCoreNanoSeconds: { value: 5_000_000_000n } },
                memory: { workingSetBytes: { value: 640n } },
                writableLayer: { usedBytes: { value: 4096n }, inodesUsed: { value: 2n } },
              },
              { attributes: { id: 'x', labels: { 'io.kubernetes.pod.uid': 'other' } } },
            ],
          })),
    }),
  });

const served = (stats: NodeStats) => createHandler(createApplication([statsRoutes(stats, silentLogger)], silentLogger));

describe('What a node and its pods use', () => {
  test('The group of the container runtime is told where the operator names it', async () => {
    const { node } = await statsOf(undefined, 60_000, '/runtime').summary(true);
    expect(node.systemContainers.at(-1)).toMatchObject({
      name: 'runtime',
      cpu: { usageCoreNanoSeconds: 3_000_000_000 },
      memory: { workingSetBytes: 2700 },
    });
    const { node: without } = await statsOf().summary(true);
    expect(without.systemContainers.map(({ name }) => name)).toEqual(['pods', 'kubelet']);
  });

  test('The summary has CPU and memory of node, pods and containers, and rates from the second time on', async () => {
    const handle = served(statsOf());
    const read = async () =>
      JSON.parse((await ask(handle, 'GET', '/stats/summary?only_cpu_and_memory=true')).text) as {
        node: { cpu: object };
      };
    expect((await read()).node.cpu).not.toHaveProperty('usageNanoCores');
    now += 10_000;
    const time = '2026-01-02T03:04:15Z';
    expect(await read()).toMatchObject({
      node: {
        nodeName: 'node',
        startTime: '2026-01-01T00:00:00Z',
        cpu: { time, usageNanoCores: 0, usageCoreNanoSeconds: 10_000_000_000 },
        memory: {
          time,
          availableBytes: 102_400 - 9000,
          usageBytes: 10_000,
          workingSetBytes: 9000,
          rssBytes: 100,
          pageFaults: 7,
          majorPageFaults: 3,
        },
        systemContainers: [{ name: 'pods', memory: { availableBytes: 0, workingSetBytes: 1800 } }, { name: 'kubelet' }],
      },
      pods: [
        {
          podRef: { name: 'p', namespace: 'n', uid: 'u' },
          startTime: '2026-01-02T03:00:00Z',
          cpu: { usageCoreNanoSeconds: 1_000_000_000 },
          memory: { workingSetBytes: 900 },
          containers: [
            {
              name: 'main',
              startTime: '2026-01-02T03:00:01Z',
              cpu: { usageCoreNanoSeconds: 5_000_000_000 },
              memory: { workingSetBytes: 640 },
            },
          ],
        },
      ],
    });
  });

  test('The whole summary has disks, network, processes and swap too', async () => {
    const { node, pods } = await statsOf().summary(false);
    expect(node).toMatchObject({
      network: {
        name: 'eth0',
        rxBytes: 10,
        rxErrors: 2,
        txBytes: 20,
        txErrors: 3,
        interfaces: [{ name: 'eth0' }],
      },
      rlimit: { maxpid: 32_768, curproc: 345 },
      swap: { swapAvailableBytes: 1024, swapUsageBytes: 3072 },
    });
    expect(node.fs!.capacityBytes).toBeGreaterThan(0);
    const [{ containers, 'ephemeral-storage': storage, network, volume, process_stats } = { containers: [] }] = pods;
    const eth0 = { name: 'eth0', rxBytes: 30, rxErrors: 4, txBytes: 40, txErrors: 5 };
    expect(network).toMatchObject({ ...eth0, interfaces: [eth0] });
    expect(process_stats).toEqual({ process_count: 3 });
    expect(volume?.map(({ name, pvcRef, inodesUsed }) => ({ name, pvcRef, inodesUsed }))).toEqual([
      { name: 'data', pvcRef: { name: 'data', namespace: 'n' }, inodesUsed: 1 },
      { name: 'scratch', pvcRef: undefined, inodesUsed: 1 },
    ]);
    expect(volume![1]!.usedBytes).toBe(8192);
    const [{ rootfs, logs } = {}] = containers as readonly { rootfs?: object; logs?: { usedBytes: number } }[];
    expect(rootfs).toMatchObject({ usedBytes: 4096, inodesUsed: 2 });
    expect(storage!.usedBytes).toBe(4096 + logs!.usedBytes);
  });

  test('Volumes are measured again when volumeStatsAggPeriod is over, and with a negative one not at all', async () => {
    const stats = statsOf();
    const usedOf = async (of: NodeStats) =>
      (await of.summary(false)).pods[0]!.volume?.find(({ name }) => name === 'scratch')?.inodesUsed;
    expect(await usedOf(stats)).toBe(1);
    await write('pods/u/volumes/kubernetes.io~empty-dir/scratch/more', 'x');
    expect(await usedOf(stats)).toBe(1);
    now += 60_000;
    expect(await usedOf(stats)).toBe(2);
    expect(await usedOf(statsOf(undefined, -1))).toBeUndefined();
  });

  test('Metrics of resources are the same figures for Prometheus', async () => {
    const { text, headers } = await ask(served(statsOf()), 'GET', '/metrics/resource');
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      'container_cpu_usage_seconds_total{container="main",namespace="n",pod="p"} 5',
      'container_memory_working_set_bytes{container="main",namespace="n",pod="p"} 640',
      'container_start_time_seconds{container="main",namespace="n",pod="p"} 1767322801',
      'node_cpu_usage_seconds_total 10',
      'node_memory_working_set_bytes 9000',
      'pod_cpu_usage_seconds_total{namespace="n",pod="p"} 1',
      'pod_memory_working_set_bytes{namespace="n",pod="p"} 900',
      'resource_scrape_error 0',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('A runtime that does not answer is an error of the metrics', async () => {
    const handle = served(statsOf(() => Promise.reject(new Error('away'))));
    expect((await ask(handle, 'GET', '/metrics/resource')).text).toContain('resource_scrape_error 1\n');
    expect((await ask(handle, 'GET', '/stats/summary')).status).toBe(500);
  });
});

describe('What control groups say', () => {
  test.each([
    { name: 'of the whole machine', group: '/', memory: { usageBytes: 800, workingSetBytes: 600, rssBytes: 300 } },
    { name: 'that are not there', group: '/none', memory: undefined },
  ])('Files of version 2 are read: $name', async ({ group, memory }) => {
    const use = await new CgroupReader(path.join(folder, 'v2'), true).read(group);
    expect(use.cpuNanoSeconds).toBe(memory === undefined ? undefined : 2_000_000);
    if (memory === undefined) expect(use.memory).toBeUndefined();
    else expect(use.memory).toMatchObject({ ...memory, limitBytes: undefined });
  });

  test('A group of version 2 has a figure of its own, and max is no limit', async () => {
    const { memory } = await new CgroupReader(path.join(folder, 'v2'), true).read('/pod');
    expect(memory).toMatchObject({ usageBytes: 1000, limitBytes: undefined });
  });

  test.each([
    { name: 'the first reading', at: 0, used: 5e9, rate: undefined },
    { name: 'half a CPU in two seconds', at: 2000, used: 6e9, rate: 500_000_000 },
    { name: 'a reading at once shows the last rate', at: 2500, used: 9e9, rate: 500_000_000 },
    { name: 'a group that was made anew', at: 4000, used: 1e9, rate: undefined },
  ])('A rate comes from two readings: $name', ({ at, used, rate }) => {
    const rates = new CpuRates();
    const readings = [
      [0, 5e9],
      [2000, 6e9],
      [2500, 9e9],
      [4000, 1e9],
    ] as const;
    let last: number | undefined;
    for (const [atMs, nanoSeconds] of readings) {
      last = rates.next('a', nanoSeconds, atMs);
      if (atMs === at) break;
    }
    expect([used, last]).toEqual([used, rate]);
  });

  test('Lines of interfaces that cannot be read are passed over', () => {
    expect(parseDevices('nonsense\n eth0: 1 2\n\n')).toEqual([]);
  });
});
