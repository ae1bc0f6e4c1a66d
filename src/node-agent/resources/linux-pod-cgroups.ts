/**
 * Control groups of pods in the file system of Linux, with the driver `cgroupfs`: `kubepods`, below it one group for
 * each class of service, below that one for each pod. Containers are made below by the runtime.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/cgroups/ | About cgroup v2}
 */
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import type { Logger } from '../../base/logger.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { type PodCgroupLimits, podCgroupLimits, podCgroupName } from '../pods/config/pod-resources.ts';
import type { ResourceSettings } from '../pods/config/resources.ts';
import type { PodCgroups } from './pod-cgroups.ts';

export interface LinuxPodCgroupsOptions {
  /** Where hierarchies are mounted: `/sys/fs/cgroup`. */
  readonly mount: string;
  /** Below which `kubepods` lies; `/` for the top. */
  readonly root: string;
  readonly settings: ResourceSettings & { readonly podPidsLimit: number };
  readonly log: Logger;
}

/** Hierarchies of v1 in which pods have a group. */
const controllers = [
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'pids',
  'hugetlb',
  'blkio',
  'devices',
  'freezer',
  'net_cls',
  'perf_event',
  'systemd',
];

export function createLinuxPodCgroups(options: LinuxPodCgroupsOptions): PodCgroups {
  const { mount, root, settings, log } = options;
  const base = root === '/' ? '' : root;
  const hierarchies = async (): Promise<readonly string[]> => {
    if (settings.isCgroupV2) return [mount];
    const present = new Set(await readdir(mount).catch(() => []));
    return controllers.filter((name) => present.has(name)).map((name) => `${mount}/${name}`);
  };
  const write = async (path: string, value: string): Promise<void> => {
    await writeFile(path, value).catch((error: unknown) => log.debug({ err: error, path }, 'a limit could not be set'));
  };
  return {
    async ensure({ spec, metadata }) {
      const name = podCgroupName(spec, metadata.uid ?? '').join('/');
      const limits = podCgroupLimits(spec, settings);
      for (const hierarchy of await hierarchies()) {
        const path = `${hierarchy}${base}/${name}`;
        if ((await mkdir(path, { recursive: true }).catch(() => undefined)) === undefined) continue;
        if (settings.isCgroupV2) await passControllers(hierarchy, `${base}/${name}`, write);
        for (const [file, value] of limitFiles(hierarchy, limits, settings.isCgroupV2))
          await write(`${path}/${file}`, value);
      }
    },
    async remove(uid) {
      for (const hierarchy of await hierarchies())
        for (const parent of ['kubepods', 'kubepods/burstable', 'kubepods/besteffort'])
          await removeGroup(`${hierarchy}${base}/${parent}/pod${uid}`);
    },
    async uids() {
      const found = new Set<string>();
      for (const hierarchy of await hierarchies())
        for (const parent of ['kubepods', 'kubepods/burstable', 'kubepods/besteffort'])
          for (const entry of (await readdir(`${hierarchy}${base}/${parent}`).catch(undefinedWhenAbsent)) ?? [])
            if (entry.startsWith('pod')) found.add(entry.slice('pod'.length));
      return [...found];
    },
  };
}

/** In v2 a group has the limits that each group above it passes on. */
async function passControllers(
  mount: string,
  path: string,
  write: (path: string, value: string) => Promise<void>,
): Promise<void> {
  const available = (await readFile(`${mount}/cgroup.controllers`, 'utf8').catch(() => '')).split(/\s+/);
  const wanted = passedOn.filter((name) => available.includes(name));
  const parts = path.split('/').filter(Boolean);
  for (let above = mount, at = 0; at < parts.length; above = `${above}/${parts[at]}`, at++)
    for (const name of wanted) await write(`${above}/cgroup.subtree_control`, `+${name}`);
}

const passedOn = ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb', 'io'];

/** File and content, of one hierarchy. */
function limitFiles(hierarchy: string, limits: PodCgroupLimits, isV2: boolean): [string, string][] {
  const { cpuShares, cpuQuota, cpuPeriod, memoryBytes, pids } = limits;
  if (isV2)
    return [
      ['cpu.weight', String(1n + ((cpuShares - 2n) * 9999n) / 262_142n)],
      ...(cpuQuota === undefined ? [] : [['cpu.max', `${cpuQuota} ${cpuPeriod}`] as [string, string]]),
      ...(memoryBytes === undefined ? [] : [['memory.max', String(memoryBytes)] as [string, string]]),
      ...(pids === undefined ? [] : [['pids.max', String(pids)] as [string, string]]),
    ];
  switch (hierarchy.slice(hierarchy.lastIndexOf('/') + 1)) {
    case 'cpu':
      return [
        ['cpu.shares', String(cpuShares)],
        ...(cpuQuota === undefined
          ? []
          : ([
              ['cpu.cfs_period_us', String(cpuPeriod)],
              ['cpu.cfs_quota_us', String(cpuQuota)],
            ] as [string, string][])),
      ];
    case 'memory':
      return memoryBytes === undefined ? [] : [['memory.limit_in_bytes', String(memoryBytes)]];
    case 'pids':
      return pids === undefined ? [] : [['pids.max', String(pids)]];
    default:
      return [];
  }
}

/** With the groups below it. Processes that are left are killed first. */
async function removeGroup(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(undefinedWhenAbsent);
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(`${path}/${entry.name}`);
  const processes = (await readFile(`${path}/cgroup.procs`, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  for (const pid of processes) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
