import type { WindowCapacity } from './cache/window-capacity.ts';

/**
 * What the storage of one resource has done since it was opened. Counting is an addition; metrics read the sums.
 */
export class StorageCounts {
  /** Lists that the store answered, what it gave for them, and what was given out. */
  readonly store = { lists: 0, fetched: 0, returned: 0 };
  /** Lists that the cache answered, by the index that found the objects, empty for none. */
  readonly cache = new Map<string, { lists: number; fetched: number; returned: number }>();
  /** Lists at the most recent version that the cache was asked for: answered by it, or left to the store. */
  readonly consistent = { answered: 0, left: 0 };
  /** Of the watch on the store. */
  eventsReceived = 0;
  /** How often the store said up to where its events are known, without events. */
  progressNotifications = 0;
  /** Stored values that are no objects. */
  decodeErrors = 0;
  /** Handed to the watchers of the cache, once each. */
  eventsDispatched = 0;
  /** What watches of the cache began with. */
  initialEvents = 0;
  /** How often the cache was filled. */
  initializations = 0;
  /** Watchers that did not take what waited for them. */
  terminatedWatchers = 0;
  /** Up to which the cache knows every change; undefined without a cache. */
  revision: (() => number) | undefined;
  /** Of the cache. */
  readonly window: WindowCapacity = { capacity: undefined, increases: 0, decreases: 0 };
  /** Told of every read that the cache lets wait until it is as new as the read asks for. */
  waited: ((milliseconds: number) => void) | undefined;

  cacheList(index: string, fetched: number, returned: number): void {
    let counts = this.cache.get(index);
    if (counts === undefined) this.cache.set(index, (counts = { lists: 0, fetched: 0, returned: 0 }));
    counts.lists++;
    counts.fetched += fetched;
    counts.returned += returned;
  }
}
