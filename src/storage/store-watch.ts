/**
 * One watcher served by a watch of its own on the store: by direct storage always, by the cache for what is older than
 * its memory.
 */
import { isStorageError, StorageError } from './storage-error.ts';
import { objectEvent } from './object-events.ts';
import type { KeyEvent, KeyValue, Store } from './interface.ts';
import type { ObjectCodec, ObjectEvent, StoredObject } from './objects.ts';
import { decodeObject } from './decode-object.ts';
import type { StorageCounts } from './storage-counts.ts';
import { inRange } from './selection.ts';
import type { AttributesFilter, KeyRange } from './selection.ts';
import { weightOfAll } from './watch-queue.ts';
import type { WatchQueue } from './watch-queue.ts';

export interface StoreWatchOptions {
  readonly store: Store;
  readonly codec: ObjectCodec;
  readonly range: KeyRange;
  readonly filter: AttributesFilter | undefined;
  readonly after: number;
  readonly queue: WatchQueue;
  readonly counts: StorageCounts;
  readonly signal: AbortSignal;
  /** Called when everything up to `revision` was pushed. Returning true ends the pump. */
  readonly reached: (revision: number) => boolean;
  /** Whether the source can wait for the consumer, as history can; else the queue's bound ends the watch. */
  readonly waitForSpace?: boolean;
}

/**
 * Watches the store until `reached` says stop, the watch is over or the signal aborts. Throws what the store throws.
 */
export async function pumpStoreWatch(options: StoreWatchOptions): Promise<void> {
  const { store, range, after, queue, counts, signal, reached } = options;
  for await (const batch of store.watch(range.prefix, { after, previous: true, signal })) {
    if (batch.events.length === 0) counts.progressNotifications++;
    const events = eventsOf(batch.events, options);
    if (events.length > 0 && queue.push(events, weightOfAll(events))) queue.announce();
    if (reached(batch.revision)) return;
    if (options.waitForSpace) await queue.space();
    if (queue.closed || queue.ended !== undefined) return;
  }
  if (!signal.aborted) throw new StorageError('Unavailable', 'the watch on the store has ended');
}

export function asStorageError(error: unknown): StorageError {
  if (isStorageError(error)) return error;
  return new StorageError('Internal', 'watching the store failed', { cause: error });
}

function eventsOf(events: readonly KeyEvent[], options: StoreWatchOptions): ObjectEvent[] {
  const result: ObjectEvent[] = [];
  for (const event of events) {
    if (!inRange(options.range, event.key)) continue;
    const seen = event.type === 'delete' ? seenDelete(event, options) : seenPut(event, options);
    if (seen !== undefined) result.push(seen);
  }
  return result;
}

function seenPut(event: KeyEvent, { codec, filter }: StoreWatchOptions): ObjectEvent | undefined {
  const object = decodeObject(codec, event);
  const created = event.createRevision === event.modRevision;
  if (filter === undefined) return objectEvent(created ? 'ADDED' : 'MODIFIED', event.modRevision, object);
  const previous = created ? undefined : openPrevious(event, codec);
  return transition({ revision: event.modRevision, object, previous, filter });
}

function seenDelete(event: KeyEvent, { codec, filter }: StoreWatchOptions): ObjectEvent | undefined {
  return transition({ revision: event.modRevision, object: undefined, previous: openPrevious(event, codec), filter });
}

interface Transition {
  readonly revision: number;
  readonly object: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
  readonly filter: AttributesFilter | undefined;
}

/** What leaves a selection is gone for its watchers, with the content they knew; what enters it is new. */
function transition({ revision, object, previous, filter }: Transition): ObjectEvent | undefined {
  const is = object !== undefined && (filter === undefined || filter(object.attributes));
  const was = previous !== undefined && (filter === undefined || filter(previous.attributes));
  if (is) return objectEvent(was ? 'MODIFIED' : 'ADDED', revision, object);
  return was ? objectEvent('DELETED', revision, previous) : undefined;
}

/** The version before a change. Throws `Compacted` when it is not known. */
export function openPrevious(event: KeyEvent, codec: ObjectCodec): StoredObject {
  return decodeObject(codec, requirePrevious(event));
}

/** Without the previous version it is unknown which watchers saw the object: the watch cannot go on. */
function requirePrevious(event: KeyEvent): KeyValue {
  if (event.previous !== undefined) return event.previous;
  throw new StorageError('Compacted', 'the version before a change has been compacted', {
    key: event.key,
    revision: event.modRevision,
  });
}
