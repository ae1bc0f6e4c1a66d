/** The pods of the node, from the start of the agent to its end. They run on without it. */
import { abortable } from '../../base/abortable.ts';
import { systemClock } from '../../base/clock.ts';
import type { EventRecorder } from '../../client/events/recorder.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import type { NodeKeeper } from '../../node-agent/node/node-keeper.ts';
import { readMachine } from '../../node-agent/node/read-machine.ts';
import { readAdmissionMachine } from '../../node-agent/pods/admission/node-view.ts';
import { podsConfigOf, readPodsMachine } from '../../node-agent/pods/configure-pods.ts';
import type { Pressure } from '../../node-agent/eviction/thresholds.ts';
import type { NodePressure } from '../../node-agent/node/conditions.ts';
import { createPodManager, type PodManager } from '../../node-agent/pods/pod-manager.ts';
import type { ContainerRuntime } from '../../node-agent/runtime/container-runtime.ts';
import type { ServedPods } from '../../node-agent/server/served-pods.ts';
import { pause } from '../../reconcile/pause.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';

export interface AgentPods extends ServedPods {
  pressure(): NodePressure;
  /** Until the signal aborts. Rejects for a configuration that cannot be used. */
  run(keeper: NodeKeeper, signal: AbortSignal): Promise<void>;
  /** Milliseconds since the runtime said what runs; undefined before the first time. */
  sinceListMs(): number | undefined;
}

/** How long until a runtime that does not answer is asked again. */
const retryMs = 2000;

export function createPods(
  { connection, client, log }: Pick<LeadingDaemon, 'connection' | 'client' | 'log'>,
  settings: NodeAgentSettings,
  runtime: ContainerRuntime,
  events: Pick<EventRecorder, 'event'>,
): AgentPods {
  let manager: PodManager | undefined;
  return {
    pods: () => manager?.pods() ?? [],
    sinceListMs: () => manager?.sinceListMs(),
    pressure: () => pressureOf(manager?.pressures() ?? []),
    async run(keeper, signal) {
      const { memoryBytes } = await readMachine({ rootDir: settings.rootDir });
      const parts = {
        client: connection === undefined ? undefined : client({ part: 'pods' }),
        events,
        runtime,
        config: podsConfigOf(settings, await readPodsMachine(settings, memoryBytes)),
        machine: await readAdmissionMachine(),
        hostIPs: () => hostIPsOf(keeper),
        allocatable: () => keeper.node?.status.allocatable ?? {},
        clock: systemClock,
        nowMs: Date.now,
        random: Math.random,
        log,
      };
      // Pods are told the addresses of their node.
      await keeper.known;
      while (!signal.aborted) {
        manager = createPodManager(parts);
        try {
          await abortable(manager.start(), signal);
          await aborted(signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ err: error }, 'pods cannot be run yet');
          await pause(systemClock, retryMs, signal);
        } finally {
          await manager.stop();
        }
      }
    },
  };
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
