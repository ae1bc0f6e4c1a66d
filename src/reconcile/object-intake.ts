/** What an informer keeps of the objects that come from its source. */
import { CooperativeScheduler } from '../machinery/cooperative-scheduling.ts';
import type { IndexedObjects } from './indexers.ts';
import { shareEqualParts } from './share-equal-parts.ts';
import type { Source } from './source.ts';

/** After so many objects of a list the event loop runs other work. */
export const objectsPerStep = 500;

export class ObjectIntake<T> {
  readonly #source: Source<T>;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #known: IndexedObjects<T>;
  /** The last one that came. */
  #latest: T | undefined;

  constructor(source: Source<T>, transform: ((object: T) => T) | undefined, known: IndexedObjects<T>) {
    this.#source = source;
    this.#transform = transform;
    this.#known = known;
  }

  async page(objects: readonly T[]): Promise<readonly T[]> {
    const scheduler = new CooperativeScheduler();
    const kept: T[] = [];
    for (const object of objects) {
      kept.push(this.keep(object));
      if (kept.length % objectsPerStep === 0) await scheduler.next();
    }
    return kept;
  }

  /** With parts of the object before the change, or of its neighbour, where they are equal. */
  keep(object: T): T {
    const kept = this.#transform === undefined ? object : this.#transform(object);
    if (this.#source.givesObjectsAway !== true) return kept;
    const known = this.#known.get(this.#source.view.keyOf(kept)) ?? this.#latest;
    return (this.#latest = shareEqualParts(known, kept));
  }
}
