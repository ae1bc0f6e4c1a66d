/** The pods of the node, from the start of the agent to its end. They run on without it. */
import { readFile, stat } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import type { NodeKeeper } from '../../node-agent/node/node-keeper.ts';
import { readMachine } from '../../node-agent/node/read-machine.ts';
import { parseResolvConf } from '../../node-agent/pods/config/dns.ts';
import { createPodManager, type PodManager } from '../../node-agent/pods/pod-manager.ts';
import type { PodsConfig } from '../../node-agent/pods/pods-config.ts';
import type { ContainerRuntime } from '../../node-agent/runtime/container-runtime.ts';
import type { ServedPods } from '../../node-agent/server/served-pods.ts';
import { pause } from '../../reconcile/pause.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';

export interface AgentPods extends ServedPods {
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** How long until a runtime that does not answer is asked again. */
const retryMs = 2000;

export function createPods(
  daemon: LeadingDaemon,
  settings: NodeAgentSettings,
  runtime: ContainerRuntime,
  keeper: NodeKeeper,
): AgentPods {
  const { connection, client, log } = daemon;
  let manager: PodManager | undefined;
  return {
    pods: () => manager?.pods() ?? [],
    async run(signal) {
      if (connection === undefined) return;
      const config = await podsConfigOf(settings);
      await keeper.known;
      while (!signal.aborted) {
        manager = createPodManager({
          client: client({ part: 'pods' }),
          runtime,
          config,
          hostIPs: () => hostIPsOf(keeper),
          allocatable: () => keeper.node?.status.allocatable ?? {},
          clock: systemClock,
          nowMs: Date.now,
          random: Math.random,
          log,
        });
        try {
          await manager.start();
          await aborted(signal);
        } catch (error) {
          log.warn({ err: error }, 'pods cannot be run yet');
          await pause(systemClock, retryMs, signal);
        } finally {
          await manager.stop();
        }
      }
    },
  };
}

const hostIPsOf = ({ node }: NodeKeeper): string[] =>
  (node?.status.addresses ?? []).flatMap(({ type, address }) =>
    type === 'InternalIP' && address !== undefined ? [address] : [],
  );

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function podsConfigOf({ config, nodeName, rootDir }: NodeAgentSettings): Promise<PodsConfig> {
  const unified = await stat('/sys/fs/cgroup/cgroup.controllers').catch(undefinedWhenAbsent);
  const { memoryBytes } = await readMachine({ rootDir });
  return {
    nodeName,
    rootDirectory: rootDir,
    podLogsDirectory: config.podLogsDir,
    containerLogsDirectory: '/var/log/containers',
    dns: {
      clusterDns: config.clusterDNS,
      clusterDomain: config.clusterDomain,
      resolvConf: config.resolvConf === '' ? undefined : parseResolvConf(await readFile(config.resolvConf, 'utf8')),
    },
    cgroups: { root: config.cgroupRoot || '/', driver: config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs' },
    cgroupsPerQos: config.cgroupsPerQOS,
    podPidsLimit: config.podPidsLimit,
    resources: {
      cpuCfsQuota: config.cpuCFSQuota,
      cpuCfsQuotaPeriodUs: Math.round(config.cpuCFSQuotaPeriod * 1000),
      memoryCapacity: BigInt(memoryBytes),
      isCgroupV2: unified !== undefined,
    },
    seccompDefault: config.seccompDefault,
    syncFrequencyMs: config.syncFrequency,
    images: { isSerial: config.serializeImagePulls, maxParallel: config.maxParallelImagePulls },
  };
}
