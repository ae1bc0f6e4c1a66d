/**
 * The open watches of one storage, and what is due to them with time: bookmarks for those that asked, and an end for
 * those that leave their backlog untouched.
 */
import type { Clock } from '../base/clock.ts';
import { Ticker } from '../base/ticker.ts';
import { bookmarkEvent, weightOf } from './events.ts';
import type { ObjectEvent } from './objects.ts';
import type { WatchQueue } from './watch-queue.ts';

export interface OpenWatchesOptions {
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
  /** Asks the store for progress, so that bookmarks of quiet resources advance with the store's revision. */
  readonly requestProgress: () => void;
}

/** API Concepts promises no interval; the reference sends about one a minute. */
export const defaultBookmarkIntervalMs = 60_000;

const stallCheckMs = 10_000;
const progressGraceMs = 1_000;

export class OpenWatches {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #requestProgress: () => void;
  readonly #queues = new Set<WatchQueue>();
  /** Revision of the last bookmark of each watch that asked for them. */
  readonly #bookmarked = new Map<WatchQueue, number>();
  readonly #bookmarks: Ticker;
  readonly #stalls: Ticker;

  constructor(options: OpenWatchesOptions) {
    this.#clock = options.clock;
    this.#requestProgress = options.requestProgress;
    this.#graceMs = Math.min(progressGraceMs, options.bookmarkIntervalMs / 10);
    this.#bookmarks = new Ticker(options.clock, options.bookmarkIntervalMs, () => this.#prepareBookmarks());
    this.#stalls = new Ticker(options.clock, stallCheckMs, () => this.#checkStalls());
  }

  get size(): number {
    return this.#queues.size;
  }

  add(queue: WatchQueue, bookmarks: boolean): void {
    this.#queues.add(queue);
    this.#stalls.start();
    if (!bookmarks) return;
    this.#bookmarked.set(queue, 0);
    this.#bookmarks.start();
  }

  remove(queue: WatchQueue): void {
    this.#queues.delete(queue);
    this.#bookmarked.delete(queue);
    if (this.#queues.size === 0) this.#stalls.stop();
    if (this.#bookmarked.size === 0) this.#bookmarks.stop();
  }

  endAll(error: Error): void {
    for (const queue of [...this.#queues]) queue.end(error);
  }

  #prepareBookmarks(): void {
    this.#requestProgress();
    this.#clock.after(this.#graceMs, () => this.#sendBookmarks());
  }

  /** Only to watchers that have taken everything: a bookmark is of no use to one that is behind. */
  #sendBookmarks(): void {
    const told: WatchQueue[] = [];
    let batch: readonly ObjectEvent[] = [];
    for (const [queue, last] of this.#bookmarked) {
      if (!queue.idle || queue.revision <= last) continue;
      if (batch[0]?.revision !== queue.revision) batch = [bookmarkEvent(queue.revision)];
      this.#bookmarked.set(queue, queue.revision);
      if (queue.push(batch, weightOf(batch[0]!))) told.push(queue);
    }
    for (const queue of told) queue.announce();
  }

  #checkStalls(): void {
    for (const queue of [...this.#queues]) queue.checkStall(this.#clock.now());
  }
}
