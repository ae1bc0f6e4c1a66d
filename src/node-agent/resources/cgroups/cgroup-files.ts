/**
 * Control groups in the file system of Linux, of version 1 and 2: made, limited, listed and removed by their paths.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/cgroups/ | About cgroup v2}
 */
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import type { Logger } from '../../../base/logger.ts';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';

/** What is undefined stays as it is. */
export interface CgroupLimits {
  readonly cpuShares?: bigint | undefined;
  readonly cpuQuota?: bigint | undefined;
  readonly cpuPeriod?: number | undefined;
  readonly memoryBytes?: bigint | undefined;
  /** Kept from reclaim, in v2. */
  readonly memoryMinBytes?: bigint | undefined;
  readonly pids?: number | undefined;
  /** By size as the kernel names it: `2MB`. */
  readonly hugePages?: ReadonlyMap<string, bigint> | undefined;
}

export interface CgroupFilesOptions {
  /** Where hierarchies are mounted: `/sys/fs/cgroup`. */
  readonly mount: string;
  readonly isCgroupV2: boolean;
  readonly log: Logger;
}

/** Hierarchies of v1 in which groups are made. */
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
  // Without limits, beside the others: runtimes make groups there too.
  'unified',
];

/** What groups of v2 pass on to those below them. */
const passedOn = ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb', 'io'];

export class CgroupFiles {
  readonly #options: CgroupFilesOptions;
  /** Of v1, found once: the kernel keeps what is mounted there. */
  #found: readonly string[] = [];

  constructor(options: CgroupFilesOptions) {
    this.#options = options;
  }

  /** @returns whether it was not there. @param path `/kubepods/burstable` */
  async make(path: string): Promise<boolean> {
    let isNew = false;
    for (const hierarchy of await this.#hierarchies()) {
      if ((await mkdir(`${hierarchy}${path}`, { recursive: true }).catch(() => undefined)) === undefined) continue;
      isNew = true;
      if (this.#options.isCgroupV2) await this.#passControllers(hierarchy, path);
    }
    return isNew;
  }

  async exists(path: string): Promise<boolean> {
    const found = await Promise.all(
      (await this.#hierarchies()).map((hierarchy) => stat(`${hierarchy}${path}`).catch(undefinedWhenAbsent)),
    );
    return found.some((entry) => entry !== undefined);
  }

  /** A limit that the kernel does not take is told to the log. @returns why, for those that it knows */
  async limit(path: string, limits: CgroupLimits): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const hierarchy of await this.#hierarchies()) {
      if ((await stat(`${hierarchy}${path}`).catch(undefinedWhenAbsent)) === undefined) continue;
      for (const [file, value] of limitFiles(hierarchy, limits, this.#options.isCgroupV2))
        problems.push(...(await this.#write(`${hierarchy}${path}/${file}`, value)));
    }
    return problems;
  }

  /** Names of the groups below. */
  async list(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const hierarchy of await this.#hierarchies())
      for (const entry of (await readdir(`${hierarchy}${path}`, { withFileTypes: true }).catch(() => [])) ?? [])
        if (entry.isDirectory()) names.add(entry.name);
    return [...names];
  }

  /** With the groups below it. Processes that are left are killed first. */
  async remove(path: string): Promise<void> {
    for (const hierarchy of await this.#hierarchies()) await removeGroup(`${hierarchy}${path}`);
  }

  /** In each hierarchy. A process that has ended, or that the kernel does not let go, is passed over. */
  async move(path: string, pid: number): Promise<void> {
    for (const hierarchy of await this.#hierarchies())
      await this.#write(`${hierarchy}${path}/cgroup.procs`, String(pid));
  }

  /** Processes in the group itself, in any hierarchy. */
  async processes(path: string): Promise<readonly number[]> {
    const lists = (await this.#hierarchies()).map((hierarchy) =>
      readFile(`${hierarchy}${path}/cgroup.procs`, 'utf8').catch(() => ''),
    );
    return [...new Set((await Promise.all(lists)).flatMap((text) => text.split('\n').filter(Boolean).map(Number)))];
  }

  async #hierarchies(): Promise<readonly string[]> {
    const { mount, isCgroupV2 } = this.#options;
    if (isCgroupV2) return [mount];
    if (this.#found.length > 0) return this.#found;
    const present = new Set(await readdir(mount).catch(() => []));
    this.#found = controllers.filter((name) => present.has(name)).map((name) => `${mount}/${name}`);
    return this.#found;
  }

  /** In v2 a group has the limits that each group above it passes on. */
  async #passControllers(mount: string, path: string): Promise<void> {
    const available = (await readFile(`${mount}/cgroup.controllers`, 'utf8').catch(() => '')).split(/\s+/);
    const wanted = passedOn.filter((name) => available.includes(name));
    const parts = path.split('/').filter(Boolean);
    for (let above = mount, at = 0; at < parts.length; above = `${above}/${parts[at]}`, at++)
      for (const name of wanted) await this.#write(`${above}/cgroup.subtree_control`, `+${name}`);
  }

  /** A file that is not there is one that this kernel does not have: no problem. */
  async #write(path: string, value: string): Promise<readonly string[]> {
    try {
      await writeFile(path, value);
      return [];
    } catch (error) {
      this.#options.log.debug({ err: error, path }, 'a limit could not be set');
      const isThere = await stat(path).then(
        () => true,
        () => false,
      );
      return isThere ? [(error as Error).message] : [];
    }
  }
}

type File = [file: string, value: string];

/** In the files of one hierarchy. */
function limitFiles(hierarchy: string, limits: CgroupLimits, isV2: boolean): File[] {
  const { cpuShares, cpuQuota, cpuPeriod = 100_000, memoryBytes, memoryMinBytes, pids, hugePages = [] } = limits;
  const file = (name: string, value: unknown): File[] => (value === undefined ? [] : [[name, String(value)]]);
  const pages = (suffix: string): File[] =>
    [...hugePages].map(([size, bytes]): File => [`hugetlb.${size}.${suffix}`, String(bytes)]);
  if (isV2)
    return [
      ...file('cpu.weight', cpuShares === undefined ? undefined : weightOf(cpuShares)),
      ...file('cpu.max', cpuQuota === undefined ? undefined : `${cpuQuota < 0n ? 'max' : cpuQuota} ${cpuPeriod}`),
      ...file('memory.max', memoryBytes),
      ...file('memory.min', memoryMinBytes),
      ...file('pids.max', pids),
      ...pages('max'),
    ];
  switch (hierarchy.slice(hierarchy.lastIndexOf('/') + 1)) {
    case 'cpu':
      return [
        ...file('cpu.shares', cpuShares),
        ...(cpuQuota === undefined
          ? []
          : [...file('cpu.cfs_period_us', cpuPeriod), ...file('cpu.cfs_quota_us', cpuQuota)]),
      ];
    case 'memory':
      return file('memory.limit_in_bytes', memoryBytes);
    case 'pids':
      return file('pids.max', pids);
    case 'hugetlb':
      return pages('limit_in_bytes');
    default:
      return [];
  }
}

/** Shares of v1 from 2 to 262,144 are weights of v2 from 1 to 10,000. */
const weightOf = (shares: bigint): bigint => 1n + ((shares - 2n) * 9999n) / 262_142n;

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
