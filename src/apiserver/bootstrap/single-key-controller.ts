/** A controller whose sync reads all objects of some resources: it runs at start, and again after changes. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { changesOf, Controller } from '../../reconcile/controller.ts';
import { ExponentialRateLimiter } from '../../reconcile/rate-limiter.ts';
import { createStoreInformer, type SourceStore } from '../../registry/store-source.ts';

export interface SingleKeyControllerOptions {
  readonly stores: readonly SourceStore[];
  /** One sync runs at a time; changes during a sync lead to one more. A sync that fails is retried. */
  readonly sync: () => Promise<void>;
  readonly log: Logger;
  readonly clock?: Clock;
}

const retryMs = 1000;
/** The only key: the sync reads all objects, whichever of them changed. */
const onlyKey = 'all';

/** Resolves when the signal has aborted and the sync that was running then has ended. */
export async function runSingleKeyController(options: SingleKeyControllerOptions, signal: AbortSignal): Promise<void> {
  const { stores, sync, log, clock = systemClock } = options;
  if (signal.aborted) return;
  const informers = stores.map((store) => createStoreInformer({ store, freshness: 'any', log, clock }));
  const controller = new Controller({
    sync: async () => {
      await sync();
      return undefined;
    },
    onFailure: (_, error) => log.warn({ err: error }, 'work that depends on objects failed and is tried again'),
    workers: 1,
    triggers: informers.map((informer) => changesOf(informer, () => [onlyKey])),
    rateLimiter: new ExponentialRateLimiter({ firstMs: retryMs, maxMs: retryMs }),
    clock,
  });
  for (const informer of informers) informer.start();
  controller.start();
  controller.add(onlyKey);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.all([controller.stop(), ...informers.map((informer) => informer.stop())]);
}
