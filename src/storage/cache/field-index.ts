import type { StoredObject } from '../objects.ts';
import { fieldOf } from '../selection.ts';

/** Current objects by the values of a few fields, such as pods by `spec.nodeName`. */
export class FieldIndex {
  readonly #byField: ReadonlyMap<string, Map<string, Set<StoredObject>>>;

  constructor(fields: readonly string[]) {
    this.#byField = new Map(fields.map((field) => [field, new Map()]));
  }

  replace(previous: StoredObject | undefined, object: StoredObject | undefined): void {
    for (const [field, byValue] of this.#byField) {
      if (previous !== undefined) remove(byValue, fieldOf(previous.card, field), previous);
      if (object !== undefined) add(byValue, fieldOf(object.card, field), object);
    }
  }

  /** The objects that have one of the required values, the rarest first choice; undefined when no such field is indexed. */
  find(required: ReadonlyMap<string, string> | undefined): ReadonlySet<StoredObject> | undefined {
    let found: ReadonlySet<StoredObject> | undefined;
    for (const [field, value] of required ?? []) {
      const byValue = this.#byField.get(field);
      if (byValue === undefined) continue;
      const objects = byValue.get(value) ?? none;
      if (found === undefined || objects.size < found.size) found = objects;
    }
    return found;
  }

  /** The required field that is indexed. */
  fieldOf(required: ReadonlyMap<string, string> | undefined): string | undefined {
    for (const field of required?.keys() ?? []) if (this.#byField.has(field)) return field;
    return undefined;
  }
}

const none: ReadonlySet<StoredObject> = new Set();

function add(byValue: Map<string, Set<StoredObject>>, value: string, object: StoredObject): void {
  const objects = byValue.get(value);
  if (objects === undefined) byValue.set(value, new Set([object]));
  else objects.add(object);
}

function remove(byValue: Map<string, Set<StoredObject>>, value: string, object: StoredObject): void {
  const objects = byValue.get(value);
  if (objects?.delete(object) && objects.size === 0) byValue.delete(value);
}
