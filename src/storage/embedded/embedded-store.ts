/**
 * The embedded store: etcd's semantics in this process, on LMDB or in memory.
 *
 * The parts: `write-pipeline.ts` writes, `key-index.ts` finds versions by key, `revision-log.ts` finds them by
 * revision, `watch-hub.ts` replays them to watches, `lessor.ts` expires leases, `compactor.ts` compacts, and the
 * journal makes writes durable. The index (keys, revisions, history since the last compaction) is in memory, values are
 * not.
 */
import { abortable } from '../../base/abortable.ts';
import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { guardFailed, StorageError } from '../storage-error.ts';
import type {
  GetResult,
  GuardedResult,
  KeyValue,
  LeaseId,
  ListOptions,
  ListResult,
  Store,
  StoreStatus,
  WatchBatch,
  WatchOptions,
  WriteOptions,
} from '../interface.ts';
import { Compactor } from './compactor.ts';
import type { Journal } from './journal.ts';
import { KeyIndex } from './key-index.ts';
import { Lessor } from './lessor.ts';
import { WritePipeline } from './write-pipeline.ts';
import { replay } from './replay.ts';
import { RecentValues } from './recent-values.ts';
import { RevisionLog } from './revision-log.ts';
import { isDeletion, liveVersionAt, noBytes, toKeyValue } from './version.ts';
import type { Lease, Version } from './version.ts';
import { WatchHub } from './watch-hub.ts';

/** etcd's limit for a request; key and value count. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
const RECENT_VALUES_BYTES = 8 * 1024 * 1024;
/** How many values a list reads before it lets others run. */
const LIST_STEP = 2_000;

export class EmbeddedStore implements Store {
  readonly #journal: Journal;
  readonly #index = new KeyIndex();
  readonly #revisionLog = new RevisionLog();
  readonly #recent: RecentValues | undefined;
  readonly #leases: Lessor;
  readonly #pipeline: WritePipeline;
  readonly #compactor: Compactor;
  readonly #watches: WatchHub;
  #disposed: Promise<void> | undefined;

