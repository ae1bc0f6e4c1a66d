/**
 * Bookmarks of watches: events without an object, which say that the watch has everything up to a revision.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks | Watch bookmarks}
 */
import type { Clock } from '../base/clock.ts';
import { Ticker } from '../base/ticker.ts';
import type { ObjectEvent } from './objects.ts';
import { weightOf } from './object-events.ts';
import type { WatchQueue } from './watch-queue.ts';

/** API Concepts promises no interval; the reference sends about one a minute. */
export const defaultBookmarkIntervalMs = 60_000;

const progressGraceMs = 1_000;

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

/** Sends bookmarks to the watches that asked for them. */
export class Bookmarks {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #requestProgress: () => void;
  /** Revision of the last bookmark of each watch. */
  readonly #lastSent = new Map<WatchQueue, number>();
  readonly #ticker: Ticker;

  constructor({ clock, bookmarkIntervalMs, requestProgress }: BookmarksOptions) {
    this.#clock = clock;
    this.#requestProgress = requestProgress;
    this.#graceMs = Math.min(progressGraceMs, bookmarkIntervalMs / 10);
    this.#ticker = new Ticker(clock, bookmarkIntervalMs, () => this.#prepare());
  }

  add(queue: WatchQueue): void {
    this.#lastSent.set(queue, 0);
    this.#ticker.start();
  }

  remove(queue: WatchQueue): void {
    this.#lastSent.delete(queue);
    if (this.#lastSent.size === 0) this.#ticker.stop();
  }

  #prepare(): void {
    this.#requestProgress();
    this.#clock.after(this.#graceMs, () => this.#send());
  }

  /** Only to watchers that have taken everything: a bookmark is of no use to one that is behind. */
  #send(): void {
    const sent: WatchQueue[] = [];
    let batch: readonly ObjectEvent[] = [];
    for (const [queue, last] of this.#lastSent) {
      if (!queue.idle || queue.revision <= last) continue;
      if (batch[0]?.revision !== queue.revision) batch = [bookmarkEvent(queue.revision)];
      this.#lastSent.set(queue, queue.revision);
      if (queue.push(batch, weightOf(batch[0]!))) sent.push(queue);
    }
    for (const queue of sent) queue.announce();
  }
}
