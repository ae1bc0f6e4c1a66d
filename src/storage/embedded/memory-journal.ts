import { StorageError } from '../storage-error.ts';
import type { Change, Journal, JournalState } from './journal.ts';
import type { Version } from './version.ts';

/** What a version costs beside its value, roughly: its objects and its share of the index. */
const VERSION_BYTES = 250;

/**
 * A journal that keeps nothing: values stay with their versions, a write is "durable" at once.
 *
 * Chosen over LMDB on a temporary directory for stores without one: it opens in microseconds, loads no native code,
 * and leaves nothing behind however the process ends.
 */
export class MemoryJournal implements Journal {
  readonly keepsValuesInMemory = true;
  readonly #maxSizeBytes: number;
  #sizeBytes = 0;

  constructor({ maxSizeBytes }: { maxSizeBytes: number }) {
    this.#maxSizeBytes = maxSizeBytes;
  }

  load(): JournalState {
    return { compacted: 0, swept: 0, leases: [], log: [] };
  }

  async commit(changes: readonly Change[]): Promise<void> {
    for (const change of changes) this.#sizeBytes += growth(change);
  }

  read(revision: number): Buffer {
    throw new StorageError('Internal', `the value of revision ${revision} is not in memory`, { revision });
  }

  hasSpaceFor(bytes: number): boolean {
    return this.#sizeBytes + bytes <= this.#maxSizeBytes;
  }

  sizeBytes(): number {
    return this.#sizeBytes + VERSION_BYTES;
  }

  async close(): Promise<void> {}
}

function growth(change: Change): number {
  switch (change.kind) {
    case 'version':
      return bytesOf(change.version);
    case 'leaseEnded':
      return change.deletions.reduce((sum, deletion) => sum + bytesOf(deletion), 0);
    case 'dropped':
      return change.versions.reduce((sum, version) => sum - bytesOf(version), 0);
    case 'leaseGranted':
    case 'compacted':
    case 'swept':
      return 0;
  }
}

function bytesOf({ value, history }: Version): number {
  return VERSION_BYTES + history.bytes.length + (value?.length ?? 0);
}
