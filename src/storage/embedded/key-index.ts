import sortedBtree from 'sorted-btree';
import { compareByteStrings, endOfPrefix, fromByteString, toByteString } from '../key-order.ts';
import type { KeyHistory, Version } from './version.ts';

/** The package is CommonJS: whether its default export is wrapped once more depends on the loader. */
const BTree = sortedBtree.default ?? (sortedBtree as unknown as typeof sortedBtree.default);

/** What a write puts on top of a key's history. */
export type NewVersion = Omit<Version, 'history' | 'older'>;

/**
 * Every key with its history, in byte order: the part of the store that is always in memory (values are not).
 *
 * Holds what has been written, durable or not. A reader asks for a revision that is durable and so never meets the
 * rest.
 */
export class KeyIndex {
  readonly #tree = new BTree<string, KeyHistory>(undefined, compareByteStrings, 64);

  find(key: string): KeyHistory | undefined {
    return this.#tree.get(toByteString(key));
  }

  /** The history of `key`, made if need be. */
  open(key: string): KeyHistory {
    const bytes = toByteString(key);
    return this.#tree.get(bytes) ?? this.openBytes(ownString(bytes), true);
  }

  /**
   * As `open`, for a byte string that is not shared; quicker when it is known whether the key is likely to be new.
   */
  openBytes(bytes: string, likelyNew: boolean): KeyHistory {
    const found = likelyNew ? undefined : this.#tree.get(bytes);
    if (found !== undefined) return found;
    const history = newHistory(bytes);
    return this.#tree.setIfNotPresent(bytes, history) ? history : this.#tree.get(bytes)!;
  }

  add(history: KeyHistory, { modRevision, createRevision, lease, value }: NewVersion): Version {
    const version: Version = { history, modRevision, createRevision, lease, older: history.newest, value };
    history.newest = version;
    return version;
  }

  /** Takes back the newest version of its key. */
  undo(version: Version): void {
    const { history } = version;
    if (history.newest !== version)
      throw new Error(`version ${version.modRevision} is not the newest of ${history.key}`);
    history.newest = version.older;
    if (history.newest === undefined) this.#tree.delete(history.bytes);
  }

  /** Forgets a deletion that compaction has passed, and with it the key unless it was made anew. */
  forget(deletion: Version): void {
    const { history } = deletion;
    if (history.newest === deletion) {
      history.newest = undefined;
      this.#tree.delete(history.bytes);
      return;
    }
    let newer = history.newest;
    while (newer !== undefined && newer.older !== deletion) newer = newer.older;
    if (newer !== undefined) newer.older = undefined;
  }

  /** Visits the keys that begin with `prefix`, from `start` on, in order. */
  forEach(prefix: string, start: string | undefined, visit: (history: KeyHistory) => void): void {
    const low = toByteString(prefix);
    const first = start === undefined ? low : toByteString(start);
    this.#tree.forRange(first > low ? first : low, endOfPrefix(low), false, (_, history) => visit(history));
  }
}

function newHistory(bytes: string): KeyHistory {
  return { bytes, key: fromByteString(bytes), newest: undefined };
}

/** A flat copy: a key cut out of a request would keep the whole request in memory. */
function ownString(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('latin1');
}
