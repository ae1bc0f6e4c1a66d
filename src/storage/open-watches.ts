/**
 * The open watches of one storage, and what is due to them with time: bookmarks for those that asked, and an end for
 * those that leave their backlog untouched.
 */
import type { Clock } from '../base/clock.ts';
import { Ticker } from '../base/ticker.ts';
import { Bookmarks, type BookmarksOptions } from './bookmarks.ts';
import type { ObjectWatchOptions } from './objects.ts';
import type { WatchQueue } from './watch-queue.ts';

const stallCheckMs = 10_000;

export class OpenWatches {
  readonly #clock: Clock;
  readonly #queues = new Set<WatchQueue>();
  readonly #bookmarks: Bookmarks;
  readonly #stalls: Ticker;

  constructor(options: BookmarksOptions) {
    this.#clock = options.clock;
    this.#bookmarks = new Bookmarks(options);
    this.#stalls = new Ticker(options.clock, stallCheckMs, () => this.#checkStalls());
  }

  get size(): number {
    return this.#queues.size;
  }

  add(queue: WatchQueue, options: ObjectWatchOptions): void {
    this.#queues.add(queue);
    this.#stalls.start();
    if (options.bookmarks === true) this.#bookmarks.add(queue, options);
  }

  remove(queue: WatchQueue): void {
    this.#queues.delete(queue);
    this.#bookmarks.remove(queue);
    if (this.#queues.size === 0) this.#stalls.stop();
  }

  endAll(error: Error): void {
    for (const queue of [...this.#queues]) queue.end(error);
  }

  #checkStalls(): void {
    for (const queue of [...this.#queues]) queue.checkStall(this.#clock.now());
  }
}
