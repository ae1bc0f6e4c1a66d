/**
 * All objects of a resource in key order, which is that of the bytes of the keys: inside they are byte strings.
 *
 * A B+ tree with copy-on-write: a snapshot costs nothing when it is taken and a copied path (about 2 kB) when the tree
 * is changed after it. sorted-btree with nodes of 64 was measured at 0.3 µs for a get, 0.4 µs for a set (0.8 µs after a
 * snapshot), 10 ns for an object of a list and 25 bytes of memory for an entry, with 30,000 keys.
 */
import sortedBTree from 'sorted-btree';
import { compareByteStrings, endOfPrefix, toByteString } from '../key-order.ts';
import type { StoredObject } from '../objects.ts';
import type { KeyRange } from '../selection.ts';

type Tree = sortedBTree.default<string, StoredObject>;

/** The package is CommonJS: whether its default export is wrapped once more depends on the loader. */
const BTree = sortedBTree.default ?? (sortedBTree as unknown as typeof sortedBTree.default);

const nodeSize = 64;

export type Visit = (object: StoredObject) => boolean;

/** What a snapshot can be asked. */
export interface ReadonlyObjectIndex {
  readonly size: number;
  get(key: string): StoredObject | undefined;
  /** Calls `visit` in key order until it returns false; begins behind `after`. */
  visit(range: KeyRange, after: string | undefined, visit: Visit): void;
  /** How many keys of the range are behind `after`. */
  countAfter(range: KeyRange, after: string): number;
  snapshot(): ObjectIndex;
}

export class ObjectIndex implements ReadonlyObjectIndex {
  readonly #tree: Tree;

  constructor(tree: Tree = new BTree<string, StoredObject>(undefined, compareByteStrings, nodeSize)) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#tree.get(toByteString(key));
  }

  set(object: StoredObject): void {
    this.#tree.set(toByteString(object.key), object);
  }

  delete(key: string): void {
    this.#tree.delete(toByteString(key));
  }

  visit(range: KeyRange, after: string | undefined, visit: Visit): void {
    if (range.key !== undefined) return this.#visitOne(range.key, after, visit);
    const { low, high } = boundsOf(range, after);
    if (low >= high) return;
    const skipped = after === undefined ? undefined : low;
    this.#tree.forRange(low, high, false, (order, object) => (order === skipped || visit(object) ? undefined : stop));
  }

  countAfter(range: KeyRange, after: string): number {
    if (range.key !== undefined) return 0;
    const { low, high } = boundsOf(range, after);
    if (low >= high) return 0;
    return this.#tree.forRange(low, high, false, undefined) - (this.#tree.has(low) ? 1 : 0);
  }

  forEach(use: (object: StoredObject) => void): void {
    this.#tree.forEachPair((_order, object) => use(object));
  }

  snapshot(): ObjectIndex {
    return new ObjectIndex(this.#tree.clone());
  }

  #visitOne(key: string, after: string | undefined, visit: Visit): void {
    const object = this.get(key);
    if (object !== undefined && (after === undefined || toByteString(key) > toByteString(after))) visit(object);
  }
}

const stop = { break: 0 };

function boundsOf({ prefix }: KeyRange, after: string | undefined): { low: string; high: string } {
  const low = toByteString(prefix);
  const behind = after === undefined ? low : toByteString(after);
  return { low: behind > low ? behind : low, high: endOfPrefix(low) };
}
