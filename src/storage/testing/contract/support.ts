/** What the parts of the contract suite share: the store under test, keys of one's own, and a watch that remembers. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { KeyEvent, KeyValue, Store, WatchBatch } from '../../interface.ts';

/** One store to judge, and what can be done to it from outside. Disposed at the end, its `store` included. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** A further handle on the same data, as another replica has. Absent where one process owns the data. */
  readonly openAnother?: () => Promise<Store>;
  /** Cuts every connection between `store` and its data; it comes back by itself. Absent where nothing can be cut. */
  readonly cutConnections?: () => Promise<void>;
  /** Lets so much time pass for leases. Absent where the clock is the real one and waiting is all there is. */
  readonly elapse?: (seconds: number) => Promise<void>;
}

export interface StoreContract {
  readonly name: string;
  readonly create: () => Promise<StoreUnderTest>;
}

/** The fixture of one group of cases. `under` and `store` can be read inside tests only. */
export interface ContractFixture {
  readonly under: StoreUnderTest;
  readonly store: Store;
  /** A store apart from the shared one, for a test that ends it. */
  createAnew(): Promise<StoreUnderTest>;
  /** A prefix that no other test uses; ends with '/'. */
  prefix(): string;
  /** Opens a watch that collects from now on and ends with the test. */
  watch(prefix: string, options: { after: number; previous?: boolean; store?: Store }): WatchLog;
}

let prefixes = 0;

export function useStore(create: StoreContract['create']): ContractFixture {
  let under: StoreUnderTest | undefined;
  beforeAll(async () => {
    under = await create();
  });
  afterAll(async () => {
    await under?.[Symbol.asyncDispose]();
  });
  const fixture: ContractFixture = {
    get under() {
      if (under === undefined) throw new Error('the store is there inside tests only');
      return under;
    },
    get store() {
      return fixture.under.store;
    },
    createAnew: create,
    prefix: () => `/contract/${process.pid}-${++prefixes}/`,
    watch(prefix, { store = fixture.store, ...options }) {
      const log = new WatchLog(store, prefix, options);
      onTestFinished(() => log.stop());
      return log;
    },
  };
  return fixture;
}

/** A running watch and everything it has delivered so far. */
export class WatchLog {
  readonly batches: WatchBatch[] = [];
  /** Resolves when the stream ended, rejects with its error. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  readonly #waiting = new Set<() => void>();
  #finished = false;

  constructor(store: Store, prefix: string, options: { after: number; previous?: boolean }) {
    this.ended = this.#collect(store.watch(prefix, { ...options, signal: this.#abort.signal }));
    this.ended.catch(() => {});
  }

  get events(): KeyEvent[] {
    return this.batches.flatMap((batch) => batch.events);
  }

  /** The revision up to which this watch has heard of everything. */
  get revision(): number {
    return this.batches.at(-1)?.revision ?? 0;
  }

  /** Waits until the watch has delivered so much; fails when it ends before. */
  async until(condition: (log: WatchLog) => boolean): Promise<this> {
    while (!condition(this)) {
      if (this.#finished) {
        await this.ended;
        throw new Error(`the watch ended after ${this.events.length} events`);
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    return this;
  }

  async untilEvents(count: number): Promise<KeyEvent[]> {
    await this.until((log) => log.events.length >= count);
    return this.events;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.ended.catch(() => {});
  }

  async #collect(stream: AsyncIterable<WatchBatch>): Promise<void> {
    try {
      for await (const batch of stream) {
        this.batches.push(batch);
        this.#wake();
      }
    } finally {
      this.#finished = true;
      this.#wake();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** An event without its value, for comparing orders. */
export const outline = (event: KeyEvent): string => `${event.modRevision} ${event.type} ${event.key}`;

export const bytes = (text: string): Buffer => Buffer.from(text);

/** What a store keeps for `value`, as text. */
export const textOf = (kv: KeyValue | undefined): string | undefined => kv?.value.toString();

/** Creates so many keys in order and returns their revisions. */
export async function createMany(store: Store, prefix: string, count: number, value = 'v'): Promise<number[]> {
  const revisions: number[] = [];
  for (let i = 0; i < count; i++) {
    const { revision } = await store.create(`${prefix}${String(i).padStart(6, '0')}`, bytes(value));
    revisions.push(revision);
  }
  return revisions;
}

/**
 * An update that loses no change of another writer: read, change, write if unmodified, again on conflict.
 */
export async function change(store: Store, key: string, next: (text: string) => string): Promise<number> {
  let { kv } = await store.get(key);
  for (;;) {
    const result = await store.update(key, bytes(next(textOf(kv) ?? '')), kv?.modRevision ?? 0);
    if (result.applied) return result.revision;
    kv = result.current;
  }
}
