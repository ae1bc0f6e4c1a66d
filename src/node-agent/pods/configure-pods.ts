/** What of the agent's settings, and of the machine, concerns pods. */
import { readFile, stat } from 'node:fs/promises';
import { isGateOn } from '../../api/feature-gates.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { parseDuration } from '../../machinery/duration.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import { usualMaxMs } from '../pod-lifecycle/back-off.ts';
import type { Machine } from '../node/machine.ts';
import { bytesOf } from '../node/machine-files.ts';
import type { CgroupSettings } from '../resources/cgroups/cgroup-path.ts';
import { nodeLimits } from '../resources/cgroups/node-limits.ts';
import { type ContainerRuntime, isUnimplemented } from '../runtime/container-runtime.ts';
import { kernelPageSize } from './config/huge-pages.ts';
import { parseResolvConf } from './config/dns.ts';
import type { PodsConfig } from './pods-config.ts';
import type { ChangeDetection } from './referred/object-reader.ts';

export interface PodsMachine {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly hugePages: Machine['hugePages'];
  /** Processes and threads at a time. */
  readonly maxPids: number;
  readonly isCgroupV2: boolean;
  /** Bytes; undefined where the kernel does not count what a group swaps. */
  readonly swapBytes: number | undefined;
  /** As the container runtime says it; undefined where it does not. */
  readonly cgroupDriver: CgroupSettings['driver'] | undefined;
  /** Content of the file that `resolvConf` names; undefined when it names none. */
  readonly resolvConf: string | undefined;
}

/** Rejects when `resolvConf` cannot be read. */
export async function readPodsMachine(
  { config }: Pick<NodeAgentSettings, 'config'>,
  { cpus, memoryBytes, hugePages }: Pick<Machine, 'cpus' | 'memoryBytes' | 'hugePages'>,
  runtime: Pick<ContainerRuntime, 'runtimeConfig'>,
): Promise<PodsMachine> {
  const isCgroupV2 = await isUnified();
  const resolvConf = config.resolvConf === '' ? undefined : await readFile(config.resolvConf, 'utf8');
  return {
    cpus,
    memoryBytes,
    hugePages,
    maxPids: Number(await readFile('/proc/sys/kernel/pid_max', 'utf8')),
    isCgroupV2,
    swapBytes: (await countsSwap(isCgroupV2)) ? await readSwapBytes() : undefined,
    cgroupDriver: await driverOf(runtime),
    resolvConf,
  };
}

const cgroupMount = '/sys/fs/cgroup';

/** Whether control groups are those of version 2. */
export const isUnified = async (): Promise<boolean> =>
  (await stat(`${cgroupMount}/cgroup.controllers`).catch(undefinedWhenAbsent)) !== undefined;

/** The groups at the top have no limit of swap: the group of this process is asked in v2. */
async function countsSwap(isCgroupV2: boolean): Promise<boolean> {
  if (!isCgroupV2)
    return (await stat(`${cgroupMount}/memory/memory.memsw.limit_in_bytes`).catch(undefinedWhenAbsent)) !== undefined;
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  return (await stat(`${cgroupMount}${own}/memory.swap.max`).catch(undefinedWhenAbsent)) !== undefined;
}

const readSwapBytes = async (): Promise<number> => bytesOf(await readFile('/proc/meminfo', 'utf8'), 'SwapTotal') ?? 0;

/** Runtimes before containerd 2.0 do not say it. */
async function driverOf(runtime: Pick<ContainerRuntime, 'runtimeConfig'>): Promise<PodsMachine['cgroupDriver']> {
  try {
    const { linux } = await runtime.runtimeConfig({});
    if (linux === undefined) return undefined;
    return linux.cgroupDriver === 'CGROUPFS' ? 'cgroupfs' : 'systemd';
  } catch (error) {
    if (isUnimplemented(error)) return undefined;
    throw error;
  }
}

