/**
 * The journal port: where writes become durable and values are kept.
 *
 * Two implementations: `lmdb-journal.ts` on disk, `memory-journal.ts` for stores without a directory. All else, so all
 * semantics, is shared by both.
 */
import type { Lease, Version } from './version.ts';

export type Change =
  /** One key was put or deleted. */
  | { readonly kind: 'version'; readonly version: Version }
  | { readonly kind: 'leaseGranted'; readonly lease: Lease }
  /** A lease is gone; `deletions` have one revision in common. Empty when it had no keys. */
  | { readonly kind: 'leaseEnded'; readonly lease: Lease; readonly deletions: readonly Version[] }
  /** Revisions below are not served from now on. */
  | { readonly kind: 'compacted'; readonly revision: number }
  /** Versions that can no longer be read. */
  | { readonly kind: 'dropped'; readonly versions: readonly Version[] }
  /** All that a compaction at `revision` makes unreachable has been dropped. */
  | { readonly kind: 'swept'; readonly revision: number };

/** One record of the log as found when the store opens. */
export type LogRecord =
  | {
      readonly kind: 'put';
      readonly revision: number;
      readonly createRevision: number;
      readonly leaseId: number;
      readonly bytes: string;
    }
  | { readonly kind: 'delete'; readonly revision: number; readonly keys: readonly string[] };

export type StoredLease = Pick<Lease, 'id' | 'ttlMs' | 'expiresAtMs'>;

/** What a journal holds when it is opened. */
export interface JournalState {
  readonly compacted: number;
  readonly swept: number;
  readonly leases: Iterable<StoredLease>;
  /** In revision order. */
  readonly log: Iterable<LogRecord>;
}

export interface Journal {
  /** Whether values stay in `Version.value` because there is no other place. */
  readonly keepsValuesInMemory: boolean;

  load(): JournalState;

  /**
   * Makes all changes durable, or none; resolves when they are. One call at a time. Rejects with a `StorageError`:
   * `NoSpace` when nothing was written and a later attempt may succeed, `Unavailable` when the journal is broken and
   * must not be written to again.
   */
  commit(changes: readonly Change[]): Promise<void>;

  /** The value put at `revision`, in a buffer of its own; undefined once dropped. */
  read(revision: number): Buffer | undefined;

  /** Whether `bytes` more may be written under the configured maximum. */
  hasSpaceFor(bytes: number): boolean;

  /** Bytes taken on disk, or in memory where there is no disk. */
  sizeBytes(): number;

  close(): Promise<void>;
}
