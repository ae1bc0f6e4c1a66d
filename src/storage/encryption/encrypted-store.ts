/**
 * A store whose values are encrypted, for one resource: the layer above sees them in the clear, over any store. A value
 * that cannot be decrypted is returned with the reason; the reader decides what to do with it.
 */
import type {
  GetResult,
  GuardedResult,
  KeyEvent,
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
import { StorageError } from '../storage-error.ts';
import type { PlainValue, MaybePromise, ValueTransformer } from './transformer.ts';

export interface EncryptedStoreOptions {
  readonly store: Store;
  /** `secrets`, `deployments.apps` */
  readonly resource: string;
  /** Asked for each value: it can be another one from one to the next. */
  readonly transformer: () => ValueTransformer;
}

const nothing = Buffer.alloc(0);

export class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #resource: string;
  readonly #transformer: () => ValueTransformer;

  constructor({ store, resource, transformer }: EncryptedStoreOptions) {
    this.#store = store;
    this.#resource = resource;
    this.#transformer = transformer;
  }

  async get(key: string, options?: { revision?: number; signal?: AbortSignal }): Promise<GetResult> {
    const { revision, kv } = await this.#store.get(key, options);
    return { revision, kv: kv === undefined ? undefined : await this.#decrypted(kv) };
  }

  async list(prefix: string, options?: ListOptions & { signal?: AbortSignal }): Promise<ListResult> {
    const listed = await this.#store.list(prefix, options);
    return options?.keysOnly === true
      ? listed
      : { ...listed, kvs: await settleAll(listed.kvs.map((kv) => this.#decrypted(kv))) };
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<{ revision: number }> {
    return this.#store.create(key, await this.#encrypted(key, value), await this.#encryptedOptions(options));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<GuardedResult> {
    return this.#refusal(
      await this.#store.update(key, await this.#encrypted(key, value), expected, await this.#encryptedOptions(options)),
    );
  }

  async delete(key: string, expected: number, options?: { signal?: AbortSignal }): Promise<GuardedResult> {
    return this.#refusal(await this.#store.delete(key, expected, options));
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch> {
    for await (const { revision, events } of this.#store.watch(prefix, options)) {
      yield {
        revision,
        events: events.length === 0 ? events : await settleAll(events.map((event) => this.#decryptedEvent(event))),
      };
    }
  }

  async isStale(key: string, revision: number, signal?: AbortSignal): Promise<boolean> {
    const { kv } = await this.#store.get(key, signal === undefined ? {} : { signal });
    // Another version is the caller's to look at, and what cannot be read it has heard of already.
    return kv?.modRevision === revision && (await this.#fromStorage(key, kv.value)).stale;
  }

  currentRevision(signal?: AbortSignal): Promise<number> {
    return this.#store.currentRevision(signal);
  }

  requestProgress(prefix?: string): Promise<void> {
    return this.#store.requestProgress(prefix);
  }

  grantLease(ttlSeconds: number): Promise<LeaseId> {
    return this.#store.grantLease(ttlSeconds);
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  status(signal?: AbortSignal): Promise<StoreStatus> {
    return this.#store.status(signal);
  }

  /** The store below is closed by the code that opened it. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #refusal(result: GuardedResult): Promise<GuardedResult> {
    return result.applied || result.current === undefined
      ? result
      : { ...result, current: await this.#decrypted(result.current) };
  }

  async #encrypted(key: string, value: Uint8Array): Promise<Uint8Array> {
    try {
      const parts = await this.#transformer().toStorage(value, { key, resource: this.#resource });
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    } catch (cause) {
      throw new StorageError('Internal', (cause as Error).message, { key, cause });
    }
  }

  async #encryptedOptions(options: WriteOptions | undefined): Promise<WriteOptions | undefined> {
    const companion = options?.companion;
    return companion === undefined
      ? options
      : { ...options, companion: { ...companion, value: await this.#encrypted(companion.key, companion.value) } };
  }

  #fromStorage(key: string, value: Buffer): MaybePromise<PlainValue> {
    return this.#transformer().fromStorage(value, { key, resource: this.#resource });
  }

  #decrypted(kv: KeyValue): MaybePromise<KeyValue> {
    const { key, modRevision, createRevision } = kv;
    const plain = ({ value }: PlainValue): KeyValue =>
      value === kv.value ? kv : { key, value, modRevision, createRevision };
    const failed = (error: unknown): KeyValue => ({
      key,
      value: nothing,
      modRevision,
      createRevision,
      unreadable: error as Error,
    });
    return this.#attempt(kv, plain, failed);
  }

  #decryptedEvent(event: KeyEvent): MaybePromise<KeyEvent> {
    const previous = event.previous === undefined ? undefined : this.#decrypted(event.previous);
    const current: MaybePromise<KeyEvent> =
      event.type === 'delete'
        ? event
        : this.#attempt<KeyEvent>(
            event,
            ({ value }) => ({ ...event, value }),
            (error) => ({ ...event, value: nothing, unreadable: error as Error }),
          );
    if (previous === undefined) return current;
    if (current instanceof Promise || previous instanceof Promise)
      return Promise.all([current, previous]).then(([now, before]) => ({ ...now, previous: before }));
    return { ...current, previous };
  }

  #attempt<T>(
    { key, value }: { readonly key: string; readonly value: Buffer },
    plain: (value: PlainValue) => T,
    failed: (error: unknown) => T,
  ): MaybePromise<T> {
    try {
      const result = this.#fromStorage(key, value);
      return result instanceof Promise ? result.then(plain, failed) : plain(result);
    } catch (error) {
      return failed(error);
    }
  }
}

/** Synchronous where there is nothing to wait for. */
const settleAll = <T>(all: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> =>
  all.some((one) => one instanceof Promise) ? Promise.all(all) : (all as readonly T[]);
