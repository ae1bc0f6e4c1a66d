/** Work of the server that looks at all objects of some resources: a round at first, and another after changes. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { changesOf, Controller } from '../../reconcile/controller.ts';
import { ExponentialRateLimiter } from '../../reconcile/rate-limiter.ts';
import { createStoreInformer, type SourceStore } from '../../registry/store-source.ts';

export interface SingleKeyControllerOptions {
  readonly stores: readonly SourceStore[];
  /** One round runs at a time; changes during a round lead to one more. A round that fails is made again. */
  readonly sync: () => Promise<void>;
  readonly log: Logger;
  readonly clock?: Clock;
}

const retryMs = 1000;
/** What changed does not matter: the round looks at everything. */
const everything = 'all';

/** Resolves when the signal aborts, and the round that was under way then is over. */
export async function runSingleKeyController(options: SingleKeyControllerOptions, signal: AbortSignal): Promise<void> {
  const { stores, sync: round, log, clock = systemClock } = options;
  if (signal.aborted) return;
  const informers = stores.map((store) => createStoreInformer({ store, freshness: 'any', log, clock }));
  const controller = new Controller({
    sync: async () => {
      await round();
      return undefined;
    },
    onFailure: (_, error) => log.warn({ err: error }, 'work that depends on objects failed and is tried again'),
    workers: 1,
    triggers: informers.map((informer) => changesOf(informer, () => [everything])),
    rateLimiter: new ExponentialRateLimiter({ firstMs: retryMs, maxMs: retryMs }),
    clock,
  });
  for (const informer of informers) informer.start();
  controller.start();
  controller.add(everything);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.all([controller.stop(), ...informers.map((informer) => informer.stop())]);
}
