/** A store that tells of its calls, how long each took and whether it failed. Watches are not told of: they last. */
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
  WriteOptions,
} from './interface.ts';

export type StoreOperation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';
export type StoreObserver = (operation: StoreOperation, milliseconds: number, failed: boolean) => void;
/** Makes a call, as a part of something else. */
export type CallWithin = <T>(
  operation: StoreOperation,
  key: string,
  call: () => Promise<T>,
  options?: ListOptions,
) => Promise<T>;

class ObservedStore implements Store {
  readonly inner: Store;
  readonly #observe: StoreObserver;
  readonly #within: CallWithin | undefined;

  constructor(inner: Store, observe: StoreObserver, within: CallWithin | undefined) {
    this.inner = inner;
    this.#observe = observe;
    this.#within = within;
  }

  get(key: string, options?: { revision?: number; signal?: AbortSignal }): Promise<GetResult> {
    return this.#timed('get', key, () => this.inner.get(key, options));
  }

  list(prefix: string, options?: ListOptions & { signal?: AbortSignal }): Promise<ListResult> {
    return this.#timed(
      options?.keysOnly === true && options.limit === 1 ? 'listWithCount' : 'list',
      prefix,
      () => this.inner.list(prefix, options),
      options,
    );
  }

  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<{ revision: number }> {
    return this.#timed('create', key, () => this.inner.create(key, value, options));
  }

  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<GuardedResult> {
    return this.#timed('update', key, () => this.inner.update(key, value, expected, options));
  }

  delete(key: string, expected: number, options?: { signal?: AbortSignal }): Promise<GuardedResult> {
    return this.#timed('delete', key, () => this.inner.delete(key, expected, options));
  }

  currentRevision(signal?: AbortSignal): Promise<number> {
    return this.inner.currentRevision(signal);
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.inner.watch(prefix, options);
  }

  requestProgress(prefix?: string): Promise<void> {
    return this.inner.requestProgress(prefix);
  }

  grantLease(ttlSeconds: number): Promise<LeaseId> {
    return this.inner.grantLease(ttlSeconds);
  }

  compact(revision: number): Promise<void> {
    return this.inner.compact(revision);
  }

  status(signal?: AbortSignal): Promise<StoreStatus> {
    return this.inner.status(signal);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.inner[Symbol.asyncDispose]();
  }

  #timed<T>(operation: StoreOperation, key: string, makeCall: () => Promise<T>, options?: ListOptions): Promise<T> {
    const began = performance.now();
    const call = this.#within === undefined ? makeCall() : this.#within(operation, key, makeCall, options);
    call.then(
      () => this.#observe(operation, performance.now() - began, false),
      () => this.#observe(operation, performance.now() - began, true),
    );
    return call;
  }
}

export const observeStore = (store: Store, observe: StoreObserver, within?: CallWithin): Store =>
  new ObservedStore(store, observe, within);

/** The store behind it: equal for all observed stores that share it. */
export const storeBehind = (store: Store): Store => (store instanceof ObservedStore ? store.inner : store);
