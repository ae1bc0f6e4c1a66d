import { objectEvent } from '../object-events.ts';
import type { ObjectEvent, StoredObject } from '../objects.ts';
import type { AttributesFilter } from '../selection.ts';

/**
 * One change of one object as the cache saw it. Watchers see it as an event of one of three types; each type's event is
 * made once, so that its encodings are too.
 */
export class Change {
  readonly key: string;
  readonly revision: number;
  /** The new version; undefined for a delete. */
  readonly object: StoredObject | undefined;
  /** The version before; undefined for a create. */
  readonly previous: StoredObject | undefined;
  /** Time by the cache's clock. */
  readonly at: number;
  #added: ObjectEvent | undefined;
  #modified: ObjectEvent | undefined;
  #deleted: ObjectEvent | undefined;

  constructor(options: {
    key: string;
    revision: number;
    object: StoredObject | undefined;
    previous: StoredObject | undefined;
    at: number;
  }) {
    this.key = options.key;
    this.revision = options.revision;
    this.object = options.object;
    this.previous = options.previous;
    this.at = options.at;
  }

  /** The change as watchers with this filter see it: what leaves a selection is deleted, what enters it is added. */
  eventFor(filter: AttributesFilter | undefined): ObjectEvent | undefined {
    const { object, previous } = this;
    const is = object !== undefined && (filter === undefined || filter(object.attributes));
    const was = previous !== undefined && (filter === undefined || filter(previous.attributes));
    if (is)
      return was
        ? (this.#modified ??= objectEvent('MODIFIED', this.revision, object))
        : (this.#added ??= objectEvent('ADDED', this.revision, object));
    return was ? (this.#deleted ??= objectEvent('DELETED', this.revision, previous)) : undefined;
  }
}
