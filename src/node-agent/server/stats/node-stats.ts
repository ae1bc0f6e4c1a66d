/** What the node and its pods use, asked of the kernel and of the runtime when it is wanted. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { filesystemOf } from '../../node/read-machine.ts';
import { podCgroupName } from '../../pods/config/pod-resources.ts';
import type { ContainerStats, FilesystemUsage, ImageFsInfoResponse, SwapUsage } from '../../runtime/gen/cri.ts';
import { cgroupPath, type CgroupSettings } from '../../resources/cgroups/cgroup-path.ts';
import { type PodPorts, runtimeUid, uidLabel } from '../served-pods.ts';
import { CgroupReader, type CgroupUse, type MemoryUse, valuesOf } from './cgroup-usage.ts';
import { CpuRates } from './cpu-rate.ts';
import { networkOf, podNetwork } from './network.ts';
import type {
  ContainerSummary,
  CpuStats,
  FsStats,
  MemoryStats,
  NodeSummary,
  PodSummary,
  Summary,
  SwapStats,
  Used,
} from './summary.ts';
import type { VolumeFigures } from './volume-stats.ts';

export interface NodeStatsOptions extends PodPorts {
  readonly nodeName: string;
  readonly rootDir: string;
  readonly podLogsDir: string;
  /** Below which `kubepods` lies. */
  readonly groups: CgroupSettings;
  /** When the machine was started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Of the container runtime; empty: it is not told. */
  readonly runtimeCgroups: string;
  readonly volumes: Pick<VolumeFigures, 'of' | 'keepOnly'>;
  readonly wallTime: () => number;
  /** In front of the paths of the kernel, for tests. */
  readonly root?: string;
}

/** What is the same for all of one summary. */
interface Reading {
  readonly cgroups: CgroupReader;
  readonly time: string;
  /** Of the folder of pods; undefined where disks are not asked for. */
  readonly fs: FsStats | undefined;
}

export class NodeStats {
  readonly #options: NodeStatsOptions;
  readonly #rates = new CpuRates();
  readonly #startTime: string;

  constructor(options: NodeStatsOptions) {
    this.#options = options;
    this.#startTime = secondsOf(options.startedAt);
  }

