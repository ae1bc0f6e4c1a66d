/**
 * Which resources this server may not write yet: those whose StorageVersion does not have it. A migration of stored
 * objects has to know of every server that writes them, and in which version.
 * @see {@link https://kep.k8s.io/2339 | KEP-2339}
 */
import { Latch } from '../../base/latch.ts';
import type { GroupResource } from '../../machinery/status.ts';

export class StorageVersionBarrier {
  readonly #pending: Set<string>;
  readonly #errors = new Map<string, string>();
  readonly #done = new Latch();

  /** @param names of StorageVersions: `core.pods`, `batch.jobs` */
  constructor(names: Iterable<string>) {
    this.#pending = new Set(names);
  }

  get isDone(): boolean {
    return this.#pending.size === 0;
  }

  /** Resolves when nothing is pending any more. */
  get done(): Promise<void> {
    return this.#done.wait();
  }

  isPending(resource: GroupResource): boolean {
    return this.#pending.has(storageVersionName(resource));
  }

  /** Why the StorageVersion could not be written when that was tried last. */
  lastError(resource: GroupResource): string | undefined {
    return this.#errors.get(storageVersionName(resource));
  }

  written(name: string): void {
    this.#pending.delete(name);
    this.#errors.delete(name);
    if (this.isDone) this.#done.open();
  }

  failed(name: string, error: unknown): void {
    this.#errors.set(name, error instanceof Error ? error.message : String(error));
  }
}

export const storageVersionName = ({ group, resource }: GroupResource): string =>
  `${group === '' ? 'core' : group}.${resource}`;
