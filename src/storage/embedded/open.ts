import { type Logger, silentLogger } from '../../base/logger.ts';
import type { Store } from '../interface.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { MemoryJournal } from './memory-journal.ts';

/** What etcd's documentation suggests as the largest sensible quota. */
const DEFAULT_MAX_SIZE_BYTES = 8 * 1024 ** 3;

export interface EmbeddedStoreOptions {
  /** Where the data is; made if it is not there. Without it the store is in memory and ends with its process. */
  readonly directory?: string;
  /** Writes beyond this size in use fail with `NoSpace`; deletions and compaction go on. 8 GiB when absent. */
  readonly maxSizeBytes?: number;
  /** Told of files that other users of the machine could read. */
  readonly log?: Logger;
}

/**
 * Opens the store in this process. One process at a time can have a directory.
 *
 * Throws a `StorageError`: `Unavailable` when the directory is in use, unreadable or of another format, `NoSpace` when
 * a new one does not fit on the disk.
 */
export async function openEmbeddedStore({
  directory,
  maxSizeBytes = DEFAULT_MAX_SIZE_BYTES,
  log = silentLogger,
}: EmbeddedStoreOptions = {}): Promise<Store> {
  if (directory === undefined) return new EmbeddedStore(new MemoryJournal({ maxSizeBytes }));
  // Loaded here, since a store in memory needs none of the native code.
  const { openLmdbJournal } = await import('./lmdb-journal.ts');
  const journal = await openLmdbJournal({ directory, maxSizeBytes, log });
  try {
    return new EmbeddedStore(journal);
  } catch (error) {
    await journal.close();
    throw error;
  }
}
