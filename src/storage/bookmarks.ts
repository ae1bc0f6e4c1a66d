/**
 * Bookmarks of watches: events without an object, which say that the watch has everything up to a revision.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks | Watch bookmarks}
 */
import type { Clock, Timer } from '../base/clock.ts';
import { Ticker } from '../base/ticker.ts';
import type { ObjectEvent, ObjectWatchOptions } from './objects.ts';
import { weightOf } from './object-events.ts';
import type { WatchQueue } from './watch-queue.ts';

/** API Concepts promises no interval; the reference sends about one a minute. */
export const defaultBookmarkIntervalMs = 60_000;

const progressGraceMs = 1_000;
/** Before its end a watch is asked for: what comes until the bookmark is sent is not in it. */
const beforeEndMs = 2_000;

/** @param initialEventsEnd whether it ends the initial events of the watch (KEP-3157) */
export function bookmarkEvent(revision: number, initialEventsEnd = false): ObjectEvent {
  return { type: 'BOOKMARK', revision, object: undefined, initialEventsEnd, representations: undefined };
}

export interface BookmarksOptions {
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
  /** Asks the store for progress, so that bookmarks of quiet resources advance with the store's revision. */
  readonly requestProgress: () => void;
}

/**
 * Sends bookmarks to the watches that asked for them: from time to time, and shortly before their end, so that the next
 * watch of the client begins where this one ended.
 */
export class Bookmarks {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #requestProgress: () => void;
  /** Revision of the last bookmark of each watch. */
  readonly #lastSent = new Map<WatchQueue, number>();
  readonly #ends = new Map<WatchQueue, Timer>();
  readonly #ticker: Ticker;

  constructor({ clock, bookmarkIntervalMs, requestProgress }: BookmarksOptions) {
    this.#clock = clock;
    this.#requestProgress = requestProgress;
    this.#graceMs = Math.min(progressGraceMs, bookmarkIntervalMs / 10);
    this.#ticker = new Ticker(clock, bookmarkIntervalMs, () => this.#prepare(() => this.#lastSent));
  }

  add(queue: WatchQueue, { after, endsAfterMs }: Pick<ObjectWatchOptions, 'after' | 'endsAfterMs'>): void {
    // What the client began with tells it nothing.
    this.#lastSent.set(queue, typeof after === 'number' ? after : 0);
    this.#ticker.start();
    if (endsAfterMs === undefined || endsAfterMs < beforeEndMs) return;
    this.#ends.set(
      queue,
      this.#clock.after(endsAfterMs - beforeEndMs, () => this.#prepare(() => this.#lastOf(queue))),
    );
  }

  remove(queue: WatchQueue): void {
    this.#lastSent.delete(queue);
    this.#ends.get(queue)?.cancel();
    this.#ends.delete(queue);
    if (this.#lastSent.size === 0) this.#ticker.stop();
  }

  #prepare(watches: () => Iterable<readonly [WatchQueue, number]>): void {
    this.#requestProgress();
    this.#clock.after(this.#graceMs, () => this.#send(watches()));
  }

  #lastOf(queue: WatchQueue): (readonly [WatchQueue, number])[] {
    const last = this.#lastSent.get(queue);
    return last === undefined ? [] : [[queue, last]];
  }

  /** Only to watchers that have taken everything: a bookmark is of no use to one that is behind. */
  #send(watches: Iterable<readonly [WatchQueue, number]>): void {
    const sent: WatchQueue[] = [];
    let batch: readonly ObjectEvent[] = [];
    for (const [queue, last] of watches) {
      if (!queue.idle || queue.revision <= last) continue;
      if (batch[0]?.revision !== queue.revision) batch = [bookmarkEvent(queue.revision)];
      this.#lastSent.set(queue, queue.revision);
      if (queue.push(batch, weightOf(batch[0]!))) sent.push(queue);
    }
    for (const queue of sent) queue.announce();
  }
}
