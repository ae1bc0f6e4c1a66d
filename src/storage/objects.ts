/**
 * Object storage: what the registry reads and writes.
 *
 * Objects are normalized bytes (current storage version, protobuf; JSON for custom resources) with their attributes
 * beside them. Two implementations: `direct-storage.ts` asks the store each time, `cache/` keeps the objects in memory
 * and shares each one, and each encoding of it, between all readers. One suite tests both
 * (`testing/objects-contract.ts`).
 */
import type { StorageCounts } from './storage-counts.ts';
import type { LeaseId, WriteGuard } from './interface.ts';

/** What selectors and indexes need to know of an object, without decoding it again. */
export interface ObjectAttributes {
  readonly namespace: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Field selector values beyond `metadata.name` and `metadata.namespace`, such as `spec.nodeName`. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * One version of one object. Immutable and shared: by readers, watchers and the cache.
 */
export interface StoredObject {
  readonly key: string;
  /** etcd's modRevision: the object's `resourceVersion`. */
  readonly revision: number;
  /** Normalized, without the protobuf envelope. Immutable. */
  readonly bytes: Buffer;
  readonly attributes: ObjectAttributes;
  /** Encodings made from this version, by representation; owned by `apiserver/`, bounded by the byte budget. */
  representations?: Map<string, object> | undefined;
}

/** The storage codec of a resource: decodes stored values to normalized objects, and encodes them. */
export interface ObjectCodec {
  /** Converts once what is not normalized. Throws when the bytes cannot be read. */
  decode(key: string, value: Buffer, revision: number): StoredObject;
  /** The value to store for normalized bytes (adds the envelope). */
  encode(key: string, bytes: Uint8Array): Uint8Array;
}

/** Which objects a list or watch is about. */
export interface Selection {
  /** Everything in one namespace, or all of them. */
  readonly namespace?: string;
  /** One object by name. */
  readonly name?: string;
  /** Equality requirements on `IndexCard.fields` that an index can serve, e.g. `spec.nodeName`. */
  readonly fieldEquals?: ReadonlyMap<string, string>;
  /** Equality requirements on `IndexCard.labels` that an index can serve; part of `matches`. */
  readonly labelEquals?: ReadonlyMap<string, string>;
  /** The whole truth, namespace and name aside. Absent: nothing more than `fieldEquals` is required. */
  readonly matches?: (attributes: ObjectAttributes) => boolean;
  /**
   * Canonical text of what `matches` requires. Watches with the same text are judged once per change; without it
   * only those that share the function are.
   */
  readonly matchesKey?: string;
}

/** At which version a read is to be made, in the words of API Concepts. */
export type ReadVersion =
  | { readonly match: 'mostRecent' }
  | { readonly match: 'any' }
  | { readonly match: 'notOlderThan'; readonly revision: number }
  | { readonly match: 'exact'; readonly revision: number };

export interface ObjectList {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** Key of the last object looked at when there is more; a continue token resumes behind it. */
  readonly lastKey?: string;
  /** Objects after this page; absent when there is a selector, or nothing is left. */
  readonly remaining?: number;
}

export interface ObjectListOptions {
  readonly version: ReadVersion;
  readonly selection?: Selection;
  /** Resume behind this key (exclusive). */
  readonly after?: string;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/**
 * One change as a watcher with this selection sees it. For DELETED `object` is the previous content (also when the
 * object merely left the selection) and `revision` the revision of the change; for BOOKMARK there is no object.
 */
export interface ObjectEvent {
  readonly type: ObjectEventType;
  readonly revision: number;
  readonly object?: StoredObject;
  /** The bookmark that ends the initial events (KEP-3157). */
  readonly initialEventsEnd?: boolean;
  /** Encodings of this event, shared by all watchers that get it; owned by `apiserver/`, gone with the event. */
  representations?: Map<string, Buffer> | undefined;
}

export interface ObjectWatchOptions {
  /**
   * Changes after this revision (0 is 'any'). A revision that is still to come is no error: the watch is silent until
   * then. 'any' and 'mostRecent' begin with synthetic ADDED events of the state, unless `initialEvents` is false.
   */
  readonly after: number | 'any' | 'mostRecent';
  readonly selection?: Selection;
  /**
   * Synthetic ADDED events for all objects first, in key order, then a bookmark when `bookmarks` (KEP-3157). `after`
   * then means "not older than": `watch` throws `Timeout` when that is not reached in time.
   */
  readonly initialEvents?: boolean;
  /** Bookmarks about once a minute, and one before the end that {@link endsAfterMs} announces. */
  readonly bookmarks?: boolean;
  /** When the caller is going to close the watch. */
  readonly endsAfterMs?: number;
  /** Ends the wait for a state to start from; a watch that runs is ended by `close`. */
  readonly signal?: AbortSignal;
  /**
   * Called when `take()` has something new after it had returned everything, and when the watch ended. Never called
   * from inside `take()`.
   */
  readonly onReady: () => void;
}

/** A running watch. What waits is bounded; a consumer that does not take in time is ended with `SlowConsumer`. */
export interface ObjectWatch {
  /**
   * What waits, in revision order; empty when nothing does. Long backlogs come in parts: `onReady` is called again for
   * the next one, unless it was taken before. An array can be shared with other watchers.
   */
  take(): readonly ObjectEvent[];
  /** Every change up to this revision was taken: a bookmark may carry it. 0 until the initial events were. */
  readonly revision: number;
  /**
   * Set once the watch has ended by itself: `Compacted`, `SlowConsumer`, `Unavailable`, … What waits can still be
   * taken, and is held until `close`.
   */
  readonly ended: Error | undefined;
  close(): void;
}

export interface ObjectWrite {
  readonly lease?: LeaseId;
  readonly signal?: AbortSignal;
  /** As of `WriteOptions`. */
  readonly guards?: readonly WriteGuard[];
}

export type ObjectGuardedResult =
  | { readonly applied: true; readonly object: StoredObject }
  /** When `current` is the version that the write expected, one of `ObjectWrite.guards` failed. */
  | { readonly applied: false; readonly current: StoredObject | undefined };

/** The objects of one resource. Keys are full keys; `prefix` ends with '/'. */
export interface ObjectStorage extends AsyncDisposable {
  readonly prefix: string;
  readonly counts: StorageCounts;

