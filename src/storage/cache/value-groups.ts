import type { StoredObject } from '../objects.ts';

/** Current objects by one text that each has or has not. */
export class ValueGroups {
  readonly #byValue = new Map<string, Set<StoredObject>>();

  get(value: string): ReadonlySet<StoredObject> {
    return this.#byValue.get(value) ?? none;
  }

  add(value: string, object: StoredObject): void {
    const objects = this.#byValue.get(value);
    if (objects === undefined) this.#byValue.set(value, new Set([object]));
    else objects.add(object);
  }

  remove(value: string, object: StoredObject): void {
    const objects = this.#byValue.get(value);
    if (objects?.delete(object) && objects.size === 0) this.#byValue.delete(value);
  }
}

const none: ReadonlySet<StoredObject> = new Set();
