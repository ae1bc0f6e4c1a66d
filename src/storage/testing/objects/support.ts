import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../../interface.ts';
import type {
  ObjectCodec,
  ObjectEvent,
  ObjectStorage,
  ObjectWatch,
  ObjectWatchOptions,
  Selection,
  StoredObject,
} from '../../objects.ts';
import type { WatchLimits } from '../../watch-queue.ts';
import { ControlledStore } from '../controlled-store.ts';
import { createJsonCodec, encodeTestObject } from '../json-codec.ts';
import type { TestObject } from '../json-codec.ts';

export interface StoreForObjects extends AsyncDisposable {
  readonly store: Store;
}

export interface StorageOptions {
  readonly store: Store;
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly codec: ObjectCodec;
  readonly indexedFields: readonly string[];
  readonly watchLimits: Partial<WatchLimits>;
  readonly bookmarkIntervalMs: number;
  readonly versionWaitMs: number;
}

export interface ObjectsContract {
  readonly name: string;
  /** One store for all cases; each case keeps to a prefix of its own. */
  readonly createStore: () => Promise<StoreForObjects>;
  readonly createStorage: (options: StorageOptions) => ObjectStorage;
  /** Whether the store's progress is to be believed in these cases; default true. */
  readonly soundProgress?: boolean;
}

/** One storage over one store, for one case. */
export class Fixture {
  readonly store: ControlledStore;
  readonly prefix: string;
  readonly #contract: ObjectsContract;
  readonly #owned: AsyncDisposable[] = [];
  #storage: ObjectStorage | undefined;

  constructor(contract: ObjectsContract, store: Store, prefix: string) {
    this.#contract = contract;
    this.store = new ControlledStore(store);
    this.store.soundProgress = contract.soundProgress ?? true;
    this.prefix = prefix;
  }

  get storage(): ObjectStorage {
    return (this.#storage ??= this.open());
  }

  /** Another storage on the same objects: another replica. */
  open(options: Partial<StorageOptions> = {}): ObjectStorage {
    const storage = this.#contract.createStorage({
      store: this.store,
      prefix: this.prefix,
      namespaced: true,
      codec: createJsonCodec(),
      indexedFields: ['spec.nodeName'],
      watchLimits: {},
      bookmarkIntervalMs: 60_000,
      versionWaitMs: 300,
      ...options,
    });
    this.#owned.push(storage);
    return storage;
  }

  key(object: Pick<TestObject, 'namespace' | 'name'>): string {
    return `${this.prefix}${object.namespace ?? 'default'}/${object.name}`;
  }

  create(object: Partial<TestObject> & { name: string }, options: { lease?: string } = {}): Promise<StoredObject> {
    const whole = { namespace: 'default', ...object };
    return this.storage.create(this.key(whole), encodeTestObject(whole), options);
  }

  /** Replaces the object, whatever it is. */
  async update(object: Partial<TestObject> & { name: string }): Promise<StoredObject> {
    const whole = { namespace: 'default', ...object };
    const current = await this.storage.get(this.key(whole), { match: 'mostRecent' });
    const result = await this.storage.update(this.key(whole), encodeTestObject(whole), current!.revision);
    if (!result.applied) throw new Error('another client has written');
    return result.object;
  }

  /** Deletes the object; the revision of the deletion. */
  async remove(name: string, namespace = 'default'): Promise<number> {
    const key = this.key({ namespace, name });
    const current = await this.storage.get(key, { match: 'mostRecent' });
    const result = await this.storage.delete(key, current!.revision);
    if (!result.applied) throw new Error('another client has written');
    return result.revision;
  }

  async watch(
    options: Partial<ObjectWatchOptions> & Pick<ObjectWatchOptions, 'after'>,
    storage: ObjectStorage = this.storage,
  ): Promise<Watched> {
    const watched = new Watched();
    await watched.open(storage, options);
    this.#owned.push({ [Symbol.asyncDispose]: async () => watched.close() });
    return watched;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.store.reconnect();
    this.store.resumeWatches();
    for (const owned of this.#owned.reverse()) await owned[Symbol.asyncDispose]();
  }
}

let prefixes = 0;

/** A fresh fixture for each case; the store lives as long as the suite. */
export function useFixture(contract: ObjectsContract): { readonly current: Fixture } {
  let opened: StoreForObjects;
  const holder = { current: undefined as unknown as Fixture };
  beforeAll(async () => {
    opened = await contract.createStore();
  });
  afterAll(() => opened[Symbol.asyncDispose]());
  beforeEach(() => {
    holder.current = new Fixture(contract, opened.store, `/test/${process.pid}-${++prefixes}/objects/`);
  });
  afterEach(() => holder.current[Symbol.asyncDispose]());
  return holder;
}

/** An event as a line: type, name, revision, content. */
export function lineOf(event: ObjectEvent): string {
  if (event.object === undefined)
    return `${event.type} @${event.revision}${event.initialEventsEnd ? ' initial events end' : ''}`;
  return `${event.type} ${event.object.attributes.name} @${event.revision}`;
}

/** What a consumer of a watch sees, in the order it sees it. */
export class Watched {
  readonly events: ObjectEvent[] = [];
  /** As they came from `take()`. */
  readonly batches: (readonly ObjectEvent[])[] = [];
  #watch: ObjectWatch | undefined;
  #paused = false;
  #wake: (() => void)[] = [];

  get ended(): Error | undefined {
    return this.#watch!.ended;
  }

  get revision(): number {
    return this.#watch!.revision;
  }

  get lines(): string[] {
    return this.events.map(lineOf);
  }

  async open(
    storage: ObjectStorage,
    options: Partial<ObjectWatchOptions> & Pick<ObjectWatchOptions, 'after'>,
  ): Promise<void> {
    this.#watch = await storage.watch({ ...options, onReady: () => this.#ready() });
  }

  /** Takes nothing until `resume`. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#ready();
  }

  /** The lines once there are so many. */
  async lineCount(count: number): Promise<string[]> {
    await this.#untilSeen(() => this.events.length >= count);
    return this.lines;
  }

  /** Waits for an event with at least this revision. */
  async reach(revision: number): Promise<string[]> {
    await this.#untilSeen(() => this.events.some((event) => event.type !== 'BOOKMARK' && event.revision >= revision));
    return this.lines;
  }

  async end(): Promise<Error> {
    await this.until(() => this.ended !== undefined);
    return this.ended!;
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  /** Also ends, with the error, when the watch has ended before. */
  async #untilSeen(condition: () => boolean): Promise<void> {
    await this.until(() => condition() || this.ended !== undefined);
    if (!condition()) throw this.ended!;
  }

  close(): void {
    this.#watch?.close();
  }

  #ready(): void {
    if (!this.#paused)
      for (let events = this.#watch!.take(); events.length > 0; events = this.#watch!.take()) {
        this.batches.push(events);
        this.events.push(...events);
      }
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Objects that carry this label value under `app`. */
export function labelled(app: string, rest: Selection = {}): Selection {
  return {
    ...rest,
    labelEquals: new Map([['app', app]]),
    matches: (attributes) => attributes.labels.get('app') === app,
    matchesKey: `app=${app}`,
  };
}

export function namesOf(objects: readonly StoredObject[]): string[] {
  return objects.map(({ attributes: attributes }) =>
    attributes.namespace === 'default' ? attributes.name : `${attributes.namespace}/${attributes.name}`,
  );
}
