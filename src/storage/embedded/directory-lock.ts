/**
 * One process per data directory.
 *
 * LMDB lets several processes share one, this store does not: it keeps the index in memory. Whether a directory is in
 * use is read from LMDB's own lock file, since its locks end with their process, however that ends: when no other
 * process has the file open, opening it resets the count of reader slots to 0; every owner takes a slot as soon as it
 * has opened.
 *
 *   1. open; a count other than 0 means that another process is there
 *   2. take a slot
 *   3. a count other than 1 means that another process came at the same moment
 *
 * Of two processes that open at the same moment both may be refused, but never neither; so a refused one retries for a
 * moment, which also covers a predecessor that is just ending. The second opening within one process counts like
 * another process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, RootDatabase } from 'lmdb';
import { StorageError } from '../storage-error.ts';

const ATTEMPTS = 8;

interface Claimable {
  readonly root: RootDatabase<Buffer, number>;
  readonly meta: Database<Buffer, Buffer>;
}

/** What lmdb-js offers beyond its types. */
interface Internals {
  readonly env: { info(): { numReaders: number } };
  ensureReadTxn(): void;
}

/** Opens with `open` and keeps the result if no other process has the directory; throws `Unavailable` otherwise. */
export async function lockDirectory<T extends Claimable>(directory: string, open: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const databases = await open();
    if (isSoleOwner(databases)) return databases;
    const owners = ownersOf(databases.root);
    await databases.root.close();
    if (attempt === ATTEMPTS)
      throw new StorageError('Unavailable', `the data directory ${directory} is in use by ${owners}`);
    await delay(25 * attempt + Math.random() * 25);
  }
}

function isSoleOwner({ root, meta }: Claimable): boolean {
  const { env } = root as unknown as Internals;
  if (env.info().numReaders !== 0) return false;
  (meta as unknown as Internals).ensureReadTxn();
  return env.info().numReaders === 1;
}

/** From LMDB's list of readers, whose lines begin with the process id. */
function ownersOf(root: RootDatabase<Buffer, number>): string {
  const ids = new Set(Array.from(root.readerList().matchAll(/^\s*(\d+)\s/gm), ([, id]) => Number(id)));
  const others = [...ids].filter((id) => id !== process.pid);
  return others.length === 0 ? 'another store of this process' : `another process (pid ${others.join(', ')})`;
}
