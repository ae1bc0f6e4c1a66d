/** What of the agent's settings, and of the machine, concerns pods. */
import { readFile, stat } from 'node:fs/promises';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { parseDuration } from '../../machinery/duration.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import { parseResolvConf } from './config/dns.ts';
import type { PodsConfig } from './pods-config.ts';

export interface PodsMachine {
  readonly memoryBytes: number;
  readonly isCgroupV2: boolean;
  /** Content of the file that `resolvConf` names; undefined when it names none. */
  readonly resolvConf: string | undefined;
}

/** Rejects when `resolvConf` cannot be read. */
export async function readPodsMachine(
  { config }: Pick<NodeAgentSettings, 'config'>,
  memoryBytes: number,
): Promise<PodsMachine> {
  const unified = await stat('/sys/fs/cgroup/cgroup.controllers').catch(undefinedWhenAbsent);
  const resolvConf = config.resolvConf === '' ? undefined : await readFile(config.resolvConf, 'utf8');
  return { memoryBytes, isCgroupV2: unified !== undefined, resolvConf };
}

export function podsConfigOf(
  { config, nodeName, rootDir }: Pick<NodeAgentSettings, 'config' | 'nodeName' | 'rootDir'>,
  { memoryBytes, isCgroupV2, resolvConf }: PodsMachine,
): PodsConfig {
  return {
    nodeName,
    rootDirectory: rootDir,
    podLogsDirectory: config.podLogsDir,
    containerLogsDirectory: '/var/log/containers',
    dns: {
      clusterDns: config.clusterDNS,
      clusterDomain: config.clusterDomain,
      resolvConf: resolvConf === undefined ? undefined : parseResolvConf(resolvConf),
    },
    cgroups: { root: config.cgroupRoot || '/', driver: config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs' },
    cgroupsPerQos: config.cgroupsPerQOS,
    podPidsLimit: config.podPidsLimit,
    resources: {
      cpuCfsQuota: config.cpuCFSQuota,
      cpuCfsQuotaPeriodUs: Math.round(config.cpuCFSQuotaPeriod * 1000),
      memoryCapacity: BigInt(memoryBytes),
      isCgroupV2,
    },
    seccompDefault: config.seccompDefault,
    syncFrequencyMs: config.syncFrequency,
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
  };
}
