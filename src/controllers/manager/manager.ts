/**
 * The controller manager: starts the controllers that are asked for, and keeps each of them running by itself.
 *
 * It knows the API server by its client alone. The caller makes sure that no other controller manager is active, and
 * gives clients whose writes end with that.
 */
import { isGateOn as isGateOnWith } from '../../api/feature-gates.ts';
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { createSharedInformers, type SharedInformers } from '../../client/shared-informers.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { WorkQueueMetrics } from '../../server/metrics/work-queue-metrics.ts';
import type { CloudProvider } from '../cloud/provider.ts';
import { ClockJumps } from './clock-jumps.ts';
import { type ControllerDefinition, controllerTable, processAccount } from './controller-table.ts';
import type { ControllerManagerOptions } from './options.ts';
import { findController, isControllerEnabled } from './controller-names.ts';
import type { ManagerDependencies } from './dependencies.ts';
import { type ControllerState, Supervisor } from './supervisor.ts';

export interface ControllerManagerConfig {
  readonly clientFor: ManagerDependencies['clientFor'];
  readonly options: ControllerManagerOptions;
  /** Runs the controllers that need one. */
  readonly cloud?: CloudProvider | undefined;
  /** Made and stopped by the manager when absent. */
  readonly informers?: SharedInformers;
  /** Nothing older is read by informers of the manager: the resource version since when this process leads. */
  readonly notBefore?: string | undefined;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly wallTime?: () => number;
  readonly random?: () => number;
  readonly metrics?: MetricRegistry;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly onRestart?: (controller: string) => void;
  /** For tests: in place of all controllers there are. */
  readonly controllers?: readonly ControllerDefinition[];
}

export interface ControllerStatus {
  readonly name: string;
  readonly state: ControllerState;
  /** Why its last run ended. */
  readonly reason: unknown;
  readonly restarts: number;
}

export interface ControllerManager extends AsyncDisposable {
  /** Of the controllers that were selected, in the order of their start. */
  status(): readonly ControllerStatus[];
  /** Ends all controllers, and waits for work under way for a bounded time. */
  stop(): Promise<void>;
}

export function startControllers(config: ControllerManagerConfig): ControllerManager {
  const { clientFor, options, log = silentLogger, clock = systemClock, onRestart } = config;
  const { wallTime = Date.now, random = Math.random, metrics, queueMetrics, controllers = controllerTable } = config;
  const { notBefore } = config;
  const informers =
    config.informers ??
    createSharedInformers(clientFor(processAccount), { log, clock, notBefore, ...resyncOf(options, random) });
  const isGateOn = (gate: string): boolean => isGateOnWith(gate, options.generic.featureGates);
  const clockJumps = new ClockJumps(clock, wallTime);
  const dependencies: ManagerDependencies = {
    clientFor,
    informers,
    options,
    cloud: config.cloud,
    log,
    clock,
    wallTime,
    clockJumps,
    random,
    isGateOn,
    metrics,
    queueMetrics,
    onRestart,
  };
  const selected = controllers.filter(
    (definition) => isControllerEnabled(definition, options.generic.controllers) && definition.gates.every(isGateOn),
  );
  const canRun = ({ load, isCloud }: ControllerDefinition): boolean =>
    load !== undefined && (!isCloud || config.cloud !== undefined);
  for (const definition of selected)
    if (!canRun(definition) && isNamed(definition.name, options.generic.controllers))
      log.warn(
        { controller: definition.name },
        'this controller does nothing: it needs a cloud provider, and there is none',
      );
  const supervisors = selected.filter(canRun).map((definition) => new Supervisor(definition, dependencies));
  const abort = new AbortController();
  const started = startAll(supervisors, options.generic.startIntervalMs, clock, abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    clockJumps.stop();
    await started;
    await Promise.all(supervisors.map((supervisor) => supervisor.stop()));
    if (config.informers === undefined) await informers.stop();
  };
  return {
    status: () => supervisors.map(({ name, state, reason, restarts }) => ({ name, state, reason, restarts })),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const isNamed = (controller: string, selection: readonly string[]): boolean =>
  selection.some((item) => findController(item)?.name === controller);

async function startAll(
  supervisors: readonly Supervisor[],
  intervalMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, supervisor] of supervisors.entries()) {
    if (index > 0 && intervalMs > 0) await sleep(clock, intervalMs, signal);
    if (signal.aborted) return;
    supervisor.start();
  }
}

/** Between one and two periods, so that several processes do not resync at once. */
function resyncOf({ generic }: ControllerManagerOptions, random: () => number): { readonly resyncMs?: number } {
  const { minResyncPeriodMs } = generic;
  return minResyncPeriodMs <= 0 ? {} : { resyncMs: minResyncPeriodMs * (1 + random()) };
}
