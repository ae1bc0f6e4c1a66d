/**
 * Read-only maps of texts for data that exists once per object: a `Map` of a few entries takes several times the memory
 * of what it holds, and there are as many as there are objects.
 */

abstract class TextMap implements ReadonlyMap<string, string> {
  abstract readonly size: number;
  abstract get(key: string): string | undefined;
  protected abstract keyAt(index: number): string;
  protected abstract valueAt(index: number): string;

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(callback: (value: string, key: string, map: ReadonlyMap<string, string>) => void): void {
    for (let i = 0; i < this.size; i++) callback(this.valueAt(i), this.keyAt(i), this);
  }

  *entries(): MapIterator<[string, string]> {
    for (let i = 0; i < this.size; i++) yield [this.keyAt(i), this.valueAt(i)];
  }

  *keys(): MapIterator<string> {
    for (let i = 0; i < this.size; i++) yield this.keyAt(i);
  }

  *values(): MapIterator<string> {
    for (let i = 0; i < this.size; i++) yield this.valueAt(i);
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }
}

/**
 * A map over one list of alternating keys and values; a lookup scans all keys, which is fastest for a few of them.
 */
export class PairMap extends TextMap {
  readonly #pairs: readonly string[];

  /** Takes the list; keys must differ. */
  constructor(pairs: readonly string[]) {
    super();
    this.#pairs = pairs;
  }

  get size(): number {
    return this.#pairs.length / 2;
  }

  get(key: string): string | undefined {
    const pairs = this.#pairs;
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === key) return pairs[i + 1];
    return undefined;
  }

  protected keyAt(index: number): string {
    return this.#pairs[2 * index]!;
  }

  protected valueAt(index: number): string {
    return this.#pairs[2 * index + 1]!;
  }
}

/** Maps that all have the same keys, which they share. */
export class RecordMap extends TextMap {
  readonly #names: RecordKeys;
  readonly #data: readonly string[];

  /** Takes the list of values, in the order of the keys. */
  constructor(keys: RecordKeys, values: readonly string[]) {
    super();
    this.#names = keys;
    this.#data = values;
  }

  get size(): number {
    return this.#data.length;
  }

  get(key: string): string | undefined {
    const index = this.#names.indexes.get(key);
    return index === undefined ? undefined : this.#data[index];
  }

  /** The same keys with other values. */
  map(change: (value: string) => string): RecordMap {
    return new RecordMap(this.#names, this.#data.map(change));
  }

  protected keyAt(index: number): string {
    return this.#names.list[index]!;
  }

  protected valueAt(index: number): string {
    return this.#data[index]!;
  }
}

/** The keys of {@link RecordMap}s. */
export class RecordKeys {
  readonly list: readonly string[];
  readonly indexes: ReadonlyMap<string, number>;

  constructor(keys: readonly string[]) {
    this.list = keys;
    this.indexes = new Map(keys.map((key, index) => [key, index]));
  }
}

/** Many keys are better served by a real map. */
const manyPairs = 24;

export function mapOfPairs(pairs: readonly string[]): ReadonlyMap<string, string> {
  if (pairs.length === 0) return emptyMap;
  // A list that has grown has spare capacity; the copy has none.
  if (pairs.length <= 2 * manyPairs) return new PairMap(pairs.slice());
  const map = new Map<string, string>();
  for (let i = 0; i < pairs.length; i += 2) map.set(pairs[i]!, pairs[i + 1]!);
  return map;
}

const emptyMap: ReadonlyMap<string, string> = new PairMap([]);