  /** @param isShort only CPU and memory */
  async summary(isShort: boolean): Promise<Summary> {
    const { runtime, served, rootDir, volumes, wallTime } = this.#options;
    volumes.keepOnly(new Set(served.pods().map(runtimeUid)));
    const time = secondsOf(wallTime());
    const fs = isShort ? undefined : await fsOf(rootDir, time);
    const reading: Reading = { cgroups: await this.#cgroups(), time, fs };
    const node = await this.#node(reading, isShort);
    const { stats = [] } = await runtime.listContainerStats({});
    const pods = await Promise.all(
      served.pods().flatMap((pod) => {
        const own = stats.filter(({ attributes }) => attributes?.labels?.[uidLabel] === runtimeUid(pod));
        return own.length === 0 ? [] : [this.#pod(pod, own, reading)];
      }),
    );
    return { node, pods };
  }

  async #cgroups(): Promise<CgroupReader> {
    const mount = this.#at('/sys/fs/cgroup');
    const unified = stat(path.join(mount, 'cgroup.controllers')).then(
      () => true,
      () => false,
    );
    return new CgroupReader(mount, await unified);
  }

  async #node({ cgroups, time, fs }: Reading, isShort: boolean): Promise<NodeSummary> {
    const { nodeName, groups } = this.#options;
    const meminfo = valuesOf((await this.#text('/proc/meminfo')).replace(/:/g, ''));
    const capacity = (meminfo['MemTotal'] ?? 0) * 1024;
    const pods = await cgroups.read(cgroupPath(['kubepods'], groups));
    const summary: NodeSummary = {
      nodeName,
      systemContainers: [
        {
          name: 'pods',
          startTime: this.#startTime,
          ...this.#used('pods', pods, time, capacity),
          ...(isShort ? {} : swapOfGroup(pods, time)),
        },
        { ...this.#self(time, capacity), ...(isShort ? {} : { swap: { time, swapUsageBytes: 0 } }) },
        ...(await this.#runtime(cgroups, time, isShort)),
      ],
      startTime: this.#startTime,
      ...this.#used('/', await cgroups.read('/'), time, capacity),
    };
    if (isShort) return summary;
    const load = await this.#text('/proc/loadavg');
    const [total = 0, free = 0] = [meminfo['SwapTotal'], meminfo['SwapFree']];
    return {
      ...summary,
      network: await networkOf((file) => this.#text(file), time),
      ...(fs === undefined ? {} : { fs }),
      runtime: await this.#runtimeFs(time),
      rlimit: {
        time,
        maxpid: Number(await this.#text('/proc/sys/kernel/pid_max')),
        curproc: Number(/\/(\d+)/.exec(load)?.[1] ?? 0),
      },
      swap: { time, swapAvailableBytes: free * 1024, swapUsageBytes: (total - free) * 1024 },
    };
  }

  /** None where it is not said which group it runs in. */
  async #runtime(cgroups: CgroupReader, time: string, isShort: boolean): Promise<readonly ContainerSummary[]> {
    const { runtimeCgroups: group } = this.#options;
    if (group === '') return [];
    const used = await cgroups.read(group);
    const swap = isShort ? {} : swapOfGroup(used, time);
    return [{ name: 'runtime', startTime: this.#startTime, ...this.#used('runtime', used, time), ...swap }];
  }

  /** This process. */
  #self(time: string, capacity: number): ContainerSummary {
    const rss = process.memoryUsage.rss();
    const { user, system } = process.cpuUsage();
    const { minorPageFault: pageFaults, majorPageFault: majorPageFaults } = process.resourceUsage();
    return {
      name: 'kubelet',
      startTime: secondsOf(performance.timeOrigin),
      cpu: this.#cpu('kubelet', (user + system) * 1000, time),
      memory: {
        time,
        availableBytes: Math.max(0, capacity - rss),
        usageBytes: rss,
        workingSetBytes: rss,
        rssBytes: rss,
        pageFaults,
        majorPageFaults,
      },
    };
  }

  async #pod(pod: Pod, containers: readonly ContainerStats[], reading: Reading): Promise<PodSummary> {
    const { cgroups, time, fs } = reading;
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const group = cgroupPath(podCgroupName(pod.spec, runtimeUid(pod)), this.#options.groups);
    const use = await cgroups.read(group);
    const summaries = await Promise.all(containers.map((container) => this.#container(pod, container, reading)));
    const disks = summaries.flatMap(({ rootfs, logs }) => [rootfs, logs]).filter((disk) => disk !== undefined);
    return {
      podRef: { name, namespace, uid },
      startTime: pod.status?.startTime ?? time,
      containers: summaries,
      ...this.#used(uid, use, time),
      ...(fs === undefined
        ? {}
        : {
            ...(await this.#networkAndVolumes(pod, group, time)),
            ...swapOfGroup(use, time),
            ...(use.processes === undefined ? {} : { process_stats: { process_count: use.processes } }),
            'ephemeral-storage': {
              ...fs,
              usedBytes: disks.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
              inodesUsed: disks.reduce((sum, { inodesUsed }) => sum + inodesUsed, 0),
            },
          }),
    };
  }

  async #networkAndVolumes(pod: Pod, group: string, time: string): Promise<Pick<PodSummary, 'network' | 'volume'>> {
    const { volumes, root = '/' } = this.#options;
    const network = pod.spec.hostNetwork === true ? undefined : podNetwork(root, group, time);
    const volume = await volumes.of(pod, runtimeUid(pod), time);
    return { ...(network === undefined ? {} : { network }), ...(volume.length === 0 ? {} : { volume }) };
  }

  async #container(
    pod: Pod,
    { attributes, cpu, memory, writableLayer, swap }: ContainerStats,
    { time, fs }: Reading,
  ): Promise<ContainerSummary> {
    const name = attributes?.metadata?.name ?? '';
    const state = pod.status?.containerStatuses?.find((status) => status.name === name)?.state;
    const rootfs = fs === undefined || writableLayer === undefined ? undefined : usedOf(fs, writableLayer);
    const logs = fs === undefined ? undefined : await this.#logs(pod, name, fs);
    return {
      name,
      startTime: state?.running?.startedAt ?? pod.status?.startTime,
      cpu: this.#cpu(attributes?.id ?? '', Number(cpu?.usageCoreNanoSeconds?.value ?? 0), time),
      memory: { time, workingSetBytes: Number(memory?.workingSetBytes?.value ?? 0) },
      ...(swap === undefined || fs === undefined ? {} : { swap: swapOf(swap, time) }),
      ...(rootfs === undefined ? {} : { rootfs }),
      ...(logs === undefined ? {} : { logs }),
    };
  }

  async #logs({ metadata }: Pod, container: string, fs: FsStats): Promise<FsStats | undefined> {
    const { namespace, name, uid } = metadata;
    const folder = path.join(this.#options.podLogsDir, `${namespace}_${name}_${uid}`, container);
    try {
      const files = await readdir(folder);
      const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).blocks * 512));
      return { ...fs, usedBytes: sizes.reduce((sum, size) => sum + size, 0), inodesUsed: files.length + 1 };
    } catch {
      return undefined;
    }
  }

  #used(name: string, { cpuNanoSeconds, memory }: CgroupUse, time: string, capacity?: number): Used {
    return {
      ...(cpuNanoSeconds === undefined ? {} : { cpu: this.#cpu(name, cpuNanoSeconds, time) }),
      ...(memory === undefined ? {} : { memory: memoryStats(memory, time, capacity) }),
    };
  }

  #cpu(name: string, nanoSeconds: number, time: string): CpuStats {
    const rate = this.#rates.next(name, nanoSeconds, this.#options.wallTime());
    return { time, ...(rate === undefined ? {} : { usageNanoCores: rate }), usageCoreNanoSeconds: nanoSeconds };
  }

  async #runtimeFs(time: string): Promise<NonNullable<NodeSummary['runtime']>> {
    const info: ImageFsInfoResponse = await this.#options.runtime.imageFsInfo({}).catch(() => ({}));
    const [images] = info.imageFilesystems ?? [];
    const [containers = images] = info.containerFilesystems ?? [];
    const of = async (use: FilesystemUsage | undefined): Promise<FsStats | undefined> => {
      const fs = use === undefined ? undefined : await fsOf(use.fsId?.mountpoint ?? '/', time);
      return use === undefined || fs === undefined ? undefined : usedOf(fs, use);
    };
    const [imageFs, containerFs] = [await of(images), await of(containers)];
    return { ...(imageFs === undefined ? {} : { imageFs }), ...(containerFs === undefined ? {} : { containerFs }) };
  }

  #at(file: string): string {
    return path.join(this.#options.root ?? '/', file);
  }

  #text(file: string): Promise<string> {
    return readFile(this.#at(file), 'utf8').catch(() => '');
  }
}

/** Undefined for a folder that is not there. */
async function fsOf(folder: string, time: string): Promise<FsStats | undefined> {
  try {
    const { capacityBytes, availableBytes, inodes, inodesFree } = await filesystemOf(folder);
    const usedBytes = capacityBytes - availableBytes;
    return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed: inodes - inodesFree };
  } catch {
    return undefined;
  }
}

const swapOfGroup = ({ swapBytes }: CgroupUse, time: string): { readonly swap?: SwapStats } =>
  swapBytes === undefined ? {} : { swap: { time, swapUsageBytes: swapBytes } };

const swapOf = ({ swapAvailableBytes, swapUsageBytes }: SwapUsage, time: string): SwapStats => ({
  time,
  ...(swapAvailableBytes === undefined ? {} : { swapAvailableBytes: Number(swapAvailableBytes.value ?? 0) }),
  swapUsageBytes: Number(swapUsageBytes?.value ?? 0),
});

const usedOf = (fs: FsStats, { usedBytes, inodesUsed }: FilesystemUsage): FsStats => ({
  ...fs,
  usedBytes: Number(usedBytes?.value ?? 0),
  inodesUsed: Number(inodesUsed?.value ?? 0),
});

function memoryStats({ limitBytes, ...used }: MemoryUse, time: string, capacity: number | undefined): MemoryStats {
  const most = limitBytes ?? capacity;
  return {
    time,
    ...(most === undefined
      ? {}
      : { availableBytes: Math.max(0, Math.min(most, capacity ?? most) - used.workingSetBytes) }),
    ...used,
  };
}

const secondsOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
