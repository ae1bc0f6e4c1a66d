/**
 * Follows the objects of one resource for a reader inside the server that keeps an index over them.
 *
 * A watch brings the state and then each change, in order. When it ends (the reader was too slow, the store was away) a
 * new one begins with the state, and the differences to what was known are told like any other change. The objects are
 * those that the cache holds: nothing is copied.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Latch } from '../base/latch.ts';
import type { Logger } from '../base/logger.ts';
import type { ResourceStore } from '../registry/generic/resource-store.ts';
import type { ObjectEvent, ObjectWatch, StoredObject } from '../storage/objects.ts';

export interface ObjectFollowerOptions {
  readonly store: ResourceStore;
  readonly log: Logger;
  /** Told of every object that came, changed or went. */
  readonly onChange: (before: StoredObject | undefined, after: StoredObject | undefined) => void;
}

const retryMs = 1000;

export class ObjectFollower {
  readonly #options: ObjectFollowerOptions;
  readonly #known = new Map<string, StoredObject>();
  readonly #synced = new Latch();
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ObjectFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Whether the state has been told once. It stays so when the store is away later. */
  get isSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Rejects while the store cannot be read. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { log, store } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!this.isSynced) this.#synced.fail(error as Error);
        log.warn({ err: error, resource: store.resourceName }, 'objects could not be followed, trying again');
        await pause(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Until the watch ends. Throws when it cannot begin. */
  async #follow(signal: AbortSignal): Promise<void> {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    // What is there now; undefined once all of it has been told.
    let state: Set<string> | undefined = new Set();
    const open: { watch?: ObjectWatch } = {};
    let failure: unknown;
    const drain = (): void => {
      const { watch } = open;
      if (watch === undefined) return;
      try {
        for (const event of watch.take()) state = this.#apply(event, state);
      } catch (error) {
        // The caller is the cache: what the reader cannot cope with is not its trouble.
        failure = error;
      }
      if (watch.ended !== undefined || failure !== undefined) end();
    };
    const watch = await this.#options.store.watch({
      after: 'any',
      initialEvents: true,
      bookmarks: true,
      signal,
      onReady: drain,
    });
    open.watch = watch;
    signal.addEventListener('abort', end, { once: true });
    try {
      drain();
      await ended;
    } finally {
      signal.removeEventListener('abort', end);
      watch.close();
    }
    if (!signal.aborted) throw failure ?? watch.ended;
  }

  #apply(event: ObjectEvent, state: Set<string> | undefined): Set<string> | undefined {
    const { object } = event;
    if (object !== undefined) {
      const isThere = event.type !== 'DELETED';
      this.#tell(object.key, isThere ? object : undefined);
      if (isThere) state?.add(object.key);
      else state?.delete(object.key);
    }
    if (state === undefined || event.initialEventsEnd !== true) return state;
    for (const key of this.#known.keys()) if (!state.has(key)) this.#tell(key, undefined);
    this.#synced.open();
    return undefined;
  }

  #tell(key: string, after: StoredObject | undefined): void {
    const before = this.#known.get(key);
    if (before === after || (before !== undefined && before.revision === after?.revision)) return;
    if (after === undefined) this.#known.delete(key);
    else this.#known.set(key, after);
    this.#options.onChange(before, after);
  }
}
