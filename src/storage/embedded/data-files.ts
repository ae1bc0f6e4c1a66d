/**
 * What can be told of a data directory before LMDB opens it. Needed because lmdb-js takes the process down with it when
 * LMDB refuses a file.
 */
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import { createPrivateFile, makePrivate, privateDirectoryMode, privateFileMode } from '../../base/private-files.ts';
import { StorageError } from '../storage-error.ts';
import { hasDiskSpace, isNoSpace } from './disk-space.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

/**
 * LMDB's file begins with a page header, the magic number and the version of the file format; two such pages in all.
 */
const MAGIC_OFFSET = 24;
const MAGIC = 0xbeef_c0de;
const VERSION = 2;
const MIN_BYTES = 2 * 4096;
/** The space that a new directory needs. LMDB maps the lock file and faults when it cannot grow. */
const FIRST_BYTES = 1024 * 1024;

/**
 * Makes the directory if need be, and gives it and LMDB's files to their owner only: they hold every secret of the
 * cluster. LMDB itself would leave that to the umask, so the files are made before it opens them.
 *
 * Tells the topmost one that it made. Throws `Unavailable` when LMDB could not use what is there, `NoSpace` when
 * nothing can be put there.
 * @param log told of permissions that were wider
 */
export async function prepareDirectory(directory: string, log: Logger): Promise<string | undefined> {
  const [dataFile, lockFile] = [path.join(directory, 'data.mdb'), path.join(directory, 'lock.mdb')];
  let made: string | undefined;
  try {
    made = await makeDirectories(directory, privateDirectoryMode);
    await makePrivate(directory, privateDirectoryMode, log);
    const problem = (await problemOfData(dataFile)) ?? (await problemOfLock(lockFile));
    if (problem !== undefined) throw new Error(problem);
  } catch (cause) {
    throw new StorageError(
      'Unavailable',
      `the data directory ${directory} cannot be opened: ${(cause as Error).message}`,
      { cause },
    );
  }
  if ((await sizeOf(lockFile)) === 0 && !(await hasDiskSpace(directory, FIRST_BYTES))) throw noSpace(directory);
  try {
    for (const file of [dataFile, lockFile]) {
      await createPrivateFile(file);
      await makePrivate(file, privateFileMode, log);
    }
  } catch (cause) {
    if (isNoSpace(cause)) throw noSpace(directory, cause);
    throw new StorageError(
      'Unavailable',
      `the data directory ${directory} cannot be opened: ${(cause as Error).message}`,
      { cause },
    );
  }
  return made;
}

const noSpace = (directory: string, cause?: unknown): StorageError =>
  new StorageError('NoSpace', `no space is left on the disk of ${directory}`, { cause });

/**
 * Makes the names of a new store's files as durable as what is in them: directories have a sync of their own. `made` is
 * the topmost directory that had to be made.
 */
export async function syncDirectories(directory: string, made: string | undefined): Promise<void> {
  const top = path.dirname(path.resolve(made ?? path.join(directory, 'data.mdb')));
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    await syncDirectory(at);
    if (at === top || at === path.dirname(at)) return;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  // Not every system lets a directory be opened; those that do not need no sync.
  const handle = await open(directory, 'r').catch(() => undefined);
  if (handle === undefined) return;
  await handle.sync().finally(() => handle.close());
}

async function problemOfData(file: string): Promise<string | undefined> {
  if ((await sizeOf(file)) === 0) return undefined;
  const handle = await open(file, 'r+');
  try {
    const head = Buffer.alloc(MAGIC_OFFSET + 8);
    await handle.read(head, 0, head.length, 0);
    if (head.readUInt32LE(MAGIC_OFFSET) !== MAGIC || (await handle.stat()).size < MIN_BYTES)
      return 'data.mdb is not an LMDB database';
    const version = head.readUInt16LE(MAGIC_OFFSET + 4);
    return version === VERSION ? undefined : `data.mdb has version ${version} of LMDB's file format, not ${VERSION}`;
  } finally {
    await handle.close();
  }
}

/** Not opened here: closing it again would give up the locks that another store of this process may hold on it. */
async function problemOfLock(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(undefinedWhenAbsent);
  if (found === undefined) return undefined;
  if (!found.isFile()) return 'lock.mdb is not a file';
  await access(file, constants.R_OK | constants.W_OK);
  return undefined;
}

/** 0 when there is no such file. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(undefinedWhenAbsent);
  return found?.size ?? 0;
}
