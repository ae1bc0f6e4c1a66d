import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Machine } from '../../node/machine.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { runtimeOf } from '../testing/served-node.ts';
import { cadvisorMetrics } from './cadvisor-metrics.ts';

const containerId = 'c'.repeat(64);
const sandboxId = 'a'.repeat(64);
const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [] } } as unknown as Pod;
const labels = {
  'io.kubernetes.pod.name': 'p',
  'io.kubernetes.pod.namespace': 'n',
  'io.kubernetes.pod.uid': 'u',
  'io.kubernetes.container.name': 'main',
};
const machine: Machine = {
  cpus: 4,
  memoryBytes: 1000,
  hugePages: [],
  nodeFs: { capacityBytes: 0, availableBytes: 0, inodes: 0, inodesFree: 0 },
  machineId: 'm',
  systemUuid: 's',
  bootId: 'b',
  kernelVersion: '6.1',
  osImage: 'Linux',
  architecture: 'amd64',
};

const atMs = Date.parse('2026-01-02T03:04:05Z');
const podGroup = '/root/kubepods/besteffort/podu';
const groups = ['/', '/root/kubepods', '/root/kubepods/besteffort', podGroup];
const containers = [`${podGroup}/${containerId}`, `${podGroup}/${sandboxId}`];

/** The same figures in both versions. */
const files: Readonly<Record<'v1' | 'v2', Readonly<Record<string, string>>>> = {
  v1: {
    'cpuacct/cpuacct.usage': '2500000000\n',
    'cpuacct/cpuacct.stat': 'user 150\nsystem 100\n',
    'cpu/cpu.stat': 'nr_periods 7\nnr_throttled 3\nthrottled_time 500000000\n',
    'cpu/cpu.shares': '2\n',
    'cpu/cpu.cfs_quota_us': '50000\n',
    'cpu/cpu.cfs_period_us': '100000\n',
    'memory/memory.stat':
      'pgfault 1\npgmajfault 2\ntotal_cache 300\ntotal_rss 200\ntotal_pgfault 1\ntotal_pgmajfault 2\n' +
      'total_inactive_file 100\ntotal_active_file 50\ntotal_mapped_file 20\n',
    'memory/memory.usage_in_bytes': '1000\n',
    'memory/memory.max_usage_in_bytes': '1100\n',
    'memory/memory.limit_in_bytes': '9223372036854771712\n',
    'memory/memory.oom_control': 'oom_kill_disable 0\noom_kill 4\n',
    'memory/memory.failcnt': '5\n',
    'memory/cgroup.procs': '11\n',
    'pids/pids.current': '6\n',
    'pids/pids.max': 'max\n',
    'blkio/blkio.throttle.io_serviced': '8:0 Read 12\n8:0 Write 13\nTotal 25\n',
    'blkio/blkio.throttle.io_service_bytes': '8:0 Read 1200\n8:0 Write 1300\n9:9 Read 1\n',
  },
  v2: {
    'cgroup.procs': '11\n',
    'cpu.stat':
      'usage_usec 2500000\nuser_usec 1500000\nsystem_usec 1000000\n' +
      'nr_periods 7\nnr_throttled 3\nthrottled_usec 500000\n',
    'cpu.weight': '1\n',
    'cpu.max': '50000 100000\n',
    'memory.stat':
      'anon 200\nfile 300\nfile_mapped 20\ninactive_file 100\nactive_file 50\npgfault 1\npgmajfault 2\nkernel 9\n',
    'memory.current': '1000\n',
    'memory.peak': '1100\n',
    'memory.max': 'max\n',
    'memory.events': 'max 5\noom_kill 4\n',
    'pids.current': '6\n',
    'pids.max': 'max\n',
    'io.stat': '8:0 rbytes=1200 wbytes=1300 rios=12 wios=13 dbytes=0 dios=0\n9:9 rbytes=1\n',
  },
};

