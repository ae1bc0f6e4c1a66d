/** Work of the server that depends on objects: a round at first, and another after changes. */
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import { Latch } from '../../base/latch.ts';
import type { Logger } from '../../base/logger.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { ObjectWatch } from '../../storage/objects.ts';

export interface FollowOptions {
  readonly stores: readonly ResourceStore[];
  /** Looks at all objects. One round runs at a time; changes during a round lead to one more. */
  readonly round: () => Promise<void>;
  readonly log: Logger;
  readonly clock?: Clock;
}

const retryMs = 1000;

/** Goes on until the signal aborts. After a failed round, or a watch that ended, it begins anew after a second. */
export async function follow({ clock = systemClock, ...options }: FollowOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(options, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.log.warn({ err: error }, 'work that follows objects failed and is tried again');
      await sleep(clock, retryMs, signal);
    }
  }
}

async function followOnce({ stores, round }: FollowOptions, signal: AbortSignal): Promise<never> {
  const changed = new Latch();
  const watches: ObjectWatch[] = [];
  try {
    for (const store of stores)
      watches.push(await store.watch({ after: 'any', signal, onReady: () => changed.open() }));
    for (;;) {
      // Before the events are taken: one that comes from here on opens the latch again.
      changed.shut();
      watches.forEach(takeAll);
      await round();
      await changed.wait(signal);
    }
  } finally {
    for (const watch of watches) watch.close();
  }
}

/** What changed does not matter: the round looks at everything. */
function takeAll(watch: ObjectWatch): void {
  while (watch.take().length > 0);
  if (watch.ended !== undefined) throw watch.ended;
}
