/**
 * Keeps the objects of one resource as its source has them, and tells handlers of each change.
 *
 * 1. List: the state at one version. What was known before and is not in it is gone: its deletion was missed, and
 *    handlers are told so.
 * 2. Watch: each change after that version, in order. A watch that ends is opened again where it ended.
 * 3. When the source no longer knows what came after that (410), or refuses the watch, it is listed again.
 *
 * Time does not go back: a list that is older than what was told, as a server gives whose cache is behind, is a failure
 * of the source. Otherwise what was made since would be told as deleted, and a controller would make it again.
 *
 * Where the source gives its objects away, parts that are equal are in memory once: those of an object before and after
 * a change, and those of neighbours in a list.
 *
 * Handlers are called at once, one after the other, from where the source calls: they do little. Each sees all changes
 * of a key in order, and an informer that lists again tells it the differences only.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { Latch } from '../base/latch.ts';
import type { Logger } from '../base/logger.ts';
import { isResourceExpired } from '../machinery/resource-expired.ts';
import { CooperativeScheduler } from '../machinery/cooperative-scheduling.ts';
import { isStatusError } from '../machinery/status.ts';
import { Handlers, type InformerHandler, type HandlerRegistration } from './handlers.ts';
import { type IndexedObjects, type Indexers, ObjectIndexes } from './indexers.ts';
import { Lister } from './lister.ts';
import { ObjectIntake, objectsPerStep } from './object-intake.ts';
import { isOlder, newer } from './object-versions.ts';
import { pause } from './pause.ts';
import { RetryDelay, type RetryLimits } from './retry-delay.ts';
import type { Source, SourceEvent, SourceWatch, WatchEnd } from './source.ts';

export interface InformerOptions<T> {
  readonly source: Source<T>;
  readonly log: Logger;
  /** Told each time that the source fails, in place of the log. */
  readonly onError?: (error: unknown) => void;
  readonly indexers?: Indexers<T>;
  /**
   * What is kept of an object, such as without its managed fields. Key, namespace, labels and version must stay. What
   * it throws is a failure of the source: an object is never left out.
   */
  readonly transform?: (object: T) => T;
  /** The first list is not older than this version, either: see {@link Informer.requireVersion}. */
  readonly notBefore?: string;
  /** How often handlers are told of all objects again, in milliseconds; never when absent. */
  readonly resyncMs?: number;
  /** Between attempts that fail. */
  readonly retry?: RetryLimits;
  readonly clock?: Clock;
  /** For jitter; a number in [0, 1). */
  readonly random?: () => number;
}

/** As client-go's reflectors. */
const defaultRetry: RetryLimits = { firstMs: 800, maxMs: 30_000, jitter: 1 };
/** A watch that ends sooner without an event is a failure, even when nothing says so. */
const shortWatchMs = 1000;
/** So many lists in a row are refused as too old. Then the source has been restored from a backup. */
const maxOldLists = 10;

