/** A store of a few lines, until the embedded one serves the tests. Leases end when a test says so. */
import { StorageError } from '../errors.ts';
import type { GetResult, GuardedResult, KeyEvent, KeyValue, LeaseId, ListOptions, ListResult, Store, StoreStatus, WatchBatch, WatchOptions, WriteOptions } from '../interface.ts';

export class MemoryStore implements Store {
  #revision = 1;
  #compacted = 0;
  /** All versions ever, by key; the last of each is current. */
  readonly #history = new Map<string, KeyEvent[]>();
  readonly #log: WatchBatch[] = [];
  readonly #leases = new Map<string, Set<string>>();
  #wake: (() => void)[] = [];
  #progress = 0;
  #closed = false;

  currentRevision(): Promise<number> {
    return Promise.resolve(this.#revision);
  }

  get(key: string, options: { revision?: number } = {}): Promise<GetResult> {
    this.#check(options.revision);
    return Promise.resolve({ revision: this.#revision, kv: this.#at(key, options.revision ?? this.#revision) });
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#check(options.revision);
    const revision = options.revision ?? this.#revision;
    const keys = [...this.#history.keys()].filter((key) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(options.start ?? '')) >= 0);
    keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const all = keys.map((key) => this.#at(key, revision)).filter((kv) => kv !== undefined);
    const kvs = all.slice(0, options.limit || undefined).map((kv) => (options.keysOnly ? { ...kv, value: Buffer.alloc(0) } : kv));
    return { revision, kvs, count: all.length };
  }

  create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<{ revision: number }> {
    if (this.#at(key, this.#revision) !== undefined) return Promise.reject(new StorageError('KeyExists', 'key exists', { key }));
    return Promise.resolve({ revision: this.#put(key, value, options) });
  }

  update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}): Promise<GuardedResult> {
    const current = this.#at(key, this.#revision);
    if ((current?.modRevision ?? 0) !== expected) return Promise.resolve({ applied: false, revision: this.#revision, current });
    return Promise.resolve({ applied: true, revision: this.#put(key, value, options) });
  }

  delete(key: string, expected: number): Promise<GuardedResult> {
    const current = this.#at(key, this.#revision);
    if (current === undefined || current.modRevision !== expected) return Promise.resolve({ applied: false, revision: this.#revision, current });
    this.#deleteAll([key]);
    return Promise.resolve({ applied: true, revision: this.#revision });
  }

  async *watch(prefix: string, { after, previous, signal }: WatchOptions): AsyncIterable<WatchBatch> {
    if (after > 0 && after < this.#compacted - 1) throw new StorageError('Compacted', 'compacted', { revision: this.#compacted });
    let next = after === 0 ? this.#log.length : this.#log.findIndex((batch) => batch.revision > after);
    if (next < 0) next = this.#log.length;
    let told = after;
    let progress = this.#progress;
    signal.addEventListener('abort', () => this.#notify());
    while (!signal.aborted && !this.#closed) {
      const batch = this.#log[next];
      if (batch === undefined) {
        if (progress !== this.#progress && told < this.#revision) {
          told = this.#revision;
          yield { revision: told, events: [] };
        } else await new Promise<void>((resolve) => this.#wake.push(resolve));
        progress = this.#progress;
        if (next < this.#log.length) continue;
        if (progress > 0 && told < this.#revision) {
          told = this.#revision;
          yield { revision: told, events: [] };
        }
        continue;
      }
      next++;
      if (batch.revision <= after) continue;
      const events = batch.events.filter((event) => event.key.startsWith(prefix)).map((event) => (previous ? event : { ...event, previous: undefined }));
      if (events.length === 0) continue;
      told = batch.revision;
      yield { revision: batch.revision, events };
    }
    if (this.#closed) throw new StorageError('Aborted', 'closed');
  }

  requestProgress(): Promise<void> {
    this.#progress++;
    this.#notify();
    return Promise.resolve();
  }

  grantLease(ttlSeconds: number): Promise<LeaseId> {
    const id = String(this.#leases.size + 1);
    this.#leases.set(id, new Set());
    setTimeout(() => this.endLease(id), ttlSeconds * 1000).unref();
    return Promise.resolve(id);
  }

  endLease(id: LeaseId): void {
    this.#deleteAll([...this.#leases.get(id)!]);
  }

  compact(revision: number): Promise<void> {
    this.#compacted = Math.max(this.#compacted, revision);
    return Promise.resolve();
  }

  status(): Promise<StoreStatus> {
    return Promise.resolve({ version: 'memory', sizeBytes: 0, soundProgress: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#notify();
    return Promise.resolve();
  }

  #check(revision: number | undefined): void {
    if (revision === undefined) return;
    if (revision < this.#compacted) throw new StorageError('Compacted', 'compacted', { revision: this.#compacted });
    if (revision > this.#revision) throw new StorageError('FutureRevision', 'future', { revision: this.#revision });
  }

  #at(key: string, revision: number): KeyValue | undefined {
    const version = this.#history.get(key)?.findLast((event) => event.modRevision <= revision);
    if (version === undefined || version.type === 'delete') return undefined;
    const { value, modRevision, createRevision } = version;
    return { key, value, modRevision, createRevision };
  }

  #put(key: string, value: Uint8Array, { lease }: WriteOptions): number {
    const previous = this.#at(key, this.#revision);
    const revision = ++this.#revision;
    if (lease !== undefined) this.#leases.get(lease)!.add(key);
    this.#record([{ type: 'put', key, value: Buffer.from(value), modRevision: revision, createRevision: previous?.createRevision ?? revision, previous }]);
    return revision;
  }

  #deleteAll(keys: string[]): void {
    const present = keys.map((key) => this.#at(key, this.#revision)).filter((kv) => kv !== undefined);
    const revision = ++this.#revision;
    this.#record(present.map((previous) => ({ type: 'delete', key: previous.key, value: Buffer.alloc(0), modRevision: revision, createRevision: 0, previous })));
  }

  #record(events: KeyEvent[]): void {
    for (const event of events) this.#history.set(event.key, [...(this.#history.get(event.key) ?? []), event]);
    this.#log.push({ revision: this.#revision, events });
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
