/** The end of pods at the shutdown of the machine, as logind tells it. */
import { systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { EventRecorder } from '../../client/events/recorder.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import type { ShutdownObserver } from '../../node-agent/metrics/shutdown-metrics.ts';
import type { NodeKeeper } from '../../node-agent/node/node-keeper.ts';
import type { PodManager } from '../../node-agent/pods/pod-manager.ts';
import { terminationByKubelet } from '../../node-agent/pods/publish-status.ts';
import { openLogind, takeInhibitorLock } from '../../node-agent/shutdown/logind.ts';
import { ShutdownManager, terminatedMessage } from '../../node-agent/shutdown/shutdown-manager.ts';

export interface ShutdownParts {
  readonly events: Pick<EventRecorder, 'event'>;
  readonly log: Logger;
  readonly observer: ShutdownObserver;
  readonly keeper: Pick<NodeKeeper, 'syncSoon'>;
  readonly manager: () => PodManager | undefined;
}

export function createShutdown(
  { config, rootDir, nodeName }: NodeAgentSettings,
  { events, log, observer, keeper, manager }: ShutdownParts,
): ShutdownManager {
  return new ShutdownManager({
    config,
    openLogind: () => openLogind(),
    takeLock: () => takeInhibitorLock(),
    pods: () => manager()?.running() ?? [],
    terminate: async (pod, graceSeconds) =>
      manager()?.terminate(pod, {
        reason: 'Terminated',
        message: terminatedMessage,
        condition: terminationByKubelet(terminatedMessage, Date.now()),
        graceSeconds,
      }),
    onChange: () => keeper.syncSoon(),
    event: (reason, message) =>
      events.event({ kind: 'Node', name: nodeName, uid: nodeName }, 'Normal', reason, message),
    stateFile: `${rootDir}/graceful_node_shutdown_state`,
    clock: systemClock,
    nowMs: Date.now,
    log,
    observer,
  });
}
