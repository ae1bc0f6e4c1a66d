/**
 * What an informer has, and on top of it what this process wrote since: a controller that reads its own writes does not
 * make an object twice because the informer is late.
 *
 * A write is kept until the informer has told everything up to its version. Then the informer has it, or something that
 * came later, be it a deletion. Versions are compared as numbers, as the API server makes them.
 */
import { type KubeObject, metaOf } from '../machinery/object-meta.ts';
import type { Informer } from './informer.ts';
import type { HandlerRegistration } from './handlers.ts';
import type { Indexer } from './indexers.ts';

export class MutationCache<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #indexers = new Map<string, Indexer<T>>();
  /** Written by this process, and newer than what the informer has told. */
  readonly #written = new Map<string, T>();
  /** Key of each object whose deletion was asked for and not yet seen, by uid. */
  readonly #deleted = new Map<string, string>();
  readonly #registration: HandlerRegistration;

  constructor(informer: Informer<T>) {
    this.#informer = informer;
    this.#registration = informer.addHandler({
      onUpdate: (_, after) => {
        if (after.metadata?.deletionTimestamp !== undefined) this.#deleted.delete(after.metadata.uid ?? '');
      },
      onDelete: (last) => void this.#deleted.delete(last.metadata?.uid ?? ''),
    });
  }

  /** The index of the informer, with what was written. Several callers may name the same. */
  addIndex(name: string, indexer: Indexer<T>): void {
    if (!this.#informer.objects.hasIndex(name)) this.#informer.addIndexers({ [name]: indexer });
    this.#indexers.set(name, indexer);
  }

  /** The server answered a write with this object. */
  wrote(object: T): void {
    this.#written.set(this.#informer.keyOf(object), object);
  }

  /** The server has taken the deletion of the object: it is not given any more, even while the informer has it. */
  deleted(object: T): void {
    const { uid = '' } = metaOf(object);
    const key = this.#informer.keyOf(object);
    this.#written.delete(key);
    if (this.#informer.objects.get(key)?.metadata?.uid === uid) this.#deleted.set(uid, key);
  }

  get(key: string): T | undefined {
    return this.#present(this.#newest(key));
  }

  byIndex(index: string, value: string): readonly T[] {
    const known = this.#informer.objects.byIndex(index, value);
    this.#forgetTold();
    if (this.#written.size === 0 && this.#deleted.size === 0) return known;
    const objects: T[] = [];
    for (const object of known) {
      const key = this.#informer.keyOf(object);
      if (!this.#written.has(key) && this.#present(object) !== undefined) objects.push(object);
    }
    const indexer = this.#indexers.get(index)!;
    for (const object of this.#written.values()) if ([...indexer(object)].includes(value)) objects.push(object);
    return objects;
  }

  stop(): void {
    this.#registration.remove();
    this.#written.clear();
    this.#deleted.clear();
  }

  #newest(key: string): T | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return this.#informer.objects.get(key);
    if (!this.#isTold(written)) return written;
    this.#written.delete(key);
    return this.#informer.objects.get(key);
  }

  #present(object: T | undefined): T | undefined {
    return object !== undefined && this.#deleted.has(object.metadata?.uid ?? '') ? undefined : object;
  }

  #forgetTold(): void {
    for (const [key, object] of this.#written) if (this.#isTold(object)) this.#written.delete(key);
  }

  #isTold(object: T): boolean {
    return Number(object.metadata?.resourceVersion ?? 0) <= Number(this.#informer.version ?? 0);
  }
}
