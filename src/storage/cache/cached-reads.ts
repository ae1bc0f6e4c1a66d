/** Which state answers a read. */
import type { Latch } from '../../base/latch.ts';
import type { StorageCounts } from '../storage-counts.ts';
import { isStorageError } from '../storage-error.ts';
import type { ObjectList, ObjectListOptions, ObjectStorage, ReadVersion, Selection, StoredObject } from '../objects.ts';
import { hasSelector, rangeOf } from '../selection.ts';
import type { KeyRange, ResourceKeys } from '../selection.ts';
import type { Reflector } from './reflector.ts';
import { aborted } from './freshness.ts';
import type { Freshness } from './freshness.ts';
import { readPage, selectFrom } from './page.ts';
import type { CacheState } from './state.ts';
import type { VerifiedViews, View } from './verified-views.ts';

export interface CachedReadsOptions {
  readonly keys: ResourceKeys;
  readonly state: CacheState;
  readonly counts: StorageCounts;
  readonly reflector: Reflector;
  readonly freshness: Freshness;
  readonly verified: VerifiedViews;
  /** For what is not in memory. */
  readonly direct: ObjectStorage;
  /** Open once the cache has been filled. */
  readonly filled: Latch;
}

interface Found {
  /** Its name in metrics: fields and labels with upstream's prefixes. */
  readonly index: string;
  readonly objects: ReadonlySet<StoredObject>;
}

/** How many objects can be looked at in order for each that is sorted into its place. */
const sortingCosts = 4;

export class CachedReads {
  readonly #options: CachedReadsOptions;

  constructor(options: CachedReadsOptions) {
    this.#options = options;
  }

  async get(key: string, version: ReadVersion, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const { state, filled, reflector, freshness, direct } = this.#options;
    if (!filled.isOpen) await this.waitUntilFilled(signal);
    if (version.match === 'exact') return this.#getExact(key, version.revision, signal);
    if (state.unreadableIn({ prefix: key, key }) !== undefined) {
      const object = await direct.get(key, version, signal);
      reflector.fillAgain();
      return object;
    }
    const least = version.match === 'any' ? 0 : version.match === 'mostRecent' ? Infinity : version.revision;
    if (state.revision < least) {
      if (!reflector.soundProgress) return this.#getVerified(key, least, signal);
      if (least < Infinity) await freshness.reach(least, signal);
      else if (!(await this.#isFresh(freshness.fresh(signal)))) return direct.get(key, version, signal);
    }
    return state.get(key);
  }

  async list(options: ObjectListOptions): Promise<ObjectList> {
    const { keys, filled, direct, state, counts } = this.#options;
    const { version, selection, signal } = options;
    if (!filled.isOpen) await this.waitUntilFilled(signal);
    const range = rangeOf(keys, selection);
    if (state.unreadableIn(range) !== undefined) {
      const answer = await direct.list(options);
      await this.recover(range, signal);
      return answer;
    }
    const view = version.match === 'exact' ? this.#past(version.revision) : await this.#present(version, range, signal);
    if (version.match === 'mostRecent') counts.consistent[view === undefined ? 'left' : 'answered']++;
    if (view === undefined) return direct.list(options);
    return this.#answer(view, options);
  }

  /** What a selection has, in key order. */
  collect(view: View, selection: Selection | undefined, after?: string): readonly StoredObject[] {
    const { keys } = this.#options;
    const found = this.#find(view, selection);
    return found === undefined
      ? readPage(keys, view, { selection, after }).objects
      : selectFrom(found.objects, keys, { selection, after });
  }

  /** What an index of the present has for a selection: all that it selects, and maybe more. */
  #find({ index }: View, selection: Selection = {}): Found | undefined {
    const { keys, state } = this.#options;
    const { fieldEquals, labelEquals } = selection;
    const range = rangeOf(keys, selection);
    if (index !== state.index || range.key !== undefined) return undefined;
    const byField = state.fields.find(fieldEquals);
    if (byField !== undefined) return { index: `f:${state.fields.fieldOf(fieldEquals)!}`, objects: byField };
    const byLabel = state.labelled(labelEquals);
    // Many objects are sooner found in order than put into order, and a namespace may have few of all that have the
    // label.
    return byLabel === undefined || byLabel.size * sortingCosts > index.countAfter(range, '')
      ? undefined
      : { index: 'l:', objects: byLabel };
  }

  /** A state not older than any write acknowledged before the call, or undefined when the cache did not get there. */
  async mostRecent(range: KeyRange, signal?: AbortSignal): Promise<View | undefined> {
    const { state, reflector, freshness, verified } = this.#options;
    if (!reflector.soundProgress) return verified.view(range, signal).catch(rethrowAbort(signal));
    return (await this.#isFresh(freshness.fresh(signal))) ? state : undefined;
  }

  /**
   * Throws when the store could not be read, unless the cache waits for the store.
   *
   * @NOTE differs from upstream: readers wait also with the gate ResilientWatchCacheInitialization, with which upstream
   *   answers watches with 429 and passes other reads on to the store.
   */
  async waitUntilFilled(signal?: AbortSignal): Promise<void> {
    await this.#options.filled.wait(signal).catch(rethrowAbort(signal));
  }

  /** What could not be read because its key was not at hand can be read when it is: the cache then begins again. */
  async recover(range: KeyRange, signal?: AbortSignal): Promise<void> {
    const { state, direct, reflector } = this.#options;
    const key = state.unreadableIn(range);
    if (key === undefined) return;
    const isReadable = await direct.get(key, { match: 'mostRecent' }, signal).then(
      () => true,
      () => false,
    );
    if (isReadable) reflector.fillAgain();
  }

  /** Nothing may be awaited between this and the answer: the state that is found can be the one that moves on. */
  #past(revision: number): View | undefined {
    const index = this.#options.state.at(revision);
    return index && { revision, index };
  }

  async #present(
    version: Exclude<ReadVersion, { match: 'exact' }>,
    range: KeyRange,
    signal?: AbortSignal,
  ): Promise<View | undefined> {
    if (version.match === 'any') return this.#options.state;
    return version.match === 'mostRecent'
      ? this.mostRecent(range, signal)
      : this.notOlderThan(version.revision, range, signal);
  }

