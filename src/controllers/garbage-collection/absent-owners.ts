/** Owners that the server said do not exist: asked once for all dependents of one. */
import type { OwnerReference } from '../../machinery/object-meta.ts';

/** As upstream remembers. */
const defaultCapacity = 500;

export class AbsentOwners {
  readonly #capacity: number;
  /** The one used longest ago first. */
  readonly #keys = new Set<string>();

  constructor(capacity: number = defaultCapacity) {
    this.#capacity = capacity;
  }

  add(reference: OwnerReference, namespace: string): void {
    this.#touch(keyOf(reference, namespace));
    if (this.#keys.size > this.#capacity) this.#keys.delete(this.#keys.values().next().value!);
  }

  /** @param namespace of the dependent: the owner is there, or in none */
  has(reference: OwnerReference, namespace: string): boolean {
    const key = [keyOf(reference, ''), keyOf(reference, namespace)].find((each) => this.#keys.has(each));
    if (key === undefined) return false;
    this.#touch(key);
    return true;
  }

  #touch(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
  }
}

/** An object that comes later has another uid: what is absent stays so. */
const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  [uid, namespace, name, kind, apiVersion].join('\0');
