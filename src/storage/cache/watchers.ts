/**
 * Live watchers, indexed by their selection.
 *
 * Watchers with the same selection are a group: a change is matched once for all of them, and all of them get the same
 * array of the same events. Groups are in the most selective of four indexes: one object, one name, one value of an
 * indexed field, one namespace; a group that fits none is matched against every change.
 *
 * A batch is delivered in two steps: first it is put into every queue, then the consumers are notified, whose code may
 * do anything.
 */
import type { Logger } from '../../base/logger.ts';
import { weightOfAll } from '../watch-queue.ts';
import type { WatchQueue } from '../watch-queue.ts';
import type { ObjectEvent, Selection } from '../objects.ts';
import { fieldOf, filterOf, inRange, rangeOf } from '../selection.ts';
import type { AttributesFilter, KeyRange, ResourceKeys } from '../selection.ts';
import type { Change } from './change.ts';

export interface WatchersOptions {
  readonly keys: ResourceKeys;
  readonly indexedFields: readonly string[];
  readonly log: Logger;
}

interface Group {
  readonly id: string;
  readonly bucket: Bucket;
  /** What has to be in the range that its place in the index does not see to. */
  readonly range: KeyRange | undefined;
  readonly filter: AttributesFilter | undefined;
  /** Each with the revision after which it wants changes, usually in the past. */
  readonly queues: Map<WatchQueue, number>;
  /** What the batch that is being delivered has for it. */
  pending: ObjectEvent[];
}

/** One place of one index. */
interface Bucket {
  readonly index: Map<string, Set<Group>>;
  readonly value: string;
  /** Whether what is found here is in the range of the selection. */
  readonly isWholeRange: boolean;
}

const everything = '';

export class Watchers {
  readonly #keys: ResourceKeys;
  readonly #log: Logger;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<WatchQueue, Group>();
  readonly #byKey = new Map<string, Set<Group>>();
  readonly #byName = new Map<string, Set<Group>>();
  readonly #byField: ReadonlyMap<string, Map<string, Set<Group>>>;
  readonly #byNamespace = new Map<string, Set<Group>>();
  readonly #others = new Map<string, Set<Group>>();
  readonly #functionIds = new WeakMap<object, number>();
  #functions = 0;

  constructor({ keys, indexedFields, log }: WatchersOptions) {
    this.#keys = keys;
    this.#log = log;
    this.#byField = new Map(indexedFields.map((field) => [field, new Map()]));
  }

  get size(): number {
    return this.#groupOf.size;
  }

  get groups(): number {
    return this.#groups.size;
  }

  /** From now on the queue gets the changes that the selection sees and whose revision is greater than `after`. */
  add(queue: WatchQueue, selection: Selection | undefined, after: number): void {
    const group = this.#groupFor(selection);
    group.queues.set(queue, after);
    this.#groupOf.set(queue, group);
  }

  remove(queue: WatchQueue): void {
    const group = this.#groupOf.get(queue);
    if (group === undefined) return;
    this.#groupOf.delete(queue);
    group.queues.delete(queue);
    if (group.queues.size > 0) return;
    this.#groups.delete(group.id);
    const { index, value } = group.bucket;
    const groups = index.get(value)!;
    groups.delete(group);
    if (groups.size === 0) index.delete(value);
  }

  /** Whole revisions, in order. */
  deliver(changes: readonly Change[]): void {
    if (this.#groupOf.size === 0) return;
    const touched: Group[] = [];
    for (const change of changes) this.#judge(change, touched);
    const told: WatchQueue[] = [];
    for (const group of touched) this.#push(group, told);
    for (const queue of told) this.#tell(queue);
  }

  #judge(change: Change, touched: Group[]): void {
    const collect = (groups: Set<Group> | undefined): void => {
      if (groups === undefined) return;
      for (const group of groups) {
        if (group.range !== undefined && !inRange(group.range, change.key)) continue;
        const event = change.eventFor(group.filter);
        if (event === undefined) continue;
        if (group.pending.length === 0) touched.push(group);
        group.pending.push(event);
      }
    };
    const { attributes: attributes } = change.object ?? change.previous!;
    if (this.#byKey.size > 0) collect(this.#byKey.get(change.key));
    if (this.#byName.size > 0) collect(this.#byName.get(attributes.name));
    for (const [field, byValue] of this.#byField)
      if (byValue.size > 0) forEachValue(field, change, (value) => collect(byValue.get(value)));
    if (this.#byNamespace.size > 0) collect(this.#byNamespace.get(attributes.namespace));
    collect(this.#others.get(everything));
  }

  #push(group: Group, told: WatchQueue[]): void {
    const events = group.pending;
    group.pending = [];
    const bytes = weightOfAll(events);
    const first = events[0]!.revision;
    for (const [queue, after] of group.queues) {
      const isTold = after < first ? queue.push(events, bytes) : pushLater(queue, events, after);
      if (isTold) told.push(queue);
    }
  }

  #tell(queue: WatchQueue): void {
    try {
      queue.announce();
    } catch (error) {
      this.#log.error({ err: error }, 'a watcher failed when it was told of events');
    }
  }

  #groupFor(selection: Selection | undefined): Group {
    const id = this.#idOf(selection);
    const existing = this.#groups.get(id);
    if (existing !== undefined) return existing;
    const bucket = this.#bucketOf(selection);
    const range = bucket.isWholeRange ? undefined : rangeOf(this.#keys, selection);
    const group: Group = { id, bucket, range, filter: filterOf(this.#keys, selection), queues: new Map(), pending: [] };
    this.#groups.set(id, group);
    const groups = bucket.index.get(bucket.value);
    if (groups === undefined) bucket.index.set(bucket.value, new Set([group]));
    else groups.add(group);
    return group;
  }

  #bucketOf(selection: Selection | undefined): Bucket {
    const { key } = rangeOf(this.#keys, selection);
    if (key !== undefined) return { index: this.#byKey, value: key, isWholeRange: true };
    if (selection?.name !== undefined) return { index: this.#byName, value: selection.name, isWholeRange: true };
    for (const [field, value] of selection?.fieldEquals ?? []) {
      const index = this.#byField.get(field);
      if (index !== undefined) return { index, value, isWholeRange: selection?.namespace === undefined };
    }
    if (selection?.namespace !== undefined)
      return { index: this.#byNamespace, value: selection.namespace, isWholeRange: true };
    return { index: this.#others, value: everything, isWholeRange: true };
  }

  #idOf(selection: Selection | undefined): string {
    if (selection === undefined) return '[]';
    const { namespace, name, fieldEquals, matches, matchesKey } = selection;
    const judge = matchesKey ?? (matches === undefined ? null : this.#functionId(matches));
    return JSON.stringify([namespace ?? null, name ?? null, [...(fieldEquals ?? [])].sort(), judge]);
  }

  #functionId(judge: object): number {
    let id = this.#functionIds.get(judge);
    if (id === undefined) this.#functionIds.set(judge, (id = ++this.#functions));
    return id;
  }
}

/** The object's value, and the one it had before: watchers of the old value need the DELETED event. */
function forEachValue(field: string, { object, previous }: Change, use: (value: string) => void): void {
  const value = object && fieldOf(object.attributes, field);
  const before = previous && fieldOf(previous.attributes, field);
  if (value !== undefined) use(value);
  if (before !== undefined && before !== value) use(before);
}

/** For a watch from a revision that is still to come. */
function pushLater(queue: WatchQueue, events: readonly ObjectEvent[], after: number): boolean {
  const later = events.filter((event) => event.revision > after);
  return later.length > 0 && queue.push(later, weightOfAll(later));
}
