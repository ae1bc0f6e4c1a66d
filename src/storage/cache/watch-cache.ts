/**
 * The watch cache of one resource: object storage that answers from memory.
 *
 * It holds every object of the resource, encoded, at one revision, and is kept current by a watch on the store. Reads
 * are answered from it at the version they ask for; watchers share one watch on the store. Writes go to the store.
 */
import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { Latch } from '../../base/latch.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Logger } from '../../base/logger.ts';
import { StorageCounts } from '../storage-counts.ts';
import { createDirectObjectStorage } from '../direct-storage.ts';
import { StorageError } from '../storage-error.ts';
import type { Store } from '../interface.ts';
import type {
  ObjectCodec,
  ObjectGuardedResult,
  ObjectList,
  ObjectListOptions,
  ObjectStorage,
  ObjectWatch,
  ObjectWatchOptions,
  ObjectWrite,
  ReadVersion,
  StoredObject,
} from '../objects.ts';
import { defaultBookmarkIntervalMs } from '../bookmarks.ts';
import { defaultWatchLimits } from '../watch-queue.ts';
import type { WatchLimits } from '../watch-queue.ts';
import { ObjectWriter } from '../object-writer.ts';
import type { ObjectDeleteResult } from '../object-writer.ts';
import { Backfill } from './backfill.ts';
import { CachedReads } from './cached-reads.ts';
import { CachedWatches } from './cached-watches.ts';
import { Reflector } from './reflector.ts';
import { defaultVersionWaitMs, Freshness } from './freshness.ts';
import { probeOf } from './store-probe.ts';
import { CacheState } from './state.ts';
import { VerifiedViews } from './verified-views.ts';
import { Watchers } from './watchers.ts';
import { defaultWindowLimits } from './window.ts';
import type { WindowLimits } from './window.ts';

export interface WatchCacheOptions {
  readonly store: Store;
  /** Ends with '/'. */
  readonly prefix: string;
  /** Whether keys are `<prefix><namespace>/<name>` (the default) or `<prefix><name>`. */
  readonly namespaced?: boolean;
  readonly codec: ObjectCodec;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Fields by which lists and watchers are found, such as `spec.nodeName`. */
  readonly indexedFields?: readonly string[];
  readonly watchLimits?: Partial<WatchLimits>;
  readonly windowLimits?: Partial<WindowLimits>;
  readonly bookmarkIntervalMs?: number;
  /** How long reads wait for a version that is still to come. */
  readonly versionWaitMs?: number;
  /** Readers wait until the cache is filled, also while the store is away; by default they fail then. */
  readonly waitsForStore?: boolean;
  readonly counts?: StorageCounts;
}

/** Begins to fill itself at once. */
export function createWatchCache(options: WatchCacheOptions): WatchCache {
  return new WatchCache(options);
}

export class WatchCache implements ObjectStorage {
  readonly prefix: string;
  readonly counts: StorageCounts;
  readonly #filled = new Latch();
  readonly #continuous = new Latch();
  readonly #state: CacheState;
  readonly #reflector: Reflector;
  readonly #freshness: Freshness;
  readonly #writer: ObjectWriter;
  readonly #direct: ObjectStorage;
  readonly #reads: CachedReads;
  readonly #watches: CachedWatches;

