import type { StoredObject } from '../objects.ts';

/** A watch that shows nothing for so many writes is broken: what it will show is then opened again. */
const maxWaiting = 1_000;

/** Objects made for the answers of our own writes, until the watch shows them: the cache then takes these. */
export class OwnWrites {
  readonly #byKey = new Map<string, StoredObject>();

  get size(): number {
    return this.#byKey.size;
  }

  add(object: StoredObject): void {
    const other = this.#byKey.get(object.key);
    if (other !== undefined && other.revision > object.revision) return;
    this.#byKey.delete(object.key);
    this.#byKey.set(object.key, object);
    if (this.#byKey.size > maxWaiting) this.#byKey.delete(this.#byKey.keys().next().value!);
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
    for (const [key, object] of this.#byKey) if (object.revision <= revision) this.#byKey.delete(key);
  }
}
