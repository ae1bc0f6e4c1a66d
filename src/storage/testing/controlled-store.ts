import { Latch } from '../../base/latch.ts';
import { StorageError } from '../storage-error.ts';
import type {
  GetResult,
  GuardedResult,
  KeyValue,
  ListOptions,
  ListResult,
  Store,
  WatchBatch,
  WatchOptions,
  WriteOptions,
} from '../interface.ts';

type Method = Exclude<keyof Store, symbol>;

/** A call that waits in front of the store. */
export interface HeldCall {
  /** Resolves when the call has come. */
  readonly reached: Promise<void>;
  /** Lets it through. */
  release(): void;
  /** Resolves when the store has answered it. */
  readonly answered: Promise<void>;
}

interface Hold {
  readonly method: Method;
  readonly prefix: string;
  readonly answersAtOnce: boolean;
  readonly latch: Latch;
  readonly reached: () => void;
  readonly answered: () => void;
}

/** A real store that a test can count, cut off, slow down and replace. */
export class ControlledStore implements Store {
  #inner: Store;
  readonly #calls = new Map<Method, number>();
  readonly #held = new Map<Method, Latch>();
  readonly #holds: Hold[] = [];
  readonly #watches = new Latch();
  #lost = new AbortController();
  /** False: as an etcd whose progress cannot be believed. No watch is told any. */
  soundProgress = true;
  /** Waited for before every answer and every batch, so that a test can let things overtake each other. */
  delay: (method: Method) => Promise<void> | void = () => undefined;
  /** Deliver each revision by itself, as a store may. */
  oneRevisionPerBatch = false;
  /** Watches that are open now. */
  openWatches = 0;

  constructor(inner: Store) {
    this.#inner = inner;
    this.#watches.open();
  }

  calls(method: Method): number {
    return this.#calls.get(method) ?? 0;
  }

  /** All calls fail and all watches end with `Unavailable`. */
  disconnect(): void {
    this.#lost.abort();
  }

  reconnect(): void {
    this.#lost = new AbortController();
  }

  /** From here on calls go to another store, as after a restart. */
  replace(inner: Store): void {
    this.#inner = inner;
  }

  /** Calls of this kind wait until they are released. */
  hold(method: Method): () => void {
    const latch = new Latch();
    this.#held.set(method, latch);
    return () => {
      this.#held.delete(method);
      latch.open();
    };
  }

  /** The next call of this kind for a key that begins with `prefix` waits until it is released; no other one does. */
  holdNext(method: Method, prefix: string): HeldCall {
    return this.#holdNext(method, prefix, false);
  }

  /** The same, but the caller is told at once that the outcome is unknown. */
  loseNext(method: Method, prefix: string): HeldCall {
    return this.#holdNext(method, prefix, true);
  }

  /** Watches deliver nothing until `resumeWatches`. */
  pauseWatches(): void {
    this.#watches.shut();
  }

  resumeWatches(): void {
    this.#watches.open();
  }

  async currentRevision(signal?: AbortSignal): Promise<number> {
    await this.#enter('currentRevision');
    return this.#answer('currentRevision', this.#inner.currentRevision(signal));
  }

  async get(key: string, options?: { revision?: number; signal?: AbortSignal }): Promise<GetResult> {
    await this.#enter('get', key);
    return this.#answer('get', this.#inner.get(key, options));
  }