  constructor(options: WatchCacheOptions) {
    const {
      store,
      prefix,
      namespaced = true,
      codec,
      clock = systemClock,
      log = silentLogger,
      indexedFields = [],
      counts = new StorageCounts(),
    } = options;
    const probe = probeOf(store);
    const keys = { prefix, namespaced };
    const windowLimits = { ...defaultWindowLimits, ...options.windowLimits };
    const requestProgress = (): Promise<void> => probe.requestProgress(prefix);
    this.prefix = prefix;
    this.counts = counts;
    counts.revision = () => this.#state.revision;
    const watchers = new Watchers({ keys, indexedFields, log });
    this.#state = new CacheState({
      codec,
      clock,
      log,
      indexedFields,
      windowLimits,
      watchers,
      counts,
      onAdvance: () => this.#freshness.advanced(),
      onUnreadable: (error) => this.#watches.endAll(error),
    });
    this.#reflector = new Reflector({
      store,
      prefix,
      state: this.#state,
      counts,
      clock,
      log,
      onContinuous: () => {
        this.#filled.open();
        this.#continuous.open();
      },
      onUnfilled: (cause) => {
        if (options.waitsForStore === true) return;
        // It is unknown when the store comes back: readers get an error and may retry.
        const error = new StorageError('Unavailable', `the watch cache of ${prefix} could not be filled`, { cause });
        for (const latch of [this.#filled, this.#continuous]) if (!latch.isOpen) latch.fail(error);
      },
      onGap: (error) => {
        this.#continuous.shut();
        this.#watches.endAll(error);
      },
    });
    this.#freshness = new Freshness({
      clock,
      probe: probe.revision,
      requestProgress,
      current: () => this.#state.revision,
      onReset: () => this.#reflector.reset(),
      versionWaitMs: options.versionWaitMs ?? defaultVersionWaitMs,
      counts,
    });
    this.#direct = createDirectObjectStorage({ store, prefix, namespaced, codec, clock, counts });
    this.#writer = new ObjectWriter({ store, codec, toObject: (kv) => this.#state.shareWritten(kv) });
    this.#reads = new CachedReads({
      keys,
      counts,
      state: this.#state,
      reflector: this.#reflector,
      freshness: this.#freshness,
      verified: new VerifiedViews({
        store,
        codec,
        state: this.#state,
        freshness: this.#freshness,
        probe: probe.revision,
      }),
      direct: this.#direct,
      filled: this.#filled,
    });
    this.#watches = new CachedWatches({
      store,
      keys,
      codec,
      clock,
      state: this.#state,
      counts,
      watchers,
      reads: this.#reads,
      continuous: this.#continuous,
      requestProgress,
      backfill: new Backfill({
        store,
        prefix,
        codec,
        clock,
        state: this.#state,
        limits: windowLimits,
        requestProgress,
      }),
      isProgressSound: () => this.#reflector.soundProgress,
      limits: { ...defaultWatchLimits, ...options.watchLimits },
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? defaultBookmarkIntervalMs,
    });
    this.#reflector.start();
  }

  get(key: string, version: ReadVersion, signal?: AbortSignal): Promise<StoredObject | undefined> {
    return this.#reads.get(key, version, signal);
  }

  list(options: ObjectListOptions): Promise<ObjectList> {
    return this.#reads.list(options);
  }

  watch(options: ObjectWatchOptions): Promise<ObjectWatch> {
    return this.#watches.watch(options);
  }

  create(key: string, bytes: Uint8Array, options: ObjectWrite = {}): Promise<StoredObject> {
    return this.#writer.create(key, bytes, options);
  }

  update(key: string, bytes: Uint8Array, expected: number, options: ObjectWrite = {}): Promise<ObjectGuardedResult> {
    return this.#writer.update(key, bytes, expected, options);
  }

  delete(key: string, expected: number, options: { signal?: AbortSignal } = {}): Promise<ObjectDeleteResult> {
    return this.#writer.delete(key, expected, options);
  }

  isStale(object: StoredObject, signal?: AbortSignal): Promise<boolean> {
    return this.#direct.isStale(object, signal);
  }

  count(): Promise<number> {
    return this.#filled.isOpen ? Promise.resolve(this.#state.index.size) : this.#direct.count();
  }

  ready(): boolean {
    return this.#reflector.ready;
  }

  /**
   * The store has dropped its history below `revision`. The cache forgets it too, so that a continue token or an exact
   * read expires on all replicas alike.
   */
  compacted(revision: number): void {
    this.#state.compacted(revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new StorageError('Aborted', 'the storage was closed');
    this.#watches.close(closed);
    this.#filled.fail(closed);
    this.#continuous.fail(closed);
    this.#freshness.close(closed);
    await this.#reflector.stop();
  }
}