export function podsConfigOf(
  settings: Omit<NodeAgentSettings, 'certDir' | 'kubeconfig' | 'bootstrapKubeconfig'>,
  machine: PodsMachine,
): PodsConfig {
  const { config, nodeName, rootDir, credentialProviders, featureGates } = settings;
  const { memoryBytes, isCgroupV2, resolvConf, hugePages, swapBytes } = machine;
  return {
    credentialProviders,
    nodeName,
    rootDirectory: rootDir,
    podLogsDirectory: config.podLogsDir,
    containerLogsDirectory: '/var/log/containers',
    dns: {
      clusterDns: config.clusterDNS,
      clusterDomain: config.clusterDomain,
      resolvConf: resolvConf === undefined ? undefined : parseResolvConf(resolvConf),
    },
    cgroups: {
      root: config.cgroupRoot || '/',
      driver: machine.cgroupDriver ?? (config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs'),
    },
    nodeLimits: nodeLimits(config, {
      cpus: machine.cpus,
      memoryBytes,
      pids: machine.maxPids,
      hugePages: new Map(
        hugePages.map(({ sizeBytes, count }) => [kernelPageSize(sizeBytes), BigInt(sizeBytes * count)]),
      ),
    }),
    cgroupsPerQos: config.cgroupsPerQOS,
    podPidsLimit: config.podPidsLimit,
    resources: {
      cpuCfsQuota: config.cpuCFSQuota,
      cpuCfsQuotaPeriodUs: Math.round(config.cpuCFSQuotaPeriod * 1000),
      memoryCapacity: BigInt(memoryBytes),
      isCgroupV2,
      hugePageSizes: hugePages.map(({ sizeBytes }) => sizeBytes),
      killsSingleProcess: config.singleProcessOOMKill === true,
      swap:
        swapBytes === undefined || !isGateOn('NodeSwap', featureGates)
          ? undefined
          : { isLimited: config.memorySwap.swapBehavior === 'LimitedSwap', capacity: BigInt(swapBytes) },
      memoryQos:
        isCgroupV2 && isGateOn('MemoryQoS', featureGates)
          ? { throttlingFactor: config.memoryThrottlingFactor }
          : undefined,
    },
    seccompDefault: config.seccompDefault,
    gates: {
      hasUserNamespaces: isGateOn('UserNamespacesSupport', featureGates),
      hasResize: isGateOn('InPlacePodVerticalScaling', featureGates),
      hasImageVolumes: isGateOn('ImageVolume', featureGates),
      hasTrustBundles: isGateOn('ClusterTrustBundleProjection', featureGates),
    },
    hasExclusiveResources: config.cpuManagerPolicy === 'static' || config.memoryManagerPolicy === 'Static',
    maxPods: config.maxPods,
    syncFrequencyMs: config.syncFrequency,
    maxRestartDelayMs: config.crashLoopBackOff.maxContainerRestartPeriod ?? usualMaxMs,
    changeDetection: config.configMapAndSecretChangeDetectionStrategy as ChangeDetection,
    staticPods: {
      path: config.staticPodPath,
      url: config.staticPodURL,
      headers: config.staticPodURLHeader,
      fileCheckMs: config.fileCheckFrequency,
      urlCheckMs: config.httpCheckFrequency,
    },
    allowedUnsafeSysctls: config.allowedUnsafeSysctls,
    images: {
      isSerial: config.serializeImagePulls,
      maxParallel: config.maxParallelImagePulls,
      qps: config.registryPullQPS,
      burst: config.registryBurst,
      limits: {
        highPercent: config.imageGCHighThresholdPercent,
        lowPercent: config.imageGCLowThresholdPercent,
        minAgeMs: config.imageMinimumGCAge,
        maxAgeMs: config.imageMaximumGCAge,
      },
    },
    logs: {
      maxBytes: parseQuantity(config.containerLogMaxSize).toNumber(),
      maxFiles: config.containerLogMaxFiles,
      workers: config.containerLogMaxWorkers,
      checkMs: config.containerLogMonitorInterval,
    },
    cpuReconcileMs: config.cpuManagerReconcilePeriod,
    watchesMemory: config.kernelMemcgNotification,
    eviction: {
      hard: config.evictionHard,
      soft: config.evictionSoft,
      softGraceMs: Object.fromEntries(
        Object.entries(config.evictionSoftGracePeriod).map(([signal, text]) => [
          signal,
          Number(parseDuration(text) / 1_000_000n),
        ]),
      ),
      minimumReclaim: config.evictionMinimumReclaim,
      pressureTransitionMs: config.evictionPressureTransitionPeriod,
      maxPodGraceSeconds: config.evictionMaxPodGracePeriod,
      limitsStorage: config.localStorageCapacityIsolation,
    },
    deadContainers: settings.deadContainers,
    keepsVolumes: settings.keepsTerminatedVolumes,
    sandboxImage: settings.sandboxImage,
    mounterPath: settings.mounterPath,
    volumePluginDirectory: config.volumePluginDir,
  };
}
