/**
 * Keeps the cache with the store.
 *
 * 1. Fill: list everything at one revision, page by page. Objects the cache already has at the same version are kept.
 * 2. Watch from that revision on.
 * 3. When the store goes away, the watch is opened anew where it ended: nothing is missed, watchers stay.
 *    When that revision has been compacted meanwhile, what happened in between is not known: watchers are ended, and
 *    the cache is filled anew.
 */
import type { StorageCounts } from '../storage-counts.ts';
import { sleep } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isStorageError, StorageError } from '../storage-error.ts';
import type { KeyValue, Store } from '../interface.ts';
import type { StoredObject } from '../objects.ts';
import { readPages } from '../read-pages.ts';
import { asStorageError } from '../store-watch.ts';
import { ObjectIndex } from './object-index.ts';
import type { CacheState, FilledState } from './state.ts';

export interface ReflectorOptions {
  readonly store: Store;
  readonly prefix: string;
  readonly state: CacheState;
  readonly counts: StorageCounts;
  readonly clock: Clock;
  readonly log: Logger;
  /** The cache is filled, and its watch on the store has no gap. */
  readonly onContinuous: () => void;
  /** The store could not be read, for a reason that may last; it is tried again. */
  readonly onUnfilled: (error: StorageError) => void;
  /** Changes were missed: what watchers were told so far cannot be continued. */
  readonly onGap: (error: StorageError) => void;
}

const firstBackoffMs = 100;
const longestBackoffMs = 5_000;

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #round = new AbortController();
  #mustFill = true;
  #inContact = false;
  #soundProgress = false;
  #backoffMs = firstBackoffMs;
  #lastError: StorageError | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Filled, and the store has answered since it was last lost. */
  get ready(): boolean {
    return this.#inContact && !this.#mustFill;
  }

  /** Whether the store's progress notifications can be believed. */
  get soundProgress(): boolean {
    return this.#soundProgress;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#round.abort();
    await this.#running;
  }

  /** What the cache knows is of another history than the store's: begin again. */
  reset(): void {
    if (this.#mustFill) return;
    this.#options.log.warn({ prefix: this.#options.prefix }, 'the store has gone back in time; filling the cache anew');
    this.#lose(new StorageError('Compacted', 'the store has gone back in time'));
    this.#round.abort();
  }

  /** What could not be read when the cache was filled can be read now. */
  fillAgain(): void {
    if (this.#mustFill) return;
    this.#lose(new StorageError('Compacted', 'the watch cache is filled anew'));
    this.#round.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      this.#round = new AbortController();
      const failed = await this.#listAndWatch().catch(asStorageError);
      this.#inContact = false;
      if (signal.aborted) return;
      if (failed !== undefined) await this.#recover(failed);
    }
  }

  async #listAndWatch(): Promise<undefined> {
    const { store, state, prefix } = this.#options;
    const { signal } = this.#round;
    this.#soundProgress = (await store.status(signal)).soundProgress;
    if (this.#mustFill) await this.#fill();
    else await store.currentRevision(signal);
    this.#contact();
    for await (const batch of store.watch(prefix, { after: state.revision, signal })) {
      this.#contact();
      this.#apply(() => state.apply(batch));
    }
    if (!signal.aborted) throw new StorageError('Unavailable', 'the watch on the store has ended');
  }

  async #fill(): Promise<void> {
    const { store, prefix, state, counts, onContinuous, log } = this.#options;
    counts.store.lists++;
    const filled = { index: new ObjectIndex(), unreadable: new Map<string, StorageError>() };
    let revision = 0;
    for await (const page of readPages(store, { range: { prefix }, signal: this.#round.signal })) {
      revision = page.revision;
      counts.store.fetched += page.kvs.length;
      counts.store.returned += page.kvs.length;
      for (const kv of page.kvs) this.#take(kv, filled);
    }
    state.replace({ revision, ...filled });
    counts.initializations++;
    this.#mustFill = false;
    log.debug({ prefix, revision, objects: filled.index.size }, 'the watch cache is filled');
    onContinuous();
  }

  /** @NOTE differs from upstream: an object that cannot be read does not keep the others out. */
  #take(kv: KeyValue, { index, unreadable }: Pick<FilledState, 'index' | 'unreadable'>): void {
    const object = this.#share(kv, unreadable);
    if (object !== undefined) index.set(object);
  }

  #share(kv: KeyValue, unreadable: Map<string, StorageError>): StoredObject | undefined {
    try {
      return this.#options.state.share(kv);
    } catch (error) {
      this.#options.log.error({ key: kv.key, revision: kv.modRevision, err: error }, 'a stored object cannot be read');
      unreadable.set(kv.key, asStorageError(error));
      return undefined;
    }
  }

  /** A batch that was applied by half is a gap. */
  #apply(apply: () => void): void {
    try {
      apply();
    } catch (error) {
      this.#lose(new StorageError('Internal', 'a change could not be taken into the cache', { cause: error }));
      throw error;
    }
  }

  #contact(): void {
    this.#inContact = true;
    this.#lastError = undefined;
    this.#backoffMs = firstBackoffMs;
  }

  async #recover(error: StorageError): Promise<void> {
    const { log, prefix, clock } = this.#options;
    // Each resource has a cache: what has been said once is not said again with every attempt.
    const isKnown = this.#lastError?.message === error.message;
    this.#lastError = error;
    if (isStorageError(error, 'Compacted')) this.#lose(error);
    else if (this.#mustFill) this.#options.onUnfilled(error);
    log[isKnown ? 'debug' : 'warn'](
      { prefix, err: error, retryInMs: this.#backoffMs },
      'the watch cache lost the store',
    );
    await sleep(clock, this.#backoffMs, this.#abort.signal);
    this.#backoffMs = Math.min(this.#backoffMs * 2, longestBackoffMs);
  }

  #lose(error: StorageError): void {
    if (this.#mustFill) return;
    this.#mustFill = true;
    this.#options.onGap(error);
  }
}
