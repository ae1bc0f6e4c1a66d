import type { StoredObject } from '../objects.ts';
import { fieldOf } from '../selection.ts';
import { ValueGroups } from './value-groups.ts';

/** Current objects by the values of a few fields, such as pods by `spec.nodeName`. */
export class FieldIndex {
  readonly #byField: ReadonlyMap<string, ValueGroups>;

  constructor(fields: readonly string[]) {
    this.#byField = new Map(fields.map((field) => [field, new ValueGroups()]));
  }

  replace(previous: StoredObject | undefined, object: StoredObject | undefined): void {
    for (const [field, groups] of this.#byField) {
      if (previous !== undefined) groups.remove(fieldOf(previous.attributes, field), previous);
      if (object !== undefined) groups.add(fieldOf(object.attributes, field), object);
    }
  }

  /**
   * The objects that have one of the required values, the rarest first choice; undefined when no such field is indexed.
   */
  find(required: ReadonlyMap<string, string> | undefined): ReadonlySet<StoredObject> | undefined {
    let found: ReadonlySet<StoredObject> | undefined;
    for (const [field, value] of required ?? []) {
      const objects = this.#byField.get(field)?.get(value);
      if (objects === undefined) continue;
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
