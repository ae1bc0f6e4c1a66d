/**
 * Watches over the cache. A watch begins in one of three ways and is then live, in one group with all that select the
 * same:
 *
 * - with the state: synthetic ADDED events of what the selection has now;
 * - after a revision the window covers: with the changes since;
 * - after an older revision: the window is extended back into history for all watches that need it; a watch that cannot
 *   be served from it gets its own watch on the store, until that has reached the window.
 */
import { sleep } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { Latch } from '../../base/latch.ts';
import { Ticker } from '../../base/ticker.ts';
import type { StorageCounts } from '../storage-counts.ts';
import { isStorageError, StorageError } from '../storage-error.ts';
import { bookmarkEvent } from '../bookmarks.ts';
import { objectEvent } from '../object-events.ts';
import type { Store } from '../interface.ts';
import type { ObjectCodec, ObjectEvent, ObjectWatch, ObjectWatchOptions, Selection, StoredObject } from '../objects.ts';
import { OpenWatches } from '../open-watches.ts';
import { filterOf, inRange, rangeOf } from '../selection.ts';
import type { ResourceKeys } from '../selection.ts';
import { asStorageError, pumpStoreWatch } from '../store-watch.ts';
import { isTerminated, WatchQueue, weightOfAll } from '../watch-queue.ts';
import type { WatchLimits } from '../watch-queue.ts';
import { aborted } from './freshness.ts';
import type { Backfill } from './backfill.ts';
import type { CachedReads } from './cached-reads.ts';
import type { CacheState } from './state.ts';
import type { View } from './verified-views.ts';
import type { Watchers } from './watchers.ts';

export interface CachedWatchesOptions {
  readonly store: Store;
  readonly keys: ResourceKeys;
  readonly codec: ObjectCodec;
  readonly clock: Clock;
  readonly state: CacheState;
  readonly counts: StorageCounts;
  readonly watchers: Watchers;
  readonly reads: CachedReads;
  /** Open while changes reach the watchers without a gap. */
  readonly continuous: Latch;
  readonly requestProgress: () => Promise<void>;
  readonly backfill: Backfill;
  readonly isProgressSound: () => boolean;
  readonly limits: WatchLimits;
  readonly bookmarkIntervalMs: number;
}

/** A watch and where it stands. */
interface CachedWatch {
  readonly queue: WatchQueue;
  readonly selection: Selection | undefined;
  /** Ends its own watch on the store, while it has one. */
  readonly abort: AbortController;
  /** Once live: it gets changes after this revision. */
  after: number;
  /** While it has a watch on the store: what that has reached. */
  replayed: number | undefined;
}

const backlogPart = 500;
const replayProgressMs = 250;
const replayRetryMs = 500;
const trimMs = 15_000;
/** A replay from the store joins the live watchers when it has no more than this to catch up. */
const joinWithin = 1_000;

export class CachedWatches {
  readonly #options: CachedWatchesOptions;
  readonly #open: OpenWatches;
  readonly #replaying = new Set<CachedWatch>();
  readonly #progress: Ticker;
  readonly #trim: Ticker;

  constructor(options: CachedWatchesOptions) {
    const { clock, bookmarkIntervalMs, state } = options;
    this.#options = options;
    const requestProgress = (): void => void options.requestProgress().catch(() => undefined);
    this.#open = new OpenWatches({ clock, bookmarkIntervalMs, requestProgress });
    this.#progress = new Ticker(clock, replayProgressMs, requestProgress);
    this.#trim = new Ticker(clock, trimMs, () => state.trim());
    this.#trim.start();
  }

  async watch(options: ObjectWatchOptions): Promise<ObjectWatch> {
    const { continuous, keys, state } = this.#options;
    const range = rangeOf(keys, options.selection);
    let view: View | undefined;
    do {
      await this.#waitUntilContinuous(options.signal);
      if (options.initialEvents !== false && state.unreadableIn(range) !== undefined)
        await this.#options.reads.recover(range, options.signal);
      view = await this.#startingView(options);
    } while (!continuous.isOpen || (view !== undefined && view.revision < state.window.floor));
    // From here on nothing waits: no change can come between the state a watch begins with and the changes after it.
    const watch = this.#create(options);
    if (view === undefined) this.#resume(watch, options.after as number);
    else this.#beginWith(view, watch, options);
    this.#open.add(watch.queue, options);
    return watch.queue;
  }

  endAll(error: Error): void {
    this.#open.endAll(error);
  }

  close(error: Error): void {
    this.#trim.stop();
    this.#options.backfill.close();
    this.endAll(error);
  }

