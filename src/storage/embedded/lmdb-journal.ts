/**
 * The journal on disk: one LMDB environment with four databases.
 *
 *   log     revision → what changed at it (`log-record.ts`); small, read once when the store opens
 *   values  revision → the value put at it
 *   leases  lease id → time to live and expiry
 *   meta    format, compacted, swept
 *
 * This is etcd's layout with the log and the values apart, so that opening reads the small part only. Revisions grow,
 * so both are appended to; a key is a value here and may be of any length.
 *
 * Durability is LMDB's own: pages, fdatasync, then the meta page through a synchronous descriptor. The overlapping sync
 * of lmdb-js stays off: it would make commits readable before they are durable, and buys nothing because the pipeline
 * already gathers what arrives while a commit is under way.
 */
import type { Database, RootDatabase } from 'lmdb';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { StorageError } from '../storage-error.ts';
import { prepareDirectory, syncDirectories } from './data-files.ts';
import { lockDirectory } from './directory-lock.ts';
import { hasDiskSpace } from './disk-space.ts';
import type { Change, Journal, JournalState, LogRecord } from './journal.ts';
import { decodeRecord, encodeDelete, encodeLeaseEnd, encodePut, readInteger, writeInteger } from './log-record.ts';
import { isDeletion } from './version.ts';
import type { Version } from './version.ts';
import { encodeLease, decodeLease, encodeInteger } from './lmdb-values.ts';

const FORMAT = 1;

/** Two values of the usual 2 to 4 kB share such a page; of 4 kB pages each would need one of its own. */
const PAGE_BYTES = 8192;

/** Space on the disk, beyond what a commit writes, that makes a full disk an unlikely reason for its failure. */
const SPARE_BYTES = 1024 * 1024;

const MIN_MAP_BYTES = 16 * 1024 * 1024;

const ENOSPC = 28;

const EDQUOT = 122;

const MDB_MAP_FULL = -30792;

type Numbers = Database<Buffer, number>;

interface Databases {
  readonly root: RootDatabase<Buffer, number>;
  readonly log: Numbers;
  readonly values: Numbers;
  readonly leases: Numbers;
  readonly meta: Database<Buffer, Buffer>;
}

/** Page counts and the like, as lmdb-js reports them. */
interface DatabaseStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly lastPageNumber: number;
}

const metaKey = {
  format: Buffer.from('format'),
  compacted: Buffer.from('compacted'),
  swept: Buffer.from('swept'),
};

/** A number as 8 bytes: byte order is number order. */
const numberKeys = {
  writeKey: (key: number, target: Uint8Array, at: number) => writeInteger(target, key, at),
  readKey: (source: Uint8Array, at: number) => readInteger(source, at),
};

export interface LmdbJournalOptions {
  readonly directory: string;
  readonly maxSizeBytes: number;
  readonly log?: Logger;
}

/** Throws `Unavailable` when another process has the directory, `NoSpace` when there is no space to create it. */
export async function openLmdbJournal({
  directory,
  maxSizeBytes,
  log = silentLogger,
}: LmdbJournalOptions): Promise<LmdbJournal> {
  const made = await prepareDirectory(directory, log);
  const databases = await lockDirectory(directory, () => openDatabases(directory, maxSizeBytes));
  await syncDirectories(directory, made);
  return new LmdbJournal({ directory, maxSizeBytes, databases });
}

async function openDatabases(directory: string, maxSizeBytes: number): Promise<Databases> {
  const { open } = await import('lmdb');
  try {
    const root = open<Buffer, number>(directory, {
      encoding: 'binary',
      pageSize: PAGE_BYTES,
      // Address space, not memory. lmdb-js maps anew when it runs out, so this is no limit; `hasSpaceFor` is.
      mapSize: Math.max(maxSizeBytes, MIN_MAP_BYTES),
      noSubdir: false,
      overlappingSync: false,
      // Its batches leave a promise of their own unhandled when a commit fails, which would end the process.
      eventTurnBatching: false,
    });
    const numbers = (name: string): Numbers =>
      root.openDB<Buffer, number>(name, { encoding: 'binary', keyEncoder: numberKeys } as object);
    const meta = root.openDB<Buffer, Buffer>('meta', { encoding: 'binary', keyEncoding: 'binary' });
    return { root, log: numbers('log'), values: numbers('values'), leases: numbers('leases'), meta };
  } catch (cause) {
    throw new StorageError('Unavailable', `the data directory ${directory} cannot be opened: ${messageOf(cause)}`, {
      cause,
    });
  }
}

