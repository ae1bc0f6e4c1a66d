/** The context of one run of a controller: it ends what the controller opened. */
import { sleep } from '../../base/clock.ts';
import { CleanupStack } from '../../base/cleanup-stack.ts';
import { createEventRecorder, type Informer, type InformerHandler } from '../../client/index.ts';
import type { InformerLease, InformerSelection, WatchedResource } from '../../client/shared-informers.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isConflict } from '../../client/api-error.ts';
import { Controller } from '../../reconcile/controller.ts';
import { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext, WorkOptions } from './context.ts';
import type { ControllerDefinition } from './controller-table.ts';
import type { ManagerDependencies } from './dependencies.ts';

export interface Run {
  readonly context: ControllerContext;
  /** Resolves with the reason when the controller cannot go on. */
  readonly failed: Promise<unknown>;
  /** When the oldest piece of work under way began, by the clock; undefined when there is none. */
  oldestWork(): number | undefined;
  /** Ends what the controller opened, and waits for work under way, for a bounded time. */
  stop(): Promise<void>;
}

/** Work that does not end when it is told to does not hold up the start of the next run. */
const stopTimeoutMs = 10_000;

export function createRun(definition: ControllerDefinition, dependencies: ManagerDependencies): Run {
  const { name, account, reporter = account, rates } = definition;
  const { options, cloud, log, clock, wallTime, clockJumps, random, metrics, isGateOn, queueMetrics } = dependencies;
  const client = dependencies.clientFor(account, rates);
  const cleanup = new CleanupStack();
  const abort = new AbortController();
  const begun = new Set<{ readonly at: number }>();
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));
  const events = createEventRecorder({ client, component: reporter, log, clock, wallTime });
  cleanup.add(() => events.stop());
  const leases = new Set<InformerLease>();
  cleanup.add(() => leases.forEach((lease) => lease.release()));

  const timed = async <R>(work: () => Promise<R>): Promise<R> => {
    const piece = { at: clock.now() };
    begun.add(piece);
    try {
      return await work();
    } finally {
      begun.delete(piece);
    }
  };
  const work = ({ queue, sync, isExpected = isConflict, ...rest }: WorkOptions): Controller => {
    const observer = queueMetrics?.(queue);
    const controller = new Controller({
      ...rest,
      sync: (key, signal) => timed(() => sync(key, signal)),
      onFailure: (key, error) => {
        if (isExpected(error)) log.debug({ controller: name, key, err: error }, 'a sync is tried again');
        else log.error({ controller: name, key, err: error }, 'a sync failed');
      },
      clock,
      ...(observer === undefined ? {} : { observer }),
    });
    controller.start();
    cleanup.add(clockJumps.listen(() => controller.endDelays()));
    cleanup.add(() => controller.stop());
    return controller;
  };
  const every = async (
    periodMs: number,
    run: (signal: AbortSignal) => Promise<void>,
    firstMs: number,
  ): Promise<void> => {
    for (let delayMs = firstMs; ; delayMs = periodMs) {
      await sleep(clock, delayMs, abort.signal);
      if (abort.signal.aborted) return;
      try {
        await timed(() => run(abort.signal));
      } catch (error) {
        if (!abort.signal.aborted) log.error({ controller: name, err: error }, 'a periodic run failed');
      }
    }
  };
  const context: ControllerContext = {
    name,
    client,
    options,
    cloud,
    events,
    log,
    clock,
    wallTime,
    random,
    metrics,
    isGateOn,
    signal: abort.signal,
    informer: <T extends KubeObject>(resource: WatchedResource<T>, selection?: InformerSelection): Informer<T> =>
      dependencies.informers.for(resource, selection),
    lease: (target) => {
      const lease = dependencies.informers.lease(target);
      leases.add(lease);
      const release = (): void => {
        leases.delete(lease);
        lease.release();
      };
      return { informer: lease.informer, release };
    },
    mutationCache: <T extends KubeObject>(informer: Informer<T>) => {
      const cache = new MutationCache(informer);
      cleanup.add(() => cache.stop());
      return cache;
    },
    handle: <T>(informer: Informer<T>, handler: InformerHandler<T>) => {
      const registration = informer.addHandler(handler);
      cleanup.add(() => registration.remove());
    },
    index: (informer, index, indexer) => {
      if (!informer.objects.hasIndex(index)) informer.addIndexers({ [index]: indexer });
    },
    work,
    every: (periodMs, run, firstMs = periodMs) => void every(periodMs, run, firstMs),
    onStop: (end) => cleanup.add(async () => end()),
    fail,
  };
  const stop = async (): Promise<void> => {
    abort.abort(new Error('the controller is stopping'));
    const timeout = new AbortController();
    await Promise.race([cleanup.close(), sleep(clock, stopTimeoutMs, timeout.signal)]);
    timeout.abort();
  };
  return {
    context,
    failed,
    oldestWork: () => (begun.size === 0 ? undefined : Math.min(...[...begun].map(({ at }) => at))),
    stop,
  };
}
