/**
 * Watches each object that a pod asks for, so that a read costs nothing and a change is known at once. While the API
 * server is away, the last state is used on. An immutable object is not watched any more once it was seen, and one that
 * no pod refers to only until it was not asked for during five minutes.
 */
import { abortable } from '../../../base/abortable.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { onEveryChange } from '../../../reconcile/handlers.ts';
import { Informer } from '../../../reconcile/informer.ts';
import type { Source } from '../../../reconcile/source.ts';
import type { ObjectReader } from './object-reader.ts';

export interface WatchedObjectsOptions<T> {
  /** Of one object alone. */
  readonly source: (namespace: string, name: string) => Source<T>;
  /** As messages name it: `configmap` */
  readonly what: string;
  readonly onChange: (namespace: string, name: string) => void;
  readonly isUsed: (namespace: string, name: string) => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

interface Watched<T> {
  readonly namespace: string;
  readonly name: string;
  readonly informer: Informer<T>;
  usedAt: number;
}

const idleMs = 300_000;
const sweepMs = 60_000;
/** A read waits no longer for the first state. */
const syncMs = 10_000;
const retry = { firstMs: 200, maxMs: 30_000, jitter: 0.5 };

export class WatchedObjects<T extends { readonly immutable?: boolean }> implements ObjectReader<T> {
  readonly #options: WatchedObjectsOptions<T>;
  readonly #watched = new Map<string, Watched<T>>();
  #sweptAt = 0;

  constructor(options: WatchedObjectsOptions<T>) {
    this.#options = options;
  }

  /** How many objects are watched. */
  get size(): number {
    return this.#watched.size;
  }

  async get(namespace: string, name: string, signal?: AbortSignal): Promise<T | undefined> {
    this.#sweep();
    const key = `${namespace}/${name}`;
    let watched = this.#watched.get(key);
    if (watched === undefined) this.#watched.set(key, (watched = this.#begin(namespace, name)));
    watched.usedAt = this.#options.clock.now();
    const { informer } = watched;
    if (!informer.hasSynced) await this.#synced(informer, signal);
    const [object] = informer.objects.values();
    // It does not change any more.
    if (object?.immutable === true) void informer.stop();
    return object;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ informer }) => informer.stop()));
    this.#watched.clear();
  }

  #begin(namespace: string, name: string): Watched<T> {
    const { source, onChange, clock, random, log } = this.#options;
    const informer = new Informer<T>({ source: source(namespace, name), clock, random, log, retry });
    const watched = { namespace, name, informer, usedAt: clock.now() };
    let isKnown = false;
    informer.addHandler(
      onEveryChange(() => {
        if (isKnown) onChange(namespace, name);
      }),
    );
    void informer.untilSynced(new AbortController().signal).then(
      () => (isKnown = true),
      () => undefined,
    );
    informer.start();
    return watched;
  }

  async #synced(informer: Informer<T>, signal: AbortSignal | undefined): Promise<void> {
    const { clock, what } = this.#options;
    const ended = new AbortController();
    const ends = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
    const late = sleep(clock, syncMs, ends).then(() => {
      throw new Error(`failed to sync ${what} cache: timed out waiting for the condition`);
    });
    late.catch(() => undefined);
    try {
      await abortable(Promise.race([informer.synced(ends), late]), signal ?? ends);
    } finally {
      ended.abort();
    }
  }

  #sweep(): void {
    const { clock, isUsed } = this.#options;
    const now = clock.now();
    if (now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    for (const [key, { namespace, name, informer, usedAt }] of this.#watched)
      if (now - usedAt >= idleMs && !isUsed(namespace, name)) {
        this.#watched.delete(key);
        void informer.stop();
      }
  }
}
