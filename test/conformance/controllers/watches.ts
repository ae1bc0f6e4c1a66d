/** What changes in a cluster, told to the cases that run on it: one watch for each resource, shared by all. */
import type { Api, Change } from './api.ts';

export type OnChange = (resource: string, change: Change) => void;

export class Watches {
  readonly #api: Api;
  readonly #open = new Map<string, Promise<void>>();
  readonly #listeners = new Set<OnChange>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Resolves when all of these are watched. */
  async open(resources: Iterable<string>): Promise<void> {
    await Promise.all([...resources].map((resource) => this.#openOne(resource)));
  }

  #openOne(resource: string): Promise<void> {
    const open =
      this.#open.get(resource) ??
      this.#api.watch(resource, (change) => {
        for (const listener of this.#listeners) listener(resource, change);
      });
    this.#open.set(resource, open);
    return open;
  }

  /** @returns what ends it */
  listen(listener: OnChange): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