  /** `mostRecent` is not older than any write acknowledged before the call. A missing object is undefined. */
  get(key: string, version: ReadVersion, signal?: AbortSignal): Promise<StoredObject | undefined>;

  /** Throws `Compacted`, `FutureRevision`, or `Timeout` when `notOlderThan` is not reached in time. */
  list(options: ObjectListOptions): Promise<ObjectList>;

  watch(options: ObjectWatchOptions): Promise<ObjectWatch>;

  /** Throws `KeyExists`, with the revision unknown, or `Conflict` when one of `ObjectWrite.guards` failed. */
  create(key: string, bytes: Uint8Array, options?: ObjectWrite): Promise<StoredObject>;

  /** Guard as in `Store.update`; `current` is fresh from the store. */
  update(key: string, bytes: Uint8Array, expected: number, options?: ObjectWrite): Promise<ObjectGuardedResult>;

  delete(
    key: string,
    expected: number,
    options?: { signal?: AbortSignal },
  ): Promise<{ applied: true; revision: number } | { applied: false; current: StoredObject | undefined }>;

  /** Whether an update that changes nothing shall be written all the same: see `Store.isStale`. */
  isStale(object: StoredObject, signal?: AbortSignal): Promise<boolean>;

  /** The store has dropped its history below `revision`. A direct storage hears of it from the store itself. */
  compacted?(revision: number): void;

  /** How many objects there are, for the object-count metric. */
  count(): Promise<number>;

  /**
   * Filled, with a running watch on the store. Before it is filled a cache answers nothing (readers wait); when it
   * loses the store later, reads at `any` are still answered. A direct storage is always ready.
   */
  ready(): boolean;
}
