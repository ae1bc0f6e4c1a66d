/** A binary heap whose items are found by key, so that any of them can be replaced or removed. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #places = new Map<string, number>();
  readonly #keyOf: (item: T) => string;
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(keyOf: (item: T) => string, isBefore: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf;
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  get(key: string): T | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#items[place];
  }

  values(): Iterable<T> {
    return this.#items;
  }

  /** Adds the item, or puts it in the place of the one with its key. */
  set(item: T): void {
    const key = this.#keyOf(item);
    const place = this.#places.get(key) ?? this.#items.length;
    this.#items[place] = item;
    this.#places.set(key, place);
    if (!this.#up(place)) this.#down(place);
  }

  delete(key: string): T | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const item = this.#items[place]!;
    const last = this.#items.pop()!;
    this.#places.delete(key);
    if (last !== item) {
      this.#put(last, place);
      if (!this.#up(place)) this.#down(place);
    }
    return item;
  }

  shift(): T | undefined {
    const { first } = this;
    return first === undefined ? undefined : this.delete(this.#keyOf(first));
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(this.#keyOf(item), place);
  }

  /** @returns whether the item moved */
  #up(from: number): boolean {
    const item = this.#items[from]!;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(item, this.#items[parent]!)) break;
      this.#put(this.#items[parent]!, place);
      place = parent;
    }
    if (place === from) return false;
    this.#put(item, place);
    return true;
  }

  #down(from: number): void {
    const item = this.#items[from]!;
    let place = from;
    for (;;) {
      const child = this.#earlierChild(place);
      if (child === undefined || !this.#isBefore(this.#items[child]!, item)) break;
      this.#put(this.#items[child]!, place);
      place = child;
    }
    this.#put(item, place);
  }

  #earlierChild(place: number): number | undefined {
    const left = 2 * place + 1;
    if (left >= this.#items.length) return undefined;
    const right = left + 1;
    return right < this.#items.length && this.#isBefore(this.#items[right]!, this.#items[left]!) ? right : left;
  }
}