const machineFiles: Readonly<Record<string, string>> = {
  'proc/cpuinfo': [0, 1]
    .flatMap((core) => [core, core].map(() => `processor: 0\nphysical id\t: 0\ncore id\t\t: ${core}\n`))
    .join('\n'),
  'proc/meminfo': 'MemTotal: 100 kB\nSwapTotal:  4 kB\n',
  'proc/diskstats': '   8       0 sda 1 2 3 4000 5 6 7 8000 9 10000 11000 0 0\n',
  'proc/self/mounts': '/dev/sda / ext4 rw 0 0\n/dev/sda /again ext4 rw 0 0\nproc /proc proc rw 0 0\n',
  'proc/net/dev':
    'head\n lo: 1 1 1 1 1 1 1 1 1 1 1 1\n eth0: 10 11 12 13 0 0 0 0 20 21 22 23 0 0 0 0\n' +
    ' veth1: 1 1 1 1 1 1 1 1 1 1 1 1\n',
  'proc/11/net/dev': 'head\n eth0: 30 31 32 33 0 0 0 0 40 41 42 43 0 0 0 0\n',
  'proc/11/limits': 'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024      4096      files\n',
};

let folder: string;
const write = async (file: string, text: string): Promise<void> => {
  const at = path.join(folder, file);
  await mkdir(path.dirname(at), { recursive: true });
  await writeFile(at, text);
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-cadvisor-'));
  for (const version of ['v1', 'v2'] as const) {
    for (const [file, text] of Object.entries(machineFiles)) await write(path.join(version, file), text);
    await mkdir(path.join(folder, version, 'proc/11/fd'), { recursive: true });
    await symlink('/dev/null', path.join(folder, version, 'proc/11/fd/0'));
    await symlink('socket:[1]', path.join(folder, version, 'proc/11/fd/1'));
    for (const group of [...groups, ...containers])
      for (const [file, text] of Object.entries(files[version])) {
        const [controller, name] = file.includes('/') ? file.split('/') : ['', file];
        await write(path.join(version, 'sys/fs/cgroup', controller!, group, name!), text);
      }
  }
  await write('v2/sys/fs/cgroup/cgroup.controllers', 'cpu memory\n');
});
afterAll(() => rm(folder, { recursive: true }));

const read = (version: 'v1' | 'v2', calls?: Partial<ContainerRuntime>): Promise<string> =>
  cadvisorMetrics({
    cgroups: { root: '/root', driver: 'cgroupfs' },
    readMachine: () => Promise.resolve(machine),
    wallTime: () => atMs,
    root: path.join(folder, version),
    statfs: (() => Promise.resolve({ blocks: 100, bsize: 10, bfree: 40, files: 50, ffree: 20 })) as never,
    served: { pods: () => [pod] },
    runtime: runtimeOf(
      calls ?? {
        listPodSandbox: () => Promise.resolve({ items: [{ id: sandboxId, labels, createdAt: 1_000_000_000n }] }),
        listContainers: () =>
          Promise.resolve({
            containers: [{ id: containerId, labels, image: { image: 'i' }, createdAt: 2_000_000_000n }],
          }),
      },
    ),
  });

const line = (name: string, group: string, value: number, further = ''): string => {
  const isPod = group.startsWith(podGroup);
  const id = /[ac]{64}$/.exec(group)?.[0] ?? '';
  const [container, image] = id === containerId ? ['main', 'i'] : ['', ''];
  const [namespace, ofPod] = isPod ? ['n', 'p'] : ['', ''];
  const own = `container="${container}",id="${group}",image="${image}",name="${id}"`;
  const shown = `${own},namespace="${namespace}",pod="${ofPod}"`;
  return `container_${name}{${shown}${further}} ${value} ${atMs}`;
};

