/**
 * Index cards that cost little. Tens of thousands of objects say the same few things: namespaces, label keys and values,
 * often whole sets of labels. Each of these is kept once; a name is the end of the key it is in.
 *
 * A `Map` of three labels takes about 300 bytes, an empty one 180; the maps here take 40, plus a list that is shared by
 * all with the same keys and one value reference each. They are searched from end to end: labels are few, and strings
 * that are the same one compare by pointer.
 */
import type { IndexCard } from './objects.ts';

export type Entries = Iterable<readonly [string, string]>;

export interface CardContent {
  /** Ends with the name. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Entries;
  readonly fields: Entries;
}

/** Makes cards that share what they have in common. One maker per resource. */
export function createCards(): (content: CardContent) => IndexCard {
  const strings = new Interned<string>();
  const labelMaps = new Interned<CompactMap>();
  const shapes = new Interned<readonly string[]>();

  const compact = (entries: Entries): CompactMap => {
    const keys: string[] = [];
    const values: string[] = [];
    for (const [key, value] of entries) {
      keys.push(key);
      values.push(strings.get(value, () => value));
    }
    // A list that has grown has room for more; the copy has not.
    return keys.length === 0 ? emptyMap : new CompactMap(shapes.get(keys.join('\0'), () => keys), values.slice());
  };

  return ({ key, namespace, name, labels, fields }) => ({
    namespace: strings.get(namespace, () => namespace),
    name: key.endsWith(name) ? key.slice(key.length - name.length) : name,
    labels: shared(compact(labels), labelMaps),
    fields: compact(fields),
  });
}

function shared(map: CompactMap, maps: Interned<CompactMap>): CompactMap {
  return map.size === 0 ? map : maps.get(map.text(), () => map);
}

/**
 * The same value for the same text. Forgets everything when it has grown large: what was handed out stays, sharing
 * begins anew.
 */
class Interned<T> {
  readonly #values = new Map<string, T>();

  get(text: string, make: () => T): T {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    if (this.#values.size >= maxInterned) this.#values.clear();
    const made = make();
    this.#values.set(text, made);
    return made;
  }
}

const maxInterned = 4096;

/** A map that never changes, as a list of keys and a list of values. */
class CompactMap implements ReadonlyMap<string, string> {
  readonly #keys: readonly string[];
  readonly #values: readonly string[];

  constructor(keys: readonly string[], values: readonly string[]) {
    this.#keys = keys;
    this.#values = values;
  }

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): string | undefined {
    const index = this.#keys.indexOf(key);
    return index < 0 ? undefined : this.#values[index];
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  keys(): MapIterator<string> {
    return this.#keys.values() as MapIterator<string>;
  }

  values(): MapIterator<string> {
    return this.#values.values() as MapIterator<string>;
  }

  *entries(): MapIterator<[string, string]> {
    for (const [index, key] of this.#keys.entries()) yield [key, this.#values[index]!];
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }

  forEach(use: (value: string, key: string, map: ReadonlyMap<string, string>) => void): void {
    for (const [key, value] of this) use(value, key, this);
  }

  /** The same for two maps exactly if they have the same entries in the same order: labels have no control characters. */
  text(): string {
    return `${this.#keys.join('\0')}\x01${this.#values.join('\0')}`;
  }
}

const emptyMap = new CompactMap([], []);
