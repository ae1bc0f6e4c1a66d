/** Why the store refused or could not answer. Each reason has one meaning, whatever store lies below. */
export type StorageReason =
  | 'KeyExists'
  | 'KeyNotFound'
  | 'Conflict'
  | 'Compacted'
  | 'FutureRevision'
  | 'TooLarge'
  | 'NoSpace'
  | 'LeaseNotFound'
  | 'Unavailable'
  | 'Timeout'
  | 'Aborted'
  | 'SlowConsumer'
  | 'Internal';

export interface StorageErrorDetails {
  readonly key?: string;
  /** The revision the reason speaks of: the oldest one kept for `Compacted`, the current one for `FutureRevision`. */
  readonly revision?: number;
  readonly cause?: unknown;
}

/**
 * The one error the storage layer throws.
 *
 * `Unavailable` and `Timeout` on a write say that its outcome is unknown: it may have been applied.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly reason: StorageReason;
  readonly key: string | undefined;
  readonly revision: number | undefined;

  constructor(reason: StorageReason, message: string, details: StorageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.key = details.key;
    this.revision = details.revision;
  }
}

/** A write was refused for something else than its own key. */
export const guardFailed = (key: string): StorageError =>
  new StorageError('Conflict', `${key} was not written: what the write rests on has changed`, { key });

export function isStorageError(error: unknown, reason?: StorageReason): error is StorageError {
  return error instanceof StorageError && (reason === undefined || error.reason === reason);
}
