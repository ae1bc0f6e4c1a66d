/**
 * The stores of the resources that a server has, by group and plural name. The directory is there before any store is:
 * what reads resources is given the directory, and looks a store up at each use, as custom resources come and go. The
 * catalog adds the stores of built-in resources.
 */
import type { ResourceStore } from './generic/resource-store.ts';

const keyOf = (group: string, resource: string): string => `${group}/${resource}`;

export class ResourceStores {
  readonly #builtIn = new Map<string, ResourceStore>();
  readonly #custom = new Map<string, ResourceStore>();

  /** Whatever the version: `storeOf('', 'pods')`. Undefined for what is not served, or not yet. */
  storeOf(group: string, resource: string): ResourceStore | undefined {
    const key = keyOf(group, resource);
    return this.#builtIn.get(key) ?? this.#custom.get(key);
  }

  get stores(): readonly ResourceStore[] {
    return [...this.#builtIn.values(), ...this.#custom.values()];
  }

  /** @param group under which it is found; the store's own is that of the stored kind */
  addBuiltIn(group: string, store: ResourceStore): void {
    this.#builtIn.set(keyOf(group, store.resourceName), store);
  }

  /** A custom resource came. What the server has itself is not replaced. */
  add(store: ResourceStore): void {
    this.#custom.set(keyOf(store.group, store.resourceName), store);
  }

  /** A custom resource went. */
  remove(store: ResourceStore): void {
    const key = keyOf(store.group, store.resourceName);
    if (this.#custom.get(key) === store) this.#custom.delete(key);
  }

  /** Ends reads and watches of all resources. */
  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }
}