export class Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #objects: ObjectIndexes<T>;
  readonly #intake: ObjectIntake<T>;
  readonly #handlers: Handlers<T>;
  readonly #retry: RetryDelay;
  readonly #synced = new Latch();
  readonly #everSynced = new Latch();
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  /** All changes up to there were told, unless the source has to be listed. */
  #version: string | undefined;
  /** No list is older. */
  #notBefore: string | undefined;
  #mustList = true;
  #listInPages = true;
  /** Lists in a row that were refused as too old. */
  #oldLists = 0;
  /** The watch brought something, or lasted. */
  #progressed = false;

  readonly lister: Lister<T>;

  constructor(options: InformerOptions<T>) {
    const { source, indexers, clock = systemClock, random = Math.random, retry = defaultRetry, log } = options;
    this.#options = options;
    this.#clock = clock;
    this.#notBefore = options.notBefore;
    this.#objects = new ObjectIndexes(indexers);
    this.#intake = new ObjectIntake(source, options.transform, this.#objects);
    this.#handlers = new Handlers((error) =>
      log.error({ err: error, resource: source.resource }, 'a handler of an informer failed'),
    );
    this.#retry = new RetryDelay(retry, random);
    this.lister = new Lister(this.#objects, source.view);
  }

  /** The state, for reading. */
  get objects(): IndexedObjects<T> {
    return this.#objects;
  }

  keyOf(object: T): string {
    return this.#options.source.view.keyOf(object);
  }

  /** Also of an informer that runs. */
  addIndexers(indexers: Indexers<T>): void {
    this.#objects.addIndexers(indexers);
  }

  /** The handler is told of what is there at once, as added, and of each change from then on. */
  addHandler(handler: InformerHandler<T>): HandlerRegistration {
    return this.#handlers.add(handler, this.#objects.values());
  }

  /**
   * From now on no list that is older than this version is told, such as one that is under way from a server whose
   * cache is behind. What was told before stays, and is followed by the watch.
   */
  requireVersion(version: string): void {
    this.#notBefore = newer(this.#notBefore, version);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the watch and waits for it. The state stays. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** All changes up to this version were told; undefined before the first list. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Whether the whole state has been told once. It stays so when the source is away later. */
  get hasSynced(): boolean {
    return this.#everSynced.isOpen;
  }

  /** Resolves when the whole state has been told once. Rejects while the source cannot be read. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** The same for those who can wait until the source is back. Rejects when the signal aborts. */
  untilSynced(signal: AbortSignal): Promise<void> {
    return this.#everSynced.wait(signal);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const resync = this.#resyncLater();
    while (!signal.aborted) {
      this.#progressed = false;
      const end = await this.#listAndWatch(signal).catch((error: unknown): WatchEnd => ({ error }));
      if (!signal.aborted) await this.#recover(end);
    }
    resync?.();
  }

  async #listAndWatch(signal: AbortSignal): Promise<WatchEnd> {
    if (this.#mustList) await this.#list(signal);
    return this.#watch(signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source } = this.#options;
    const pages: (readonly T[])[] = [];
    let version: string | undefined;
    try {
      const options = {
        notBefore: newer(this.#version, this.#notBefore),
        isMostRecent: this.#oldLists > 0,
        inPages: this.#listInPages,
        signal,
      };
      for await (const page of source.list(options)) {
        pages.push(await this.#intake.page(page.objects));
        version ??= page.version;
        this.#refuseOlder(page.version, newer(this.#version, this.#notBefore));
      }
    } catch (error) {
      // Without pages nothing can expire between them.
      if (isResourceExpired(error)) this.#listInPages = pages.length === 0;
      throw error;
    }
    await this.#replace(pages, signal);
    if (signal.aborted) return;
    this.#listInPages = true;
    this.#version = version;
    this.#mustList = false;
    this.#everSynced.open();
    this.#synced.open();
  }

  #refuseOlder(version: string, notBefore: string | undefined): void {
    if (notBefore === undefined || !isOlder(version, notBefore)) this.#oldLists = 0;
    else if (++this.#oldLists <= maxOldLists)
      throw new Error(`the source listed version ${version}, which is older than ${notBefore}`);
  }

  /** Tells the differences to what was known. */
  async #replace(pages: readonly (readonly T[])[], signal: AbortSignal): Promise<void> {
    const { keyOf } = this.#options.source.view;
    const scheduler = new CooperativeScheduler();
    const isInitial = !this.hasSynced;
    const missing = new Set(this.#objects.keys());
    let told = 0;
    for (const page of pages) {
      for (const object of page) {
        const key = keyOf(object);
        missing.delete(key);
        this.#set(key, object, isInitial);
        if (++told % objectsPerStep === 0) await scheduler.next();
        if (signal.aborted) return;
      }
    }
    for (const key of missing) this.#delete(key, undefined);
  }

  /** Resolves when the watch has ended. Throws when it cannot begin. */
  async #watch(signal: AbortSignal): Promise<WatchEnd> {
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const open: { watch?: SourceWatch<T> } = {};
    let failure: WatchEnd | undefined;
    let isTaking = false;
    let hasMore = false;
    const onReady = (): void => {
      hasMore = true;
      const { watch } = open;
      // A handler may do what makes the source call again: what came is told after what is being told.
      if (watch === undefined || isTaking || failure !== undefined) return;
      isTaking = true;
      try {
        while (hasMore) {
          hasMore = false;
          this.#take(watch);
        }
      } catch (error) {
        this.#mustList = true;
        failure = { error };
      } finally {
        isTaking = false;
      }
      if (watch.ended !== undefined || failure !== undefined) end();
    };
    const begun = this.#clock.now();
    const watch = await this.#options.source.watch({ after: this.#version!, signal, onReady });
    open.watch = watch;
    signal.addEventListener('abort', end, { once: true });
    try {
      onReady();
      if (!signal.aborted) await over;
    } finally {
      signal.removeEventListener('abort', end);
      this.#version = watch.version;
      watch.close();
    }
    this.#progressed ||= this.#clock.now() - begun >= shortWatchMs;
    return failure ?? watch.ended ?? {};
  }

  #take(watch: SourceWatch<T>): void {
    const events = watch.take();
    if (events.length > 0) this.#progressed = true;
    for (const event of events) this.#apply(event);
    this.#version = watch.version;
  }

  #apply({ type, object }: SourceEvent<T>): void {
    if (object === undefined) return;
    const kept = this.#intake.keep(object);
    const key = this.keyOf(kept);
    if (type === 'DELETED') this.#delete(key, kept);
    else this.#set(key, kept, false);
  }

  #set(key: string, object: T, isInitial: boolean): void {
    const { versionOf } = this.#options.source.view;
    const before = this.#objects.get(key);
    if (before !== undefined && (before === object || versionOf(before) === versionOf(object))) return;
    this.#objects.set(key, object);
    if (before === undefined) this.#handlers.added(object, isInitial);
    else this.#handlers.updated(before, object);
  }

  #delete(key: string, final: T | undefined): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#handlers.deleted(before, final);
  }

  async #recover({ error }: WatchEnd): Promise<void> {
    if (this.#progressed) this.#retry.reset();
    if (error === undefined && this.#progressed) return;
    if (error !== undefined) {
      this.#mustList ||= mustListAfter(error);
      if (!this.hasSynced) this.#synced.fail(error as Error);
    }
    const retryInMs = this.#retry.next(error);
    if (error !== undefined) this.#report(error, retryInMs);
    await pause(this.#clock, retryInMs, this.#abort.signal);
  }

  #report(error: unknown, retryInMs: number): void {
    const { source, log, onError } = this.#options;
    if (onError !== undefined) return onError(error);
    log.warn({ err: error, resource: source.resource, retryInMs }, 'an informer lost its source and tries again');
  }

  /** @returns what ends it */
  #resyncLater(): (() => void) | undefined {
    const { resyncMs } = this.#options;
    if (resyncMs === undefined) return undefined;
    const resync = (): void => {
      timer = this.#clock.after(resyncMs, resync);
      for (const object of [...this.#objects.values()]) this.#handlers.updated(object, object);
    };
    let timer = this.#clock.after(resyncMs, resync);
    return () => timer.cancel();
  }
}

/**
 * An answer that the same watch would get again. A source that is away, or has too much to do, is no reason to list.
 */
const mustListAfter = (error: unknown): boolean => isStatusError(error) && !isTransient.has(error.code);

const isTransient: ReadonlySet<number> = new Set([429, 502, 503, 504]);