  async list(prefix: string, options?: ListOptions & { signal?: AbortSignal }): Promise<ListResult> {
    await this.#enter('list', prefix);
    return this.#answer('list', this.#inner.list(prefix, options));
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<{ revision: number }> {
    return this.#write('create', key, () => this.#inner.create(key, value, options));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<GuardedResult> {
    return this.#write('update', key, () => this.#inner.update(key, value, expected, options));
  }

  async delete(key: string, expected: number, options?: { signal?: AbortSignal }): Promise<GuardedResult> {
    return this.#write('delete', key, () => this.#inner.delete(key, expected, options));
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    await this.#enter('watch', prefix);
    const lost = this.#lost.signal;
    const signal = AbortSignal.any([options.signal, lost]);
    this.openWatches++;
    try {
      for await (const batch of this.#inner.watch(prefix, { ...options, signal })) {
        if (!this.soundProgress && batch.events.length === 0) continue;
        for (const part of this.oneRevisionPerBatch ? splitByRevision(batch) : [batch]) {
          await this.#watches.wait(signal).catch(() => undefined);
          await this.delay('watch');
          if (signal.aborted) break;
          yield part;
        }
      }
    } finally {
      this.openWatches--;
    }
    if (!options.signal.aborted && lost.aborted) throw unavailable();
  }

  async requestProgress(prefix?: string): Promise<void> {
    await this.#enter('requestProgress');
    if (this.soundProgress) await this.#inner.requestProgress(prefix);
  }

  async grantLease(ttlSeconds: number) {
    await this.#enter('grantLease');
    return this.#inner.grantLease(ttlSeconds);
  }

  async compact(revision: number): Promise<void> {
    await this.#enter('compact');
    return this.#inner.compact(revision);
  }

  async status(signal?: AbortSignal) {
    await this.#enter('status');
    const status = await this.#inner.status(signal);
    return { ...status, soundProgress: status.soundProgress && this.soundProgress };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#inner[Symbol.asyncDispose]());
  }

  async #answer<T>(method: Method, answer: Promise<T>): Promise<T> {
    const given = await answer;
    await this.delay(method);
    return given;
  }

  async #enter(method: Method, key = ''): Promise<Hold | undefined> {
    this.#calls.set(method, this.calls(method) + 1);
    if (this.#lost.signal.aborted) throw unavailable();
    await this.#held.get(method)?.wait();
    const hold = this.#takeHold(method, key, false);
    await hold?.latch.wait();
    return hold;
  }

  async #write<T>(method: Method, key: string, write: () => Promise<T>): Promise<T> {
    const held = await this.#enter(method, key);
    const lost = this.#takeHold(method, key, true);
    if (lost === undefined) return write().finally(held?.answered);
    void lost.latch
      .wait()
      .then(write)
      .catch(() => undefined)
      .finally(lost.answered);
    throw unavailable();
  }

  #holdNext(method: Method, prefix: string, answersAtOnce: boolean): HeldCall {
    const latch = new Latch();
    const [reached, answered] = [new Latch(), new Latch()];
    const told = { reached: () => reached.open(), answered: () => answered.open() };
    this.#holds.push({ method, prefix, answersAtOnce, latch, ...told });
    return { reached: reached.wait(), release: () => latch.open(), answered: answered.wait() };
  }

  #takeHold(method: Method, key: string, answersAtOnce: boolean): Hold | undefined {
    const at = this.#holds.findIndex(
      (hold) => hold.method === method && hold.answersAtOnce === answersAtOnce && key.startsWith(hold.prefix),
    );
    if (at < 0) return undefined;
    const [hold] = this.#holds.splice(at, 1);
    hold!.reached();
    return hold;
  }
}

/** What a test writes past the storage it looks at. */
export async function putRaw(store: Store, key: string, value: string): Promise<KeyValue> {
  const { kv } = await store.get(key);
  await store.update(key, Buffer.from(value), kv?.modRevision ?? 0);
  return (await store.get(key)).kv!;
}

function splitByRevision({ revision, events }: WatchBatch): WatchBatch[] {
  const parts = [...new Set(events.map(({ modRevision }) => modRevision))].map((each) => ({
    revision: each,
    events: events.filter(({ modRevision }) => modRevision === each),
  }));
  return parts.at(-1)?.revision === revision ? parts : [...parts, { revision, events: [] }];
}

function unavailable(): StorageError {
  return new StorageError('Unavailable', 'the store is away');
}