  async #waitUntilContinuous(signal: AbortSignal | undefined): Promise<void> {
    await this.#options.reads.waitUntilFilled(signal);
    await this.#options.continuous.wait(signal).catch((error: unknown) => {
      throw signal?.aborted && error === signal.reason ? aborted(signal) : error;
    });
  }

  /** The state a watch begins with, or undefined when it resumes after a revision. */
  async #startingView({ after, selection, initialEvents, signal }: ObjectWatchOptions): Promise<View | undefined> {
    const { reads, state, keys, backfill } = this.#options;
    if (after === 'any' || after === 0) return state;
    const range = rangeOf(keys, selection);
    if (after === 'mostRecent') return (await reads.mostRecent(range, signal)) ?? notCaughtUp(state.revision);
    if (initialEvents === true) return reads.notOlderThan(after, range, signal);
    // Where progress notifications are not reliable, it is unknown when history has reached the window.
    if (this.#options.isProgressSound()) await backfill.cover(after);
    return undefined;
  }

  #create({ onReady, selection }: ObjectWatchOptions): CachedWatch {
    const { state, watchers, limits, counts } = this.#options;
    const abort = new AbortController();
    const queue: WatchQueue = new WatchQueue({
      onReady,
      limits,
      position: () => watch.replayed ?? Math.max(state.revision, watch.after),
      onClose: () => {
        if (isTerminated(queue)) counts.terminatedWatchers++;
        watchers.remove(queue);
        this.#open.remove(queue);
        this.#endReplay(watch);
        abort.abort();
      },
    });
    const watch: CachedWatch = { queue, selection, abort, after: 0, replayed: undefined };
    return watch;
  }

  #beginWith(view: View, watch: CachedWatch, { selection, initialEvents, bookmarks }: ObjectWatchOptions): void {
    const { reads, state, keys, counts } = this.#options;
    const { revision } = view;
    if (initialEvents !== false) state.checkReadable(rangeOf(keys, selection));
    const objects = initialEvents === false ? [] : reads.collect(view, selection);
    const end = initialEvents === true && bookmarks === true ? [bookmarkEvent(revision, true)] : [];
    const since = this.#changesAfter(revision, selection);
    counts.initialEvents += objects.length + since.length;
    if (objects.length + end.length + since.length === 0) watch.queue.begin(revision);
    else watch.queue.begin(0, beginningOf(objects, end, since));
    this.#goLive(watch, revision);
  }

  #resume(watch: CachedWatch, after: number): void {
    const { state, counts } = this.#options;
    if (after < state.window.floor) return this.#replay(watch, after);
    const events = this.#changesAfter(after, watch.selection);
    counts.initialEvents += events.length;
    watch.queue.begin(after, events.length === 0 ? undefined : partsOf(events));
    this.#goLive(watch, after);
  }

  #goLive(watch: CachedWatch, after: number): void {
    watch.replayed = undefined;
    watch.after = after;
    this.#options.watchers.add(watch.queue, watch.selection, after);
  }

  #changesAfter(revision: number, selection: Selection | undefined): ObjectEvent[] {
    const { state, keys } = this.#options;
    const range = rangeOf(keys, selection);
    const filter = filterOf(keys, selection);
    const events: ObjectEvent[] = [];
    for (const change of state.window.after(revision)) {
      const event = inRange(range, change.key) ? change.eventFor(filter) : undefined;
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #replay(watch: CachedWatch, after: number): void {
    watch.replayed = after;
    this.#replaying.add(watch);
    this.#progress.start();
    watch.queue.begin(after);
    void this.#replayFromStore(watch).catch((error: unknown) => watch.queue.end(asStorageError(error)));
  }

  /** Goes on where it was when the store was away. */
  async #replayFromStore(watch: CachedWatch): Promise<void> {
    const { clock } = this.#options;
    while (watch.replayed !== undefined && !watch.abort.signal.aborted) {
      try {
        return await this.#pump(watch, watch.replayed);
      } catch (error) {
        if (!isStorageError(error, 'Unavailable')) throw error;
        await sleep(clock, replayRetryMs, watch.abort.signal);
      }
      this.#joins(watch, watch.replayed);
    }
  }

  #pump(watch: CachedWatch, after: number): Promise<void> {
    const { store, codec, keys, counts } = this.#options;
    const { queue, selection, abort } = watch;
    return pumpStoreWatch({
      store,
      codec,
      range: rangeOf(keys, selection),
      filter: filterOf(keys, selection),
      after,
      queue,
      counts,
      signal: abort.signal,
      reached: (revision) => this.#joins(watch, revision),
      waitForSpace: true,
    });
  }

  /** Makes a replayed watch live once the window covers what it has not seen yet. */
  #joins(watch: CachedWatch, revision: number): boolean {
    const { state, continuous } = this.#options;
    watch.replayed = Math.max(watch.replayed ?? 0, revision);
    if (watch.queue.ended !== undefined || watch.queue.closed) return true;
    if (!continuous.isOpen || revision < state.window.floor || state.window.countAfter(revision) > joinWithin)
      return false;
    const events = this.#changesAfter(revision, watch.selection);
    this.#endReplay(watch);
    this.#goLive(watch, revision);
    if (events.length > 0 && watch.queue.extend(events, weightOfAll(events))) watch.queue.announce();
    return true;
  }

  #endReplay(watch: CachedWatch): void {
    if (this.#replaying.delete(watch) && this.#replaying.size === 0) this.#progress.stop();
  }
}

function notCaughtUp(revision: number): never {
  throw new StorageError('Timeout', 'the watch cache did not catch up with the store', { revision });
}

/** Made while they are taken: a part of them is all that is ever there beside the objects, which are shared. */
function* beginningOf(
  objects: readonly StoredObject[],
  end: readonly ObjectEvent[],
  since: readonly ObjectEvent[],
): Generator<readonly ObjectEvent[]> {
  for (let start = 0; start < objects.length; start += backlogPart) {
    yield objects.slice(start, start + backlogPart).map((object) => objectEvent('ADDED', object.revision, object));
  }
  if (end.length > 0) yield end;
  yield* partsOf(since);
}

/** A part ends with a revision: a client that resumes after its last event must not miss the rest of it. */
function* partsOf(events: readonly ObjectEvent[]): Generator<readonly ObjectEvent[]> {
  for (let start = 0, end: number; start < events.length; start = end) {
    end = Math.min(start + backlogPart, events.length);
    while (end < events.length && events[end]!.revision === events[end - 1]!.revision) end++;
    yield events.slice(start, end);
  }
}
