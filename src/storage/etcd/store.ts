/** The store on an etcd cluster, 3.4 or newer. Also what speaks etcd's API, as far as `EtcdClient` uses it. */
import { timeLimit } from '../../base/time-limit.ts';
import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { EtcdClient } from '../../etcd/client.ts';
import type { EtcdClientOptions } from '../../etcd/client.ts';
import { firstKey, prefixEnd } from '../../etcd/messages.ts';
import type { Compare, RequestOp, TxnResponse } from '../../etcd/messages.ts';
import { hasSoundProgress } from '../../etcd/version.ts';
import { guardFailed, StorageError } from '../storage-error.ts';
import type {
  GetResult,
  GuardedResult,
  LeaseId,
  ListOptions,
  ListResult,
  Store,
  StoreStatus,
  WatchBatch,
  WatchOptions,
  WriteGuard,
  WriteOptions,
} from '../interface.ts';
import { toStorageError } from './etcd-error-translation.ts';
import { listAll } from './list.ts';
import { ReadBatcher } from './read-batcher.ts';
import { EtcdWatch } from './watch.ts';

export interface EtcdStoreOptions extends EtcdClientOptions {
  /** A watch whose store stays away for so long ends with `Unavailable`. */
  readonly watchGiveUpMs?: number;
}

const defaultWatchGiveUpMs = 15_000;

export class EtcdStore implements Store {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #reads: ReadBatcher;
  readonly #watches = new Set<EtcdWatch>();
  readonly #watchGiveUpMs: number;
  #closed = false;

  constructor(options: EtcdStoreOptions) {
    this.#client = new EtcdClient(options);
    this.#clock = options.clock ?? systemClock;
    this.#reads = new ReadBatcher(this.#client);
    this.#watchGiveUpMs = options.watchGiveUpMs ?? defaultWatchGiveUpMs;
  }

  async currentRevision(signal?: AbortSignal): Promise<number> {
    try {
      return (await this.#reads.read(undefined, signal)).revision;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async get(key: string, options: { revision?: number; signal?: AbortSignal } = {}): Promise<GetResult> {
    const { revision, signal } = options;
    try {
      if (revision === undefined || revision === 0) return await this.#reads.read(key, signal);
      const response = await this.#client.range({ key, revision }, signal);
      return { revision: response.revision, kv: response.kvs[0] };
    } catch (error) {
      throw toStorageError(error, { key });
    }
  }

  async list(prefix: string, options: ListOptions & { signal?: AbortSignal } = {}): Promise<ListResult> {
    try {
      return await listAll((request) => this.#client.range(request, options.signal), prefix, options);
    } catch (error) {
      throw toStorageError(error, { key: prefix });
    }
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<{ revision: number }> {
    const put = { put: { key, value, ...leaseOf(options) } };
    const isGuarded = options.guards !== undefined || options.companion !== undefined;
    const result = await this.#write({
      key,
      expected: 0,
      success: put,
      failure: isGuarded ? { range: { key, keysOnly: true } } : undefined,
      options,
    });
    if (result.succeeded) return { revision: result.revision };
    if (isGuarded && result.responses[0]?.kvs[0] === undefined) throw guardFailed(key);
    throw new StorageError('KeyExists', `key ${key} exists`, { key });
  }

  async update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}): Promise<GuardedResult> {
    const put = { put: { key, value, ...leaseOf(options) } };
    return guarded(await this.#write({ key, expected, success: put, failure: { range: { key } }, options }));
  }

  async delete(key: string, expected: number, options: { signal?: AbortSignal } = {}): Promise<GuardedResult> {
    return guarded(
      await this.#write({ key, expected, success: { deleteRange: { key } }, failure: { range: { key } }, options }),
    );
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return { [Symbol.asyncIterator]: () => this.#openWatch(prefix, options) };
  }

  async requestProgress(prefix = ''): Promise<void> {
    for (const watch of this.#watches) if (watch.prefix.startsWith(prefix)) watch.requestProgress();
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    try {
      return (await this.#client.leaseGrant(ttlSeconds)).id.toString();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async compact(revision: number): Promise<void> {
    try {
      await this.#client.compact(revision);
    } catch (error) {
      const failure = toStorageError(error);
      if (failure.reason !== 'Compacted') throw failure;
    }
  }

  async status(signal?: AbortSignal): Promise<StoreStatus> {
    try {
      const [{ version, dbSizeBytes }, versions] = await Promise.all([
        this.#client.status(signal),
        this.#versions(signal),
      ]);
      return {
        version: `etcd ${version}`,
        sizeBytes: dbSizeBytes,
        soundProgress: hasSoundProgress(version) && versions.every(hasSoundProgress),
      };
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const watch of [...this.#watches]) watch.close(closedError());
    await this.#client[Symbol.asyncDispose]();
  }

  /** Of each member that answers; a watch may find itself at any of them. */
  async #versions(signal: AbortSignal = timeLimit(5_000)): Promise<string[]> {
    const { endpoints } = this.#client;
    if (endpoints.length === 1) return [];
    const all = await Promise.allSettled(endpoints.map((endpoint) => this.#client.statusOf(endpoint, signal)));
    return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.version] : []));
  }

  async #write(write: {
    key: string;
    expected: number;
    success: RequestOp;
    failure: RequestOp | undefined;
    options: WriteOptions;
  }): Promise<TxnResponse> {
    const {
      key,
      expected,
      success,
      failure,
      options: { guards = [], companion, signal },
    } = write;
    const compare: Compare[] = [{ key, modRevision: expected }, ...guards.map(compareOf)];
    const ops: RequestOp[] = [success];
    if (companion !== undefined) {
      compare.push({ key: companion.key, modRevision: companion.expected });
      ops.push({ put: { key: companion.key, value: companion.value } });
    }
    try {
      return await this.#client.txn(
        { compare, success: ops, failure: failure === undefined ? [] : [failure] },
        { idempotent: false, signal },
      );
    } catch (error) {
      throw toStorageError(error, { key });
    }
  }

  #openWatch(prefix: string, { after, previous, signal }: WatchOptions): AsyncIterator<WatchBatch> {
    const onAbort = (): void => watch.close();
    const watch = new EtcdWatch({
      client: this.#client,
      clock: this.#clock,
      prefix,
      after,
      previous: previous ?? false,
      giveUpAfterMs: this.#watchGiveUpMs,
      onEnd: () => {
        signal.removeEventListener('abort', onAbort);
        this.#watches.delete(watch);
      },
    });
    if (signal.aborted) watch.close();
    else if (this.#closed) watch.close(closedError());
    else {
      this.#watches.add(watch);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    return watch;
  }
}

const closedError = (): StorageError => new StorageError('Aborted', 'the store is closed');

function guarded({ succeeded, revision, responses }: TxnResponse): GuardedResult {
  return succeeded ? { applied: true, revision } : { applied: false, revision, current: responses[0]?.kvs[0] };
}

const compareOf = ({ prefix, unchangedSince }: WriteGuard): Compare => ({
  key: prefix === '' ? firstKey : prefix,
  rangeEnd: prefixEnd(prefix),
  modRevisionBelow: unchangedSince + 1,
});

function leaseOf({ lease }: WriteOptions): { lease?: bigint } {
  if (lease === undefined) return {};
  if (!/^\d{1,19}$/.test(lease))
    throw new StorageError('LeaseNotFound', `${JSON.stringify(lease)} is no lease of etcd`);
  return { lease: BigInt(lease) };
}