  #answer(view: View, options: ObjectListOptions): ObjectList {
    const { keys, state, counts } = this.#options;
    const { selection, after, limit } = options;
    const range = rangeOf(keys, selection);
    state.checkReadable(range);
    const found = limit ? undefined : this.#find(view, selection);
    if (found !== undefined) {
      const objects = selectFrom(found.objects, keys, { selection, after });
      counts.cacheList(found.index, found.objects.size, objects.length);
      return { revision: view.revision, objects };
    }
    const page = readPage(keys, view, options);
    // Without a selector, or for a page, no more is looked at than is given out.
    counts.cacheList(
      '',
      limit || !hasSelector(selection) ? page.objects.length : view.index.countAfter(range, ''),
      page.objects.length,
    );
    if (!limit) return page;
    if (page.lastKey !== undefined && !view.partial) state.hold(page.revision, view.index);
    return page;
  }

  /** A state that is at least as new as `revision`. Throws `Timeout` when there is none in time. */
  async notOlderThan(revision: number, range: KeyRange, signal?: AbortSignal): Promise<View> {
    const { state, freshness, reflector, verified } = this.#options;
    if (state.revision >= revision) return state;
    if (!reflector.soundProgress) {
      const view = await verified.view(range, signal).catch(rethrowAbort(signal));
      if (view.revision >= revision) return view;
    }
    await freshness.reach(revision, signal);
    return state;
  }

  async #getVerified(key: string, least: number, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const { state, freshness, verified } = this.#options;
    const { revision, object } = await verified.get(key, signal).catch(rethrowAbort(signal));
    if (least === Infinity || revision >= least) return object;
    await freshness.reach(least, signal);
    return state.get(key);
  }

  async #getExact(key: string, revision: number, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const { state, direct } = this.#options;
    const index = state.at(revision);
    return index === undefined ? direct.get(key, { match: 'exact', revision }, signal) : index.get(key);
  }

  /** False when the cache did not catch up in time: its watch hangs while the store answers. */
  async #isFresh(waiting: Promise<void>): Promise<boolean> {
    try {
      await waiting;
      return true;
    } catch (error) {
      if (isStorageError(error, 'Timeout')) return false;
      throw error;
    }
  }
}

function rethrowAbort(signal: AbortSignal | undefined): (error: unknown) => never {
  return (error) => {
    throw signal?.aborted && error === signal.reason ? aborted(signal) : error;
  };
}
