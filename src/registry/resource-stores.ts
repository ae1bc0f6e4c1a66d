/**
 * The stores of the resources that a server has, by group and plural name. The directory is there before any store is:
 * what reads resources is given the directory, and looks a store up at each use, as custom resources come and go. The
 * catalog adds the stores of built-in resources.
 */
import type { ResourceStore } from './generic/resource-store.ts';
import type { ServedVersion } from './generic/served-version.ts';

/** A kind in one API version, and the store of its objects. */
export interface ServedKind {
  readonly servedVersion: ServedVersion;
  /** Absent for what is never stored. */
  readonly store: ResourceStore | undefined;
}

export interface StoredKind extends ServedKind {
  readonly store: ResourceStore;
}

const keyOf = (group: string, resource: string): string => `${group}/${resource}`;

const kindKey = ({ apiVersion, kind }: Pick<ServedVersion, 'apiVersion' | 'kind'>): string => `${apiVersion} ${kind}`;

export class ResourceStores {
  readonly #kinds = new Map<string, ServedKind>();
  readonly #builtIn = new Map<string, ResourceStore>();
  readonly #custom = new Map<string, ResourceStore>();

  /** Whatever the version: `storeOf('', 'pods')`. Undefined for what is not served, or not yet. */
  storeOf(group: string, resource: string): ResourceStore | undefined {
    const key = keyOf(group, resource);
    return this.#builtIn.get(key) ?? this.#custom.get(key);
  }

  /** Undefined for what is not served in that version, or not yet, and for what is never stored. */
  kindOf(apiVersion: string, kind: string): StoredKind | undefined {
    const { servedVersion, store } = this.#kinds.get(kindKey({ apiVersion, kind })) ?? {};
    return servedVersion === undefined || store === undefined ? undefined : { servedVersion, store };
  }

  get stores(): readonly ResourceStore[] {
    return [...this.#builtIn.values(), ...this.#custom.values()];
  }

  /** @param group under which it is found; the store's own is that of the stored kind */
  addBuiltIn(group: string, store: ResourceStore): void {
    this.#builtIn.set(keyOf(group, store.resourceName), store);
  }

  addBuiltInKind(kind: ServedKind): void {
    this.#kinds.set(kindKey(kind.servedVersion), kind);
  }

  /**
   * A custom resource came. What the server has itself is not replaced.
   *
   * @param kinds in each version that is served
   */
  add(store: ResourceStore, kinds: readonly ServedKind[] = []): void {
    this.#custom.set(keyOf(store.group, store.resourceName), store);
    for (const kind of kinds) {
      const key = kindKey(kind.servedVersion);
      if (!this.#kinds.has(key)) this.#kinds.set(key, kind);
    }
  }

  /** A custom resource went. */
  remove(store: ResourceStore, kinds: readonly ServedKind[] = []): void {
    const key = keyOf(store.group, store.resourceName);
    if (this.#custom.get(key) === store) this.#custom.delete(key);
    for (const kind of kinds) {
      const name = kindKey(kind.servedVersion);
      if (this.#kinds.get(name) === kind) this.#kinds.delete(name);
    }
  }

  /** Ends reads and watches of all resources. */
  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }
}