export class LmdbJournal implements Journal {
  readonly keepsValuesInMemory = false;
  readonly #directory: string;
  readonly #maxSizeBytes: number;
  readonly #databases: Databases;
  /** Bytes in use when last counted, and a generous estimate of what was added since. */
  #countedBytes = 0;
  #addedBytes = 0;
  #hasFormat = false;
  /** Set while the disk is known to be full: puts are then not tried before there is space again. */
  #diskFull = false;

  constructor({ directory, maxSizeBytes, databases }: Omit<LmdbJournalOptions, 'log'> & { databases: Databases }) {
    this.#directory = directory;
    this.#maxSizeBytes = maxSizeBytes;
    this.#databases = databases;
  }

  load(): JournalState {
    const { leases } = this.#databases;
    this.#checkFormat();
    this.#countedBytes = this.#countBytes();
    return {
      compacted: this.#readMeta(metaKey.compacted),
      swept: this.#readMeta(metaKey.swept),
      leases: leases.getRange({ start: 0 }).map(({ key, value }) => decodeLease(key, value)),
      log: this.#records(),
    };
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const added = changes.reduce((sum, change) => sum + sizeOf(change), 0);
    if (this.#diskFull && added > 0 && !(await hasDiskSpace(this.#directory, added + SPARE_BYTES)))
      throw this.#noSpace();
    try {
      await this.#write(changes);
    } catch (error) {
      throw await this.#explain(error, added);
    }
    this.#diskFull = false;
    this.#addedBytes += added;
  }

  read(revision: number): Buffer | undefined {
    const shared = this.#databases.values.getBinaryFast(revision);
    // lmdb-js hands out one buffer for all reads; the copy is what makes the value the caller's own.
    return shared === undefined ? undefined : (Uint8Array.prototype.slice.call(shared, 0, shared.length) as Buffer);
  }

  hasSpaceFor(bytes: number): boolean {
    if (this.#countedBytes + this.#addedBytes + bytes <= this.#maxSizeBytes) return true;
    this.#countedBytes = this.#countBytes();
    this.#addedBytes = 0;
    return this.#countedBytes + bytes <= this.#maxSizeBytes;
  }

  sizeBytes(): number {
    const { lastPageNumber, pageSize } = statsOf(this.#databases.meta);
    return (lastPageNumber + 1) * pageSize;
  }

  async close(): Promise<void> {
    await this.#databases.root.close();
  }

  async #write(changes: readonly Change[]): Promise<void> {
    const appended: Promise<boolean>[] = [];
    const { root, meta } = this.#databases;
    const whole = root.batch(() => {
      if (!this.#hasFormat) void meta.put(metaKey.format, encodeInteger(FORMAT));
      for (const change of changes) this.#apply(change, appended);
    });
    const results = await Promise.all([whole, ...appended]);
    this.#hasFormat = true;
    // LMDB passes over an append that is not behind all others. Revisions only grow, so this says the data is not ours.
    if (results.includes(false))
      throw new StorageError('Unavailable', `the log of ${this.#directory} holds revisions it should not have yet`);
  }

  #apply(change: Change, appended: Promise<boolean>[]): void {
    const { log, leases, meta } = this.#databases;
    switch (change.kind) {
      case 'version':
        return this.#applyVersion(change.version, appended);
      case 'leaseGranted':
        void leases.put(change.lease.id, encodeLease(change.lease));
        return;
      case 'leaseEnded':
        void leases.remove(change.lease.id);
        if (change.deletions.length > 0)
          appended.push(append(log, change.deletions[0]!.modRevision, encodeLeaseEnd(change.deletions)));
        return;
      case 'compacted':
      case 'swept':
        void meta.put(metaKey[change.kind], encodeInteger(change.revision));
        return;
      case 'dropped':
        for (const version of change.versions) this.#drop(version);
    }
  }

  #applyVersion(version: Version, appended: Promise<boolean>[]): void {
    const { log, values } = this.#databases;
    if (isDeletion(version)) {
      appended.push(append(log, version.modRevision, encodeDelete(version)));
      return;
    }
    appended.push(
      append(log, version.modRevision, encodePut(version)),
      append(values, version.modRevision, version.value!),
    );
  }

  #drop(version: Version): void {
    void this.#databases.log.remove(version.modRevision);
    if (!isDeletion(version)) void this.#databases.values.remove(version.modRevision);
  }