  constructor(journal: Journal, { clock = systemClock }: { clock?: Clock } = {}) {
    this.#journal = journal;
    this.#recent = journal.keepsValuesInMemory ? undefined : new RecentValues({ maxBytes: RECENT_VALUES_BYTES });
    this.#leases = new Lessor({ clock, end: (lease) => this.#endLease(lease) });
    const { revision, compacted, swept } = replay(journal.load(), {
      index: this.#index,
      revisionLog: this.#revisionLog,
      leases: this.#leases,
    });
    this.#pipeline = new WritePipeline({
      journal,
      index: this.#index,
      revision,
      listener: {
        published: (versions) => this.#published(versions),
        leaseRestored: (lease) => this.#leases.add(lease),
      },
    });
    const published = (): number => this.#pipeline.published;
    this.#compactor = new Compactor({
      index: this.#index,
      revisionLog: this.#revisionLog,
      compacted,
      swept,
      published,
      record: (change) => this.#pipeline.record(change),
    });
    this.#watches = new WatchHub({
      revisionLog: this.#revisionLog,
      published,
      compacted: () => this.#compactor.compacted,
      valueOf: (version) => this.#valueOf(version),
    });
    this.#compactor.sweep();
    this.#leases.schedule();
  }

  async currentRevision(signal?: AbortSignal): Promise<number> {
    this.#check(signal);
    return this.#pipeline.published;
  }

  async get(key: string, { revision, signal }: { revision?: number; signal?: AbortSignal } = {}): Promise<GetResult> {
    this.#check(signal);
    checkKey(key);
    const at = this.#readRevision(revision);
    const history = this.#index.find(key);
    const version = history && liveVersionAt(history, at);
    return { revision: this.#pipeline.published, kv: version && toKeyValue(version, this.#valueOf(version)) };
  }

  async list(
    prefix: string,
    { revision, start, limit = 0, keysOnly = false, signal }: ListOptions & { signal?: AbortSignal } = {},
  ): Promise<ListResult> {
    this.#check(signal);
    const at = this.#readRevision(revision);
    const found: Version[] = [];
    let count = 0;
    this.#index.forEach(prefix, start, (history) => {
      const version = liveVersionAt(history, at);
      if (version === undefined) return;
      count++;
      if (limit === 0 || found.length < limit) found.push(version);
    });
    const kvs: KeyValue[] = [];
    for (const version of found) {
      if (kvs.length > 0 && kvs.length % LIST_STEP === 0) await this.#pause(signal);
      kvs.push(toKeyValue(version, keysOnly ? noBytes : this.#valueOf(version)));
    }
    return { revision: at, kvs, count };
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<{ revision: number }> {
    this.#checkWrite(key, value, options);
    const { signal } = options;
    const current = this.#newest(key);
    const obstacle = current?.modRevision ?? this.#obstacle(options);
    if (obstacle === undefined) return { revision: await this.#put(key, value, options) };
    await orAborted(this.#pipeline.durable(obstacle), signal);
    throw current === undefined ? guardFailed(key) : new StorageError('KeyExists', `key ${key} exists`, { key });
  }

  async update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}): Promise<GuardedResult> {
    this.#checkWrite(key, value, options);
    if ((this.#newest(key)?.modRevision ?? 0) !== expected) return this.#refused(key, options.signal);
    const obstacle = this.#obstacle(options);
    if (obstacle !== undefined) return this.#refused(key, options.signal, obstacle);
    return { applied: true, revision: await this.#put(key, value, options) };
  }

  async delete(key: string, expected: number, { signal }: { signal?: AbortSignal } = {}): Promise<GuardedResult> {
    this.#check(signal);
    checkKey(key);
    const current = this.#newest(key);
    if ((current?.modRevision ?? 0) !== expected) return this.#refused(key, signal);
    if (current === undefined) return { applied: true, revision: this.#pipeline.published };
    return { applied: true, revision: await orAborted(this.#pipeline.delete(current.history), signal) };
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#watches.watch(prefix, options);
  }

  async requestProgress(prefix = ''): Promise<void> {
    this.#check();
    this.#watches.requestProgress(prefix);
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    this.#check();
    const lease = this.#leases.draw(ttlSeconds);
    await this.#pipeline.record({ kind: 'leaseGranted', lease });
    this.#leases.add(lease);
    this.#leases.schedule();
    return String(lease.id);
  }

  async compact(revision: number): Promise<void> {
    this.#check();
    await this.#compactor.compact(revision);
  }

  async status(signal?: AbortSignal): Promise<StoreStatus> {
    this.#check(signal);
    return { version: 'embedded', sizeBytes: this.#journal.sizeBytes(), soundProgress: true };
  }

  /** Lets writes that are under way finish, ends watches with `Aborted`. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposed ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    this.#leases.close();
    this.#watches.close(closedError());
    await this.#compactor.close();
    await this.#pipeline.settled();
    await this.#journal.close();
  }

  #check(signal?: AbortSignal): void {
    if (this.#disposed !== undefined) throw closedError();
    if (signal?.aborted) throw abortedError(signal);
  }

  #checkWrite(key: string, value: Uint8Array, { companion, signal }: WriteOptions): void {
    this.#check(signal);
    checkKey(key);
    if (companion !== undefined) checkKey(companion.key);
    const bytes = sizeOf({ key, value }) + (companion === undefined ? 0 : sizeOf(companion));
    if (bytes > MAX_REQUEST_BYTES)
      throw new StorageError(
        'TooLarge',
        `key and value have ${bytes} bytes, more than the ${MAX_REQUEST_BYTES} allowed`,
        { key },
      );
  }

  /** The revision to read at; 0 and undefined mean now. */
  #readRevision(revision: number | undefined): number {
    const current = this.#pipeline.published;
    if (revision === undefined || revision === 0) return current;
    if (revision > current)
      throw new StorageError('FutureRevision', `revision ${revision} is yet to come`, { revision: current });
    const oldest = this.#compactor.compacted;
    if (revision < oldest) throw compactedError(revision, oldest);
    return revision;
  }

  /** The key as the next write finds it, durable or not. */
  #newest(key: string): Version | undefined {
    const version = this.#index.find(key)?.newest;
    return version === undefined || isDeletion(version) ? undefined : version;
  }

  #put(key: string, value: Uint8Array, { lease, companion, signal }: WriteOptions): Promise<number> {
    const put = { key, value, lease: lease === undefined ? undefined : this.#leases.get(lease) };
    const puts = companion === undefined ? [put] : [{ ...companion, lease: undefined }, put];
    return orAborted(this.#pipeline.put(puts), signal);
  }

  /** The revision of what keeps a write from being applied beside its own key; undefined when nothing does. */
  #obstacle({ guards = [], companion }: WriteOptions): number | undefined {
    for (const { prefix, unchangedSince } of guards) {
      let latest = 0;
      this.#index.forEach(prefix, undefined, ({ newest }) => {
        if (newest !== undefined && !isDeletion(newest)) latest = Math.max(latest, newest.modRevision);
      });
      if (latest > unchangedSince) return latest;
    }
    if (companion === undefined || (this.#newest(companion.key)?.modRevision ?? 0) === companion.expected)
      return undefined;
    return this.#index.find(companion.key)?.newest?.modRevision ?? 0;
  }

  /** What a failed guard found, once that, and the change that made it fail, is durable. */
  async #refused(key: string, signal: AbortSignal | undefined, obstacle = 0): Promise<GuardedResult> {
    const newest = this.#index.find(key)?.newest;
    const current = newest === undefined || isDeletion(newest) ? undefined : toKeyValue(newest, this.#valueOf(newest));
    const changed = Math.max(newest?.modRevision ?? 0, obstacle);
    const revision = Math.max(this.#pipeline.published, changed);
    await orAborted(this.#pipeline.durable(changed), signal);
    return { applied: false, revision, current };
  }

  #valueOf(version: Version): Buffer {
    const value = version.value ?? this.#journal.read(version.modRevision);
    if (value === undefined) throw compactedError(version.modRevision, this.#compactor.compacted);
    return value;
  }

  #published(versions: readonly Version[]): void {
    for (const version of versions) {
      this.#revisionLog.push(version);
      this.#recent?.add(version);
      detachFromOldLease(version);
    }
    if (versions.length > 0) this.#watches.published(versions);
  }

  async #endLease(lease: Lease): Promise<void> {
    this.#leases.remove(lease);
    await this.#pipeline.endLease(lease);
  }

  async #pause(signal: AbortSignal | undefined): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#check(signal);
  }
}

/** A lease forgets the keys that were taken from it, so that a long-lived one does not collect them. */
function detachFromOldLease({ older, history }: Version): void {
  const lease = older?.lease;
  if (lease !== undefined && history.newest?.lease !== lease) lease.keys.delete(history);
}

/** Stops waiting when the signal aborts; what became of the write is then unknown. */
async function orAborted<T>(written: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await abortable(written, signal);
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? abortedError(signal) : error;
  }
}

function checkKey(key: string): void {
  if (key === '') throw new StorageError('Internal', 'a key cannot be empty');
}

const sizeOf = ({ key, value }: Pick<KeyValue, 'key'> & { readonly value: Uint8Array }): number =>
  Buffer.byteLength(key) + value.length;

const closedError = (): StorageError => new StorageError('Aborted', 'the store is closed');
const abortedError = (signal: AbortSignal): StorageError =>
  new StorageError('Aborted', 'the call was aborted', { cause: signal.reason });

function compactedError(revision: number, oldest: number): StorageError {
  return new StorageError('Compacted', `revision ${revision} has been compacted`, { revision: oldest });
}
