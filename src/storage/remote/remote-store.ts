/** A store of another thread (`serve-store.ts`). Values are copied on the way. */
import { setMaxListeners } from 'node:events';
import type { PortCalls } from '../../base/message-port-calls.ts';
import type {
  GetResult,
  GuardedResult,
  KeyEvent,
  KeyValue,
  ListOptions,
  ListResult,
  Store,
  WatchBatch,
  WatchOptions,
  WriteOptions,
} from '../interface.ts';
import { isStorageError, StorageError } from '../storage-error.ts';
import type { StoreCalls } from './serve-store.ts';

type Method = Exclude<keyof StoreCalls, 'watch'>;
type Answer<M extends Method> = Awaited<ReturnType<Required<Store>[M]>>;

export class RemoteStore implements Store {
  readonly #calls: PortCalls;
  readonly #name: string;
  readonly #closed = new AbortController();

  constructor(calls: PortCalls, name: string) {
    this.#calls = calls;
    this.#name = name;
    // Each call listens to it.
    setMaxListeners(0, this.#closed.signal);
  }

  async get(key: string, options?: { revision?: number; signal?: AbortSignal }): Promise<GetResult> {
    const { signal, rest } = apart(options);
    const { revision, kv } = await this.#call('get', [key, rest], signal);
    return { revision, kv: kv === undefined ? undefined : withBuffer(kv) };
  }

  async list(prefix: string, options?: ListOptions & { signal?: AbortSignal }): Promise<ListResult> {
    const { signal, rest } = apart(options);
    const result = await this.#call('list', [prefix, rest], signal);
    return { ...result, kvs: result.kvs.map(withBuffer) };
  }

  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<{ revision: number }> {
    const { signal, rest } = apart(options);
    return this.#call('create', [key, value, rest], signal);
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<GuardedResult> {
    const { signal, rest } = apart(options);
    return guarded(await this.#call('update', [key, value, expected, rest], signal));
  }

  async delete(key: string, expected: number, options?: { signal?: AbortSignal }): Promise<GuardedResult> {
    return guarded(await this.#call('delete', [key, expected], options?.signal));
  }

  currentRevision(signal?: AbortSignal): Promise<number> {
    return this.#call('currentRevision', [], signal);
  }

  async *watch(prefix: string, { signal, ...options }: WatchOptions): AsyncGenerator<WatchBatch, void> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const batches = this.#calls.stream('watch', [this.#name, prefix, options] satisfies StoreCalls['watch'], ended);
    for await (const batch of batches as AsyncIterable<WatchBatch>) {
      yield { revision: batch.revision, events: batch.events.map(eventWithBuffers) };
    }
    if (!signal.aborted) this.#closed.signal.throwIfAborted();
  }

  async requestProgress(prefix?: string): Promise<void> {
    await this.#call('requestProgress', [prefix]);
  }

  isStale(key: string, revision: number, signal?: AbortSignal): Promise<boolean> {
    return this.#call('isStale', [key, revision], signal);
  }

  grantLease(ttlSeconds: number) {
    return this.#call('grantLease', [ttlSeconds]);
  }

  async compact(revision: number): Promise<void> {
    await this.#call('compact', [revision]);
  }

  status(signal?: AbortSignal) {
    return this.#call('status', [], signal);
  }

  /** Ends what was asked for here. The store itself is the other thread's. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new StorageError('Aborted', 'the store is closed'));
  }

  async #call<M extends Method>(method: M, args: readonly unknown[], signal?: AbortSignal): Promise<Answer<M>> {
    this.#closed.signal.throwIfAborted();
    const ends = signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
    try {
      return (await this.#calls.call(method, [this.#name, ...args], { signal: ends })) as Answer<M>;
    } catch (error) {
      throw isStorageError(error) || !ends.aborted
        ? error
        : new StorageError('Aborted', `${method} was aborted`, { cause: error });
    }
  }
}

function apart<T extends { readonly signal?: AbortSignal }>(
  options: T | undefined,
): { readonly signal: AbortSignal | undefined; readonly rest: Omit<T, 'signal'> | undefined } {
  if (options === undefined) return { signal: undefined, rest: undefined };
  const { signal, ...rest } = options;
  return { signal, rest };
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const withBuffer = (kv: KeyValue): KeyValue => ({ ...kv, value: bufferOf(kv.value) });

const eventWithBuffers = (event: KeyEvent): KeyEvent => ({
  ...event,
  value: bufferOf(event.value),
  ...(event.previous === undefined ? {} : { previous: withBuffer(event.previous) }),
});

const guarded = (result: GuardedResult): GuardedResult =>
  result.applied || result.current === undefined ? result : { ...result, current: withBuffer(result.current) };
