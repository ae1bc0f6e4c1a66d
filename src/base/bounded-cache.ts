/**
 * What was made of texts, for the next time that the same text comes. Clients choose which texts come, how many and how
 * long they are, so that what is kept has an end in bytes.
 *
 * Beyond it the oldest entry goes, unless it was used since it was looked at last: that one stays for another round.
 */
import { copyText } from './copy-text.ts';

export interface BoundedCacheOptions<V> {
  /** Of all entries together, as estimated. */
  readonly maxBytes: number;
  /** What belongs to a longer key is not kept. UTF-16 units. */
  readonly maxKeyLength: number;
  /** Estimated bytes of a value, for values that may be larger than a few words. */
  readonly bytesOf?: (value: V, key: string) => number;
}

interface Entry<V> {
  value: V;
  bytes: number;
  isUsed: boolean;
}

/** Measured: an entry with its place in the map and the head of its key, in V8. */
const entryBytes = 120;
const bytesPerUnit = 2;

/** As estimated. */
export const textBytes = (text: string): number => text.length * bytesPerUnit;

export class BoundedCache<V> {
  readonly #maxBytes: number;
  readonly #maxKeyLength: number;
  readonly #bytesOf: (value: V, key: string) => number;
  /** The oldest is first. */
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  constructor({ maxBytes, maxKeyLength, bytesOf = () => 0 }: BoundedCacheOptions<V>) {
    this.#maxBytes = maxBytes;
    this.#maxKeyLength = maxKeyLength;
    this.#bytesOf = bytesOf;
  }

  /** As estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    // Looking for a long key would read all of it.
    if (key.length > this.#maxKeyLength) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Takes the place of what was kept for the key. A value that refers to texts should own them. */
  set(key: string, value: V): void {
    this.delete(key);
    if (key.length > this.#maxKeyLength) return;
    const bytes = entryBytes + textBytes(key) + this.#bytesOf(value, key);
    if (bytes > this.#maxBytes) return;
    this.#shrink(this.#maxBytes - bytes);
    this.#entries.set(copyText(key), { value, bytes, isUsed: false });
    this.#bytes += bytes;
  }

  /** @param make gets a text that does not pin a longer one. What it throws is thrown. */
  getOrMake(key: string, make: (key: string) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    if (key.length > this.#maxKeyLength) return make(key);
    const own = copyText(key);
    const value = make(own);
    this.set(own, value);
    return value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  /** The oldest first. Entries may be deleted meanwhile. */
  *entries(): IterableIterator<readonly [key: string, value: V]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  #shrink(maxBytes: number): void {
    if (this.#bytes <= maxBytes) return;
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(key, entry);
        continue;
      }
      this.#bytes -= entry.bytes;
      if (this.#bytes <= maxBytes) return;
    }
  }
}

/** A function of texts whose results are kept. */
export function remembered<V>(make: (text: string) => V, options: BoundedCacheOptions<V>): (text: string) => V {
  const cache = new BoundedCache<V>(options);
  return (text) => cache.getOrMake(text, make);
}