describe.each(['v1', 'v2'] as const)('Metrics of control groups of %s', (version) => {
  test.each([
    line('cpu_usage_seconds_total', '/', 2.5, ',cpu="total"'),
    line('cpu_usage_seconds_total', podGroup, 2.5, ',cpu="total"'),
    line('cpu_usage_seconds_total', containers[0]!, 2.5, ',cpu="total"'),
    line('cpu_user_seconds_total', containers[0]!, 1.5),
    line('cpu_system_seconds_total', containers[0]!, 1),
    line('cpu_cfs_periods_total', containers[0]!, 7),
    line('cpu_cfs_throttled_periods_total', containers[0]!, 3),
    line('cpu_cfs_throttled_seconds_total', containers[0]!, 0.5),
    line('memory_working_set_bytes', containers[0]!, 900),
    line('memory_usage_bytes', podGroup, 1000),
    line('memory_max_usage_bytes', podGroup, 1100),
    line('memory_rss', podGroup, 200),
    line('memory_cache', podGroup, 300),
    line('memory_mapped_file', podGroup, 20),
    line('memory_swap', podGroup, 0),
    line('memory_failcnt', podGroup, 5),
    line('memory_failures_total', podGroup, 2, ',failure_type="pgmajfault",scope="hierarchy"'),
    line('memory_total_active_file_bytes', podGroup, 50),
    line('oom_events_total', containers[0]!, 4),
    line('processes', containers[0]!, 1),
    line('threads', containers[0]!, 6),
    line('threads_max', containers[0]!, 0),
    line('file_descriptors', containers[0]!, 2),
    line('sockets', containers[0]!, 1),
    line('ulimits_soft', containers[0]!, 1024, ',ulimit="max_open_files"'),
    line('spec_cpu_shares', containers[0]!, 2),
    line('spec_cpu_quota', containers[0]!, 50_000),
    line('spec_cpu_period', containers[0]!, 100_000),
    line('spec_memory_limit_bytes', containers[0]!, 0),
    line('start_time_seconds', containers[0]!, 2),
    line('start_time_seconds', containers[1]!, 1),
    line('last_seen', containers[0]!, atMs / 1000),
    line('fs_reads_total', containers[0]!, 12, ',device="/dev/sda"'),
    line('fs_writes_bytes_total', containers[0]!, 1300, ',device="/dev/sda"'),
    line('network_receive_bytes_total', containers[1]!, 30, ',interface="eth0"'),
    line('network_transmit_packets_dropped_total', containers[1]!, 43, ',interface="eth0"'),
    line('network_receive_packets_total', '/', 11, ',interface="eth0"'),
    line('fs_limit_bytes', '/', 1000, ',device="/dev/sda"'),
    line('fs_usage_bytes', '/', 600, ',device="/dev/sda"'),
    line('fs_inodes_free', '/', 20, ',device="/dev/sda"'),
    line('fs_io_time_seconds_total', '/', 10, ',device="/dev/sda"'),
    'machine_cpu_cores{boot_id="b",machine_id="m",system_uuid="s"} 4',
    'machine_cpu_physical_cores{boot_id="b",machine_id="m",system_uuid="s"} 2',
    'machine_cpu_sockets{boot_id="b",machine_id="m",system_uuid="s"} 1',
    'machine_swap_bytes{boot_id="b",machine_id="m",system_uuid="s"} 4096',
    'container_scrape_error 0',
  ])('A scrape has the line %s', async (expected) => {
    expect((await read(version)).split('\n')).toContain(expected);
  });

  test('A family is described once, and no series is there twice', async () => {
    const lines = (await read(version)).trimEnd().split('\n');
    const types = lines.filter((text) => text.startsWith('# TYPE'));
    expect(new Set(types).size).toBe(types.length);
    const series = lines
      .filter((text) => !text.startsWith('#'))
      .map((text) => text.slice(0, text.indexOf('} ') + 1 || text.indexOf(' ')));
    expect(series.filter((name, index) => series.indexOf(name) !== index)).toEqual([]);
  });
});

test('A runtime that does not answer is an error of the containers, and the machine is there', async () => {
  const text = await read('v1', {});
  expect(text).toContain('container_scrape_error 1\n');
  expect(text).toContain('machine_memory_bytes{boot_id="b",machine_id="m",system_uuid="s"} 1000\n');
});
