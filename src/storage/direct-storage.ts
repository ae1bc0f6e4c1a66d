/**
 * Object storage without a memory: every read asks the store, every watch is a watch on the store. For resources whose
 * watch cache is switched off, and for what a cache no longer has.
 */
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { StorageCounts } from './storage-counts.ts';
import { StorageError } from './storage-error.ts';
import { bookmarkEvent, defaultBookmarkIntervalMs } from './bookmarks.ts';
import { objectEvent, weightOf } from './object-events.ts';
import type { Store } from './interface.ts';
import type {
  ObjectCodec,
  ObjectEvent,
  ObjectGuardedResult,
  ObjectList,
  ObjectListOptions,
  ObjectStorage,
  ObjectWatch,
  ObjectWatchOptions,
  ObjectWrite,
  ReadVersion,
  StoredObject,
} from './objects.ts';
import { decodeListed, decodeObject } from './decode-object.ts';
import { OpenWatches } from './open-watches.ts';
import { keyAfter, readPages } from './read-pages.ts';
import type { Page } from './read-pages.ts';
import { filterOf, hasSelector, rangeOf } from './selection.ts';
import type { AttributesFilter, KeyRange, ResourceKeys } from './selection.ts';
import { asStorageError, pumpStoreWatch } from './store-watch.ts';
import { tooLargeResourceVersion } from './too-large-resource-version.ts';
import { defaultWatchLimits, isTerminated, weightOfAll, WatchQueue } from './watch-queue.ts';
import type { WatchLimits } from './watch-queue.ts';
import { ObjectWriter } from './object-writer.ts';
import type { ObjectDeleteResult } from './object-writer.ts';

export interface DirectObjectStorageOptions {
  readonly store: Store;
  /** Ends with '/'. */
  readonly prefix: string;
  /** Whether keys are `<prefix><namespace>/<name>` (the default) or `<prefix><name>`. */
  readonly namespaced?: boolean;
  readonly codec: ObjectCodec;
  readonly clock?: Clock;
  readonly watchLimits?: Partial<WatchLimits>;
  readonly bookmarkIntervalMs?: number;
  readonly counts?: StorageCounts;
}

export function createDirectObjectStorage(options: DirectObjectStorageOptions): ObjectStorage {
  return new DirectObjectStorage(options);
}

class DirectObjectStorage implements ObjectStorage {
  readonly prefix: string;
  readonly counts: StorageCounts;
  readonly #store: Store;
  readonly #codec: ObjectCodec;
  readonly #keys: ResourceKeys;
  readonly #limits: WatchLimits;
  readonly #writer: ObjectWriter;
  readonly #watches: OpenWatches;

