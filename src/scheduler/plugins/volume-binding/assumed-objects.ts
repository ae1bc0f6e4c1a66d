/**
 * Objects as they will be when what was decided about them has been written. An assumption holds until the informer has
 * a newer version of the object than the one that it was made from.
 */
import type { ObjectMeta } from '../../../machinery/object-meta.ts';

interface Versioned {
  readonly metadata: ObjectMeta;
}

interface Assumption<T> {
  readonly object: T;
  readonly fromVersion: string;
}

const isNewer = (a: string, b: string): boolean => (a.length === b.length ? a > b : a.length > b.length);

export class AssumedObjects<T extends Versioned> {
  readonly #assumptions = new Map<string, Assumption<T>>();
  readonly #read: (key: string) => T | undefined;

  /** @param read what the API server has, as far as is known */
  constructor(read: (key: string) => T | undefined) {
    this.#read = read;
  }

  get(key: string): T | undefined {
    const known = this.#read(key);
    const assumption = this.#assumptions.get(key);
    if (assumption === undefined) return known;
    if (known !== undefined && !isNewer(known.metadata.resourceVersion ?? '', assumption.fromVersion))
      return assumption.object;
    this.#assumptions.delete(key);
    return known;
  }

  /** The object in place of the one with its key, which it was made from. */
  assume(key: string, object: T): void {
    this.#assumptions.set(key, { object, fromVersion: object.metadata.resourceVersion ?? '' });
  }

  restore(key: string): void {
    this.#assumptions.delete(key);
  }
}