  *#records(): Iterable<LogRecord> {
    for (const { key, value } of this.#databases.log.getRange({ start: 0 })) yield this.#decode(key, value);
  }

  #decode(revision: number, record: Buffer): LogRecord {
    try {
      return decodeRecord(revision, record);
    } catch (cause) {
      throw new StorageError('Unavailable', `the data directory ${this.#directory} is damaged: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  #checkFormat(): void {
    const format = this.#databases.meta.get(metaKey.format);
    this.#hasFormat = format !== undefined;
    if (format === undefined || readInteger(format, 0) === FORMAT) return;
    throw new StorageError(
      'Unavailable',
      `${this.#directory} has format ${readInteger(format, 0)}; this version reads format ${FORMAT}`,
    );
  }

  #readMeta(key: Buffer): number {
    const value = this.#databases.meta.get(key);
    return value === undefined ? 0 : readInteger(value, 0);
  }

  #countBytes(): number {
    const { log, values, leases, meta } = this.#databases;
    return [log, values, leases, meta].reduce((sum, database) => {
      const stats = statsOf(database);
      return sum + (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
    }, 0);
  }

  /** A failed write to a full disk can look like any other input/output error, so the disk is asked. */
  async #explain(error: unknown, added: number): Promise<StorageError> {
    if (error instanceof StorageError) return error;
    const cause = await commitErrorOf(error);
    const { code } = cause as { code?: unknown };
    const hasSpace =
      code !== ENOSPC &&
      code !== EDQUOT &&
      code !== MDB_MAP_FULL &&
      (await hasDiskSpace(this.#directory, added + SPARE_BYTES));
    if (hasSpace || !this.#isReadable()) {
      return new StorageError('Unavailable', `writing to ${this.#directory} failed: ${messageOf(cause)}`, { cause });
    }
    this.#diskFull = true;
    return this.#noSpace(cause);
  }

  /** LMDB refuses even reads after it failed half-way through the last step of a commit. */
  #isReadable(): boolean {
    try {
      this.#databases.root.resetReadTxn();
      this.#databases.meta.get(metaKey.format);
      return true;
    } catch {
      return false;
    }
  }

  #noSpace(cause?: unknown): StorageError {
    return new StorageError('NoSpace', `no space is left on the disk of ${this.#directory}`, { cause });
  }
}

function append(database: Numbers, revision: number, value: Buffer): Promise<boolean> {
  const put = database.put as (key: number, value: Buffer, options: { append: boolean }) => Promise<boolean>;
  return put.call(database, revision, value, { append: true });
}

/** Upper bound for what a change takes: a value beyond half a page begins a page of its own. */
function sizeOf(change: Change): number {
  switch (change.kind) {
    case 'version': {
      const { value, history } = change.version;
      if (value === undefined) return 0;
      const inline = value.length <= PAGE_BYTES / 2 - 32;
      return (
        history.bytes.length +
        64 +
        (inline ? value.length * 1.5 : Math.ceil((value.length + 16) / PAGE_BYTES) * PAGE_BYTES)
      );
    }
    case 'leaseGranted':
      return 64;
    case 'leaseEnded':
    case 'compacted':
    case 'dropped':
    case 'swept':
      return 0;
  }
}

function statsOf(database: Database<Buffer, number> | Database<Buffer, Buffer>): DatabaseStats {
  return database.getStats() as DatabaseStats;
}

/** lmdb-js rejects with an error that carries a promise of the real one. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (commitError === undefined) return error;
  return commitError.catch((cause: unknown) => cause);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