  constructor({
    store,
    prefix,
    namespaced = true,
    codec,
    clock = systemClock,
    watchLimits,
    bookmarkIntervalMs = defaultBookmarkIntervalMs,
    counts = new StorageCounts(),
  }: DirectObjectStorageOptions) {
    this.prefix = prefix;
    this.counts = counts;
    this.#store = store;
    this.#codec = codec;
    this.#keys = { prefix, namespaced };
    this.#limits = { ...defaultWatchLimits, ...watchLimits };
    this.#writer = new ObjectWriter({ store, codec, toObject: (kv) => decodeObject(codec, kv) });
    this.#watches = new OpenWatches({
      clock,
      bookmarkIntervalMs,
      requestProgress: () => void store.requestProgress(prefix).catch(() => undefined),
    });
  }

  async get(key: string, version: ReadVersion, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const at = version.match === 'exact' ? { revision: version.revision } : {};
    const { revision, kv } = await this.#store.get(key, { ...at, ...(signal === undefined ? {} : { signal }) });
    requireRevision(version, revision);
    return kv === undefined ? undefined : decodeObject(this.#codec, kv);
  }

  async list(options: ObjectListOptions): Promise<ObjectList> {
    const { version, selection, after, limit, signal } = options;
    const filter = filterOf(this.#keys, selection);
    const pages = readPages(this.#store, {
      range: rangeOf(this.#keys, selection),
      ...(version.match === 'exact' ? { revision: version.revision } : {}),
      ...(after === undefined ? {} : { start: keyAfter(after) }),
      ...(limit && filter === undefined ? { limit } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const objects: StoredObject[] = [];
    let revision = 0;
    this.counts.store.lists++;
    for await (const page of pages) {
      revision = page.revision;
      this.counts.store.fetched += page.kvs.length;
      requireRevision(version, revision);
      const rest = this.#collect(page, { objects, filter, limit: limit || Infinity });
      if (rest === undefined || rest.count === 0) continue;
      this.counts.store.returned += objects.length;
      return { revision, objects, lastKey: rest.lastKey, ...(hasSelector(selection) ? {} : { remaining: rest.count }) };
    }
    this.counts.store.returned += objects.length;
    return { revision, objects };
  }

  async watch(options: ObjectWatchOptions): Promise<ObjectWatch> {
    const abort = new AbortController();
    const watch: DirectWatch = {
      abort,
      position: 0,
      range: rangeOf(this.#keys, options.selection),
      filter: filterOf(this.#keys, options.selection),
    };
    const queue: WatchQueue = new WatchQueue({
      onReady: options.onReady,
      limits: this.#limits,
      position: () => watch.position,
      onClose: () => {
        if (isTerminated(queue)) this.counts.terminatedWatchers++;
        this.#watches.remove(queue);
        abort.abort();
      },
    });
    const { after } = options;
    if (typeof after === 'number' && after > 0 && options.initialEvents !== true) this.#watchStore(watch, queue, after);
    else if (options.initialEvents === false)
      this.#watchStore(watch, queue, await this.#store.currentRevision(options.signal));
    else await this.#beginWithState(watch, queue, options);
    this.#watches.add(queue, options);
    return queue;
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

  async isStale({ key, revision }: StoredObject, signal?: AbortSignal): Promise<boolean> {
    return (await this.#store.isStale?.(key, revision, signal)) ?? false;
  }

  async count(): Promise<number> {
    return (await this.#store.list(this.prefix, { limit: 1, keysOnly: true })).count;
  }

  ready(): boolean {
    return true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#watches.endAll(new StorageError('Aborted', 'the storage was closed'));
    return Promise.resolve();
  }

  /** Takes a page's objects until the limit; then returns what is left of the range. */
  #collect(
    page: Page,
    into: { objects: StoredObject[]; filter: AttributesFilter | undefined; limit: number },
  ): { count: number; lastKey: string } | undefined {
    for (const [index, kv] of page.kvs.entries()) {
      const object = decodeListed(this.#codec, kv);
      if (into.filter !== undefined && !into.filter(object.attributes)) continue;
      into.objects.push(object);
      if (into.objects.length === into.limit)
        return { count: page.kvs.length - index - 1 + page.rest, lastKey: kv.key };
    }
    return undefined;
  }

  #watchStore(watch: DirectWatch, queue: WatchQueue, after: number): void {
    watch.position = after;
    queue.begin(after);
    void this.#pump(watch, queue, after).catch((error: unknown) => queue.end(asStorageError(error)));
  }

  /** The first page is awaited: a state that cannot be had is the caller's error, not the end of a watch. */
  async #beginWithState(watch: DirectWatch, queue: WatchQueue, options: ObjectWatchOptions): Promise<void> {
    const { after, signal } = options;
    const pages = readPages(this.#store, { range: watch.range, ...(signal === undefined ? {} : { signal }) });
    const first = await pages.next();
    if (first.done === true) throw new StorageError('Internal', 'a list without a page');
    if (typeof after === 'number') requireRevision({ match: 'notOlderThan', revision: after }, first.value.revision);
    queue.begin(0);
    const bookmark = options.initialEvents === true && options.bookmarks === true;
    void this.#sendState({ watch, queue, first: first.value, pages, bookmark }).catch((error: unknown) =>
      queue.end(asStorageError(error)),
    );
  }

  async #sendState({ watch, queue, first, pages, bookmark }: StateSource): Promise<void> {
    this.#pushState(first, watch, queue);
    for await (const page of pages) {
      await queue.space();
      if (queue.closed || queue.ended !== undefined) return;
      this.#pushState(page, watch, queue);
    }
    watch.position = first.revision;
    if (bookmark) push(queue, [bookmarkEvent(first.revision, true)]);
    await this.#pump(watch, queue, first.revision);
  }

  #pushState(page: Page, { filter }: DirectWatch, queue: WatchQueue): void {
    const objects = page.kvs
      .map((kv) => decodeListed(this.#codec, kv))
      .filter((object) => filter === undefined || filter(object.attributes));
    push(
      queue,
      objects.map((object) => objectEvent('ADDED', object.revision, object)),
    );
  }

  #pump(watch: DirectWatch, queue: WatchQueue, after: number): Promise<void> {
    const { range, filter, abort } = watch;
    const reached = (revision: number): boolean => {
      watch.position = Math.max(watch.position, revision);
      return false;
    };
    return pumpStoreWatch({
      store: this.#store,
      codec: this.#codec,
      range,
      filter,
      after,
      queue,
      counts: this.counts,
      signal: abort.signal,
      reached,
    });
  }
}

interface DirectWatch {
  readonly abort: AbortController;
  readonly range: KeyRange;
  readonly filter: AttributesFilter | undefined;
  /** Every change up to this revision was pushed. */
  position: number;
}

interface StateSource {
  readonly watch: DirectWatch;
  readonly queue: WatchQueue;
  readonly first: Page;
  readonly pages: AsyncGenerator<Page>;
  readonly bookmark: boolean;
}

function push(queue: WatchQueue, events: readonly ObjectEvent[]): void {
  if (events.length > 0 && queue.push(events, events.length === 1 ? weightOf(events[0]!) : weightOfAll(events)))
    queue.announce();
}

function requireRevision(version: ReadVersion, revision: number): void {
  if (version.match === 'notOlderThan' && revision < version.revision)
    throw tooLargeResourceVersion(version.revision, revision);
}
