/**
 * The storage port: ordered keys, opaque bytes, one revision counter, history until compaction.
 *
 * The words are etcd's. Two stores implement it (`etcd/`, `embedded/`), one contract suite judges both
 * (`testing/store-contract.ts`). Nothing here knows what the bytes mean.
 *
 * Revisions are positive integers (etcd's int64; they stay far below 2^53). Every successful write takes the
 * next revision; several keys can change at one revision only when a lease ends, or when a write has a companion.
 */

/** One version of one key. `value` is never a slice that pins a larger buffer. */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  /** Revision of the write that made this version. */
  readonly modRevision: number;
  /** Revision of the write that created the key. */
  readonly createRevision: number;
  /** Why the value cannot be had in the clear: it is encrypted, and the key is not at hand. It is empty here then. */
  readonly unreadable?: Error;
}

export interface GetResult {
  /** The store's revision when the read was made. */
  readonly revision: number;
  readonly kv: KeyValue | undefined;
}

export interface ListOptions {
  /** Read as of this revision; the current one when absent. Throws `Compacted` or `FutureRevision`. */
  readonly revision?: number;
  /** First key to return, inclusive; must begin with the prefix. */
  readonly start?: string;
  /** At most so many keys; all when absent or 0. */
  readonly limit?: number;
  /** Leave `value` empty: a cheap probe of keys and revisions. */
  readonly keysOnly?: boolean;
}

export interface ListResult {
  /** The revision the list shows: `ListOptions.revision` if given, else the current one. */
  readonly revision: number;
  /** In key order (bytes). */
  readonly kvs: readonly KeyValue[];
  /** How many keys from `start` on match, those beyond `limit` included. */
  readonly count: number;
}

export interface WriteOptions {
  /** The key lives as long as this lease. An update without it detaches the key from its lease. */
  readonly lease?: LeaseId;
  readonly signal?: AbortSignal;
  /** What else must hold at the revision of the write. */
  readonly guards?: readonly WriteGuard[];
  /** Another key that the same transaction writes: both are written, or neither. */
  readonly companion?: Companion;
}

/** No key that begins with `prefix` was put after revision `unchangedSince`. Deletions do not count. */
export interface WriteGuard {
  readonly prefix: string;
  readonly unchangedSince: number;
}

/** Takes the revision of the write that it belongs to, or the one just before it. Its guard is as in `Store.update`. */
export interface Companion {
  readonly key: string;
  readonly value: Uint8Array;
  readonly expected: number;
}

export type LeaseId = string;

/** A guarded write: either it was applied, or a guard failed and nothing changed. */
export type GuardedResult =
  | { readonly applied: true; readonly revision: number }
  /**
   * `current` is what the same transaction read: the key as it is, or undefined when it is gone. When that is the
   * version the write expected, what failed is one of `WriteOptions.guards`, or the guard of the companion.
   */
  | { readonly applied: false; readonly revision: number; readonly current: KeyValue | undefined };

export interface KeyEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** Empty for a delete. */
  readonly value: Buffer;
  /** For a delete, the revision of the deletion. */
  readonly modRevision: number;
  /** Equal to `modRevision` when this put created the key; 0 for a delete. */
  readonly createRevision: number;
  /** As of a `KeyValue`. */
  readonly unreadable?: Error;
  /** The version before, when the watch asked for it and it is not compacted. */
  readonly previous?: KeyValue;
}

/**
 * Changes in revision order. A batch holds whole revisions: all events of a revision are in one batch.
 * A batch without events is progress: every change up to `revision` was delivered.
 */
export interface WatchBatch {
  readonly revision: number;
  readonly events: readonly KeyEvent[];
}

export interface WatchOptions {
  /** Deliver changes with a revision greater than this. 0 means from now on. */
  readonly after: number;
  /** Fill `KeyEvent.previous`. */
  readonly previous?: boolean;
  readonly signal: AbortSignal;
}

export interface StoreStatus {
  /** `etcd 3.5.16`, `embedded`. */
  readonly version: string;
  /** Bytes on disk. */
  readonly sizeBytes: number;
  /** Whether a progress notification is never ahead of events (etcd#15220). */
  readonly soundProgress: boolean;
}

export interface Store extends AsyncDisposable {
  /** The current revision, by a linearizable read: not older than any write acknowledged before the call. */
  currentRevision(signal?: AbortSignal): Promise<number>;

  /** Linearizable unless `revision` is given. A missing key is a result without `kv`. */
  get(key: string, options?: { revision?: number; signal?: AbortSignal }): Promise<GetResult>;

  /** Linearizable unless `revision` is given; always one snapshot. Keys that begin with `prefix`. */
  list(prefix: string, options?: ListOptions & { signal?: AbortSignal }): Promise<ListResult>;

  /**
   * Throws `KeyExists`, or `Conflict` when the key does not exist but one of `WriteOptions.guards`, or the guard of
   * the companion, failed. Resolves when the write is durable.
   */
  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<{ revision: number }>;

  /**
   * Replaces the value if the key's `modRevision` is `expected` (0: if it does not exist).
   * Sent once, never resent: `Unavailable` says that the outcome is unknown.
   */
  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<GuardedResult>;

  /** Deletes the key if its `modRevision` is `expected`. */
  delete(key: string, expected: number, options?: { signal?: AbortSignal }): Promise<GuardedResult>;

  /**
   * Streams changes of all keys under `prefix`, each once, in order, without a gap, also across reconnects to the
   * store. Throws `Compacted` when `after` is older than history, `Unavailable` when the store stays away.
   * The stream ends without an error when `signal` aborts. After the stream was opened (first `next()` pending),
   * later writes are delivered.
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;

  /**
   * Asks the store to send progress soon, to the watches of what lies under `prefix`, or to all; a no-op where the
   * version makes it unsound. Others may get it too.
   */
  requestProgress(prefix?: string): Promise<void>;

  /**
   * Whether the value of this version of a key should be written anew although nothing changes: it is encrypted
   * otherwise than values are now. Absent where values are stored as they are.
   */
  isStale?(key: string, revision: number, signal?: AbortSignal): Promise<boolean>;

  /** Grants a lease. All keys of a lease that ends are deleted at one revision. */
  grantLease(ttlSeconds: number): Promise<LeaseId>;

  /**
   * Drops history below `revision`. Reads and watches below it then throw `Compacted`. Compacting twice is no error.
   */
  compact(revision: number): Promise<void>;

  status(signal?: AbortSignal): Promise<StoreStatus>;
}
