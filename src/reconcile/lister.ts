/** Reads what an informer has, by namespace, name and label. The objects are shared and must not be changed. */
import { everything, matchesLabels, type Requirements } from '../machinery/label-selector.ts';
import type { IndexedObjects, Indexers } from './indexers.ts';
import type { ObjectView } from './source.ts';

export const namespaceIndex = 'namespace';

/** With this indexer a list of one namespace does not look at the others. */
export const namespaceIndexer = <T>({ namespaceOf }: ObjectView<T>): Indexers<T> => ({
  [namespaceIndex]: (object) => [namespaceOf(object)],
});

export class Lister<T> {
  readonly #objects: IndexedObjects<T>;
  readonly #view: ObjectView<T>;

  constructor(objects: IndexedObjects<T>, view: ObjectView<T>) {
    this.#objects = objects;
    this.#view = view;
  }

  /** @param namespace empty for cluster-wide objects */
  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(this.#view.keyFor(namespace, name));
  }

  /** Of all namespaces. */
  list(selector: Requirements = everything): T[] {
    return this.#select(this.#objects.values(), selector);
  }

  listIn(namespace: string, selector: Requirements = everything): T[] {
    if (this.#objects.hasIndex(namespaceIndex))
      return this.#select(this.#objects.byIndex(namespaceIndex, namespace), selector);
    return this.#select(this.#objects.values(), selector).filter(
      (object) => this.#view.namespaceOf(object) === namespace,
    );
  }

  #select(objects: Iterable<T>, selector: Requirements): T[] {
    if (selector === everything) return [...objects];
    const selected: T[] = [];
    for (const object of objects) if (matchesLabels(selector, this.#view.labelsOf(object))) selected.push(object);
    return selected;
  }
}
