/**
 * Reads an object again when its time is over; pods that ask together share a read. While the API server is away, what
 * was read last is used on. With no time each read goes to the API server.
 */
import type { Clock } from '../../../base/clock.ts';
import type { ObjectReader } from './object-reader.ts';

export interface CachedObjectsOptions<T> {
  /** Undefined when it is not there. */
  readonly read: (namespace: string, name: string) => Promise<T | undefined>;
  readonly ttlMs: () => number;
  readonly clock: Clock;
}

interface Entry<T> {
  at: number;
  last: { readonly object: T | undefined } | undefined;
  reading: Promise<T | undefined> | undefined;
}

/** Beyond it the oldest are read again when they are needed. */
const mostEntries = 2000;

export class CachedObjects<T> implements ObjectReader<T> {
  readonly #options: CachedObjectsOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: CachedObjectsOptions<T>) {
    this.#options = options;
  }

  async get(namespace: string, name: string): Promise<T | undefined> {
    const { clock, ttlMs } = this.#options;
    const entry = this.#entryOf(`${namespace}/${name}`);
    if (entry.last !== undefined && clock.now() - entry.at < ttlMs()) return entry.last.object;
    entry.reading ??= this.#read(entry, namespace, name);
    try {
      return await entry.reading;
    } catch (error) {
      if (entry.last === undefined || ttlMs() === 0) throw error;
      return entry.last.object;
    }
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async #read(entry: Entry<T>, namespace: string, name: string): Promise<T | undefined> {
    try {
      const object = await this.#options.read(namespace, name);
      entry.last = { object };
      entry.at = this.#options.clock.now();
      return object;
    } finally {
      entry.reading = undefined;
    }
  }

  #entryOf(key: string): Entry<T> {
    const known = this.#entries.get(key) ?? { at: 0, last: undefined, reading: undefined };
    this.#entries.delete(key);
    if (this.#entries.size >= mostEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, known);
    return known;
  }
}
