/** The pods of the node, from the start of the agent to its end. They run on without it. */
import { abortable } from '../../base/abortable.ts';
import { systemClock } from '../../base/clock.ts';
import type { EventRecorder } from '../../client/events/recorder.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import type { NodeKeeper } from '../../node-agent/node/node-keeper.ts';
import { readMachine } from '../../node-agent/node/read-machine.ts';
import { readAdmissionMachine } from '../../node-agent/pods/admission/node-view.ts';
import { podsConfigOf, readPodsMachine } from '../../node-agent/pods/configure-pods.ts';
import type { PodsConfig } from '../../node-agent/pods/pods-config.ts';
import type { Pressure } from '../../node-agent/eviction/thresholds.ts';
import type { NodePressure } from '../../node-agent/node/conditions.ts';
import { createEvictionMetrics } from '../../node-agent/metrics/eviction-metrics.ts';
import { createImageMetrics } from '../../node-agent/metrics/image-metrics.ts';
import { createPodMetrics } from '../../node-agent/metrics/pod-metrics.ts';
import { createShutdownMetrics } from '../../node-agent/metrics/shutdown-metrics.ts';
import { createPodManager, type PodManager, type PodObservers } from '../../node-agent/pods/pod-manager.ts';
import { podsThatDoNotRun, runOnceMs } from '../../node-agent/pods/run-once.ts';
import { EnforcementError } from '../../node-agent/resources/cgroups/linux-pod-cgroups.ts';
import type { ContainerRuntime } from '../../node-agent/runtime/container-runtime.ts';
import type { ServedPods } from '../../node-agent/server/served-pods.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import { tracePods } from '../../node-agent/tracing/traces.ts';
import { pause } from '../../reconcile/pause.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';
import { UserError } from '../user-error.ts';
import type { ShutdownManager } from '../../node-agent/shutdown/shutdown-manager.ts';
import type { AgentAllocations } from './allocations.ts';
import { createShutdown } from './shutdown.ts';

export interface AgentPods extends ServedPods {
  pressure(): NodePressure;
  /** Why the node takes no pods. */
  problems(): readonly string[];
  /** Until the signal aborts. Rejects for a configuration that cannot be used. */
  run(keeper: NodeKeeper, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the runtime said what runs; undefined before the first time. */
  sinceListMs(): number | undefined;
  /** Milliseconds since pods were looked at; undefined before the first time. */
  sinceRoundMs(): number | undefined;
  /** Whether the runtime has a container of the pod that runs. */
  isRunning(uid: string, container: string): boolean;
}

export interface PodParts {
  readonly runtime: ContainerRuntime;
  readonly events: Pick<EventRecorder, 'event'>;
  readonly granted: Pick<AgentAllocations, 'allocations' | 'devices' | 'handlers'>;
  readonly observers: PodObservers;
  readonly tracer: Tracer | undefined;
  readonly isCgroupV2: boolean;
}

/** How long until a runtime that does not answer is asked again. */
const retryMs = 2000;
/** How often it is looked whether all pods run, where the agent is to end then. */
const lookMs = 500;

export function createPods(
  {
    connection,
    client: createClient,
    log,
    registry,
  }: Pick<LeadingDaemon, 'connection' | 'client' | 'log' | 'registry'>,
  settings: NodeAgentSettings,
  { runtime, events, granted, observers, tracer, isCgroupV2 }: PodParts,
): AgentPods {
  let manager: PodManager | undefined;
  let driver: PodsConfig['cgroups']['driver'] | undefined;
  const counted = createPodMetrics({
    registry,
    nodeName: settings.nodeName,
    isCgroupV2,
    nowMs: Date.now,
    pods: () => manager?.pods() ?? [],
    runtimePods: () => manager?.runtimePods() ?? [],
  });
  const counting = { images: createImageMetrics(registry), evictions: createEvictionMetrics(registry) };
  const shutdowns = createShutdownMetrics(registry);
  let shutdown: ShutdownManager | undefined;
  return {
    pods: () => manager?.pods() ?? [],
    cgroupDriver: () => driver,
    sinceListMs: () => manager?.sinceListMs(),
    sinceRoundMs: () => manager?.sinceRoundMs(),
    csiUsage: (directory) => manager?.csiUsage(directory) ?? Promise.resolve(undefined),
    volumeOfClaim: (namespace, claim) => manager?.volumeOfClaim(namespace, claim) ?? Promise.resolve(undefined),
    isRunning: (uid, container) => manager?.isRunning(uid, container) ?? false,
    problems: () => (shutdown?.isShuttingDown === true ? ['node is shutting down'] : []),
    pressure: () => pressureOf(manager?.pressures() ?? []),
    async run(keeper, signal) {
      const client = connection === undefined ? undefined : createClient({ part: 'pods' });
      const configOf = async (): Promise<PodsConfig> => {
        const machine = await readMachine({ rootDir: settings.rootDir });
        const config = podsConfigOf(settings, await readPodsMachine(settings, machine, runtime));
        driver = config.cgroups.driver;
        return config;
      };
      const partsOf = async () => ({
        client,
        events,
        runtime,
        allocations: granted.allocations,
        handlers: granted.handlers,
        config: await configOf(),
        machine: await readAdmissionMachine(),
        isShuttingDown: () => shutdown?.isShuttingDown ?? false,
        hostIPs: () => hostIPsOf(keeper),
        allocatable: () => granted.devices.withGranted(keeper.node?.status.allocatable ?? {}),
        clock: systemClock,
        nowMs: Date.now,
        random: Math.random,
        log,
        observers: { ...observers, ...counting, pods: counted },
        trace: tracer === undefined ? undefined : tracePods(tracer),
      });
      shutdown = createShutdown(settings, { events, log, observer: shutdowns, keeper, manager: () => manager });
      void shutdown.run(signal);
      // Pods are told the addresses of their node.
      await keeper.known;
      while (!signal.aborted) {
        try {
          manager = createPodManager(await abortable(partsOf(), signal));
          await runUntil(signal, manager, settings.config.runOnce);
          if (settings.config.runOnce) return;
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof UserError) throw error;
          if (error instanceof EnforcementError) throw new UserError(error.message, { cause: error });
          log.warn({ err: error }, 'pods cannot be run yet');
          await pause(systemClock, retryMs, signal);
        }
      }
    },
  };
}

/** @param isOnce until all pods run, which they do on */
async function runUntil(signal: AbortSignal, manager: PodManager, isOnce: boolean): Promise<void> {
  try {
    await abortable(manager.start(), signal);
    await (isOnce ? havingRun(manager, signal) : aborted(signal));
  } finally {
    await manager.stop();
  }
}

async function havingRun(manager: PodManager, signal: AbortSignal): Promise<void> {
  const until = systemClock.now() + runOnceMs;
  for (;;) {
    const left = manager.hasSynced() ? podsThatDoNotRun(manager.pods()) : undefined;
    if (left?.length === 0 || signal.aborted) return;
    if (systemClock.now() > until) throw new UserError(`runonce failed: pods do not run: ${left?.join(', ') ?? 'all'}`);
    await pause(systemClock, lookMs, signal);
  }
}

const pressureOf = (pressures: readonly Pressure[]): NodePressure => ({
  memory: pressures.includes('MemoryPressure'),
  disk: pressures.includes('DiskPressure'),
  pid: pressures.includes('PIDPressure'),
});

const hostIPsOf = ({ node }: NodeKeeper): string[] =>
  (node?.status.addresses ?? []).flatMap(({ type, address }) =>
    type === 'InternalIP' && address !== undefined ? [address] : [],
  );

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
