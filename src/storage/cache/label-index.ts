import { copyText } from '../../base/copy-text.ts';
import type { StoredObject } from '../objects.ts';
import { ValueGroups } from './value-groups.ts';

/** What is asked for again and again are few labels; of more, those that were asked for last. */
const maxKeys = 8;

/**
 * Current objects by the labels that selectors ask for. A label is indexed when a selector first requires a value of
 * it: which labels these are is unknown beforehand, and most resources are never queried by any.
 */
export class LabelIndex {
  readonly #byKey = new Map<string, ValueGroups>();

  replace(previous: StoredObject | undefined, object: StoredObject | undefined): void {
    for (const [key, groups] of this.#byKey) {
      const [before, after] = [previous?.attributes.labels.get(key), object?.attributes.labels.get(key)];
      if (before !== undefined) groups.remove(before, previous!);
      if (after !== undefined) groups.add(after, object!);
    }
  }

  /**
   * The objects that have one of the required labels, the rarest of them; undefined when none is required.
   * @param forEach all current objects, for a label that was not asked for before
   */
  find(
    required: ReadonlyMap<string, string> | undefined,
    forEach: (use: (object: StoredObject) => void) => void,
  ): ReadonlySet<StoredObject> | undefined {
    let found: ReadonlySet<StoredObject> | undefined;
    let asked = 0;
    for (const [key, value] of required ?? []) {
      // A selector can require more than there are indexes; to make one takes a look at all objects.
      if (++asked > maxKeys) break;
      const objects = this.#groupsOf(key, forEach).get(value);
      if (found === undefined || objects.size < found.size) found = objects;
    }
    return found;
  }

  #groupsOf(key: string, forEach: (use: (object: StoredObject) => void) => void): ValueGroups {
    let groups = this.#byKey.get(key);
    if (groups === undefined) {
      const made = (groups = new ValueGroups());
      forEach((object) => {
        const value = object.attributes.labels.get(key);
        if (value !== undefined) made.add(value, object);
      });
    }
    this.#byKey.delete(key);
    this.#byKey.set(copyText(key), groups);
    if (this.#byKey.size > maxKeys) this.#byKey.delete(this.#byKey.keys().next().value!);
    return groups;
  }
}
