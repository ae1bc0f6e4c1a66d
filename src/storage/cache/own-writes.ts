import { BoundedCache } from '../../base/bounded-cache.ts';
import type { StoredObject } from '../objects.ts';

/** A watch that shows nothing for so long is slow or broken: what it will show is then opened again. */
const maxBytes = 32 * 1024 * 1024;
const maxKeyLength = 4096;
/** An object without its bytes: its attributes, and its place here. */
const objectBytes = 1000;

/** Objects made for the answers of our own writes, until the watch shows them: the cache then takes these. */
export class OwnWrites {
  readonly #byKey = new BoundedCache<StoredObject>({
    maxBytes,
    maxKeyLength,
    bytesOf: ({ bytes }) => objectBytes + bytes.length,
  });

  get size(): number {
    return this.#byKey.size;
  }

  add(object: StoredObject): void {
    const other = this.#byKey.get(object.key);
    if (other !== undefined && other.revision > object.revision) return;
    this.#byKey.set(object.key, object);
  }

  /** The object of this version, if it was written here. Called for every change of the key, also for deletes. */
  claim(key: string, revision: number): StoredObject | undefined {
    const object = this.#byKey.get(key);
    if (object === undefined || object.revision > revision) return undefined;
    this.#byKey.delete(key);
    return object.revision === revision ? object : undefined;
  }

  /** What a list at `revision` has shown. */
  forgetUpTo(revision: number): void {
    for (const [key, object] of this.#byKey.entries()) if (object.revision <= revision) this.#byKey.delete(key);
  }
}
