/** Objects by key, and by what indexers say of them. */

/** The values under which an object is found in one index. */
export type Indexer<T> = (object: T) => Iterable<string>;

/** By the name of the index. */
export type Indexers<T> = Readonly<Record<string, Indexer<T>>>;

interface Index<T> {
  readonly indexer: Indexer<T>;
  readonly byValue: Map<string, Map<string, T>>;
}

/** What readers may do with it. */
export interface IndexedObjects<T> {
  readonly size: number;
  get(key: string): T | undefined;
  keys(): Iterable<string>;
  values(): Iterable<T>;
  hasIndex(index: string): boolean;
  /** The objects with a value in the index. Throws when there is no such index. */
  byIndex(index: string, value: string): readonly T[];
  /** All values of an index that an object has. */
  indexValues(index: string): readonly string[];
}

export class ObjectIndexes<T> implements IndexedObjects<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();

  constructor(indexers: Indexers<T> = {}) {
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  hasIndex(index: string): boolean {
    return this.#indexes.has(index);
  }

  byIndex(index: string, value: string): readonly T[] {
    return [...(this.#index(index).byValue.get(value)?.values() ?? [])];
  }

  indexValues(index: string): readonly string[] {
    return [...this.#index(index).byValue.keys()];
  }

  /** Throws when an index has that name already. */
  addIndexers(indexers: Indexers<T>): void {
    for (const [name, indexer] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) throw new Error(`there is an index "${name}" already`);
      const index: Index<T> = { indexer, byValue: new Map() };
      for (const [key, object] of this.#objects) insert(index, key, object);
      this.#indexes.set(name, index);
    }
  }

  set(key: string, object: T): void {
    if (this.#indexes.size > 0) {
      const before = this.#objects.get(key);
      for (const index of this.#indexes.values()) {
        if (before !== undefined) withdraw(index, key, before);
        insert(index, key, object);
      }
    }
    this.#objects.set(key, object);
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    for (const index of this.#indexes.values()) withdraw(index, key, before);
    this.#objects.delete(key);
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`there is no index "${name}"`);
    return index;
  }
}

function insert<T>({ indexer, byValue }: Index<T>, key: string, object: T): void {
  for (const value of indexer(object)) {
    let objects = byValue.get(value);
    if (objects === undefined) byValue.set(value, (objects = new Map()));
    objects.set(key, object);
  }
}

function withdraw<T>({ indexer, byValue }: Index<T>, key: string, object: T): void {
  for (const value of indexer(object)) {
    const objects = byValue.get(value);
    objects?.delete(key);
    if (objects?.size === 0) byValue.delete(value);
  }
}
