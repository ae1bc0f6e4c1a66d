/**
 * The write side: gives each write its revision, gathers writes into batches and makes a batch durable at once.
 *
 * 1. A write is checked and applied to the index at the moment of its call, on top of everything written before it,
 *    durable or not: that is the transaction. It joins the open batch.
 * 2. The journal writes one batch at a time; what is written meanwhile gathers in the next one. So concurrent writers
 *    share one fsync.
 * 3. Once durable, a batch is published: `published` moves, readers see it, watches get its events, its writers get
 *    their answer.
 * 4. If it cannot be made durable, it is rolled back together with everything that was built upon it, and all their
 *    writers get the error. No reader has seen any of it.
 *
 * An answer that rests on a write not yet durable (a failed guard) waits in that write's batch.
 */
import { StorageError } from '../storage-error.ts';
import type { Change, Journal } from './journal.ts';
import type { KeyIndex, NewVersion } from './key-index.ts';
import { isDeletion, noBytes } from './version.ts';
import type { KeyHistory, Lease, Version } from './version.ts';

/** What else must learn of writes. Called in revision order. */
export interface WritePipelineListener {
  /** A batch is durable. `versions` are its puts and deletions. */
  published(versions: readonly Version[]): void;
  /** A lease that was ended in the index is back, since its end could not be made durable. */
  leaseRestored(lease: Lease): void;
}

class Batch {
  readonly changes: Change[] = [];
  readonly durable: Promise<void>;
  lastRevision = 0;
  valueBytes = 0;
  settle!: () => void;
  fail!: (error: StorageError) => void;

  constructor() {
    this.durable = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // A batch without waiting writers (a lease that ended) may fail too.
    this.durable.catch(() => {});
  }
}

export interface Put {
  readonly key: string;
  readonly value: Uint8Array;
  readonly lease: Lease | undefined;
}

export class WritePipeline {
  readonly #journal: Journal;
  readonly #index: KeyIndex;
  readonly #listener: WritePipelineListener;
  #open: Batch | undefined;
  #inFlight: Batch | undefined;
  #head: number;
  #published: number;
  /** Set when the journal broke: from then on nothing is written. */
  #broken: StorageError | undefined;

  constructor({
    journal,
    index,
    revision,
    listener,
  }: { journal: Journal; index: KeyIndex; revision: number; listener: WritePipelineListener }) {
    this.#journal = journal;
    this.#index = index;
    this.#listener = listener;
    this.#head = revision;
    this.#published = revision;
  }

  /** The newest durable revision: what readers read at. */
  get published(): number {
    return this.#published;
  }

  /**
   * Puts new versions one after the other, all of them or none; resolves with the revision of the last when they are
   * durable. Throws `NoSpace` when the store is full.
   */
  async put(puts: readonly Put[]): Promise<number> {
    this.#checkUsable();
    this.#checkSpace(puts.reduce((bytes, { value }) => bytes + value.length, 0));
    const revisions = await Promise.all(puts.map((put) => this.#put(put)));
    return revisions.at(-1)!;
  }

  #put({ key, value, lease }: Put): Promise<number> {
    const history = this.#index.open(key);
    const current = history.newest;
    const createRevision = current === undefined || isDeletion(current) ? this.#head + 1 : current.createRevision;
    const version = this.#add(history, { createRevision, lease, value: ownCopy(value) });
    lease?.keys.add(history);
    return this.#enqueue({ kind: 'version', version }, version.modRevision);
  }

  delete(history: KeyHistory): Promise<number> {
    this.#checkUsable();
    const version = this.#add(history, deletion);
    return this.#enqueue({ kind: 'version', version }, version.modRevision);
  }

  /** Deletes all keys of the lease at one revision, and the lease. Without keys no revision is taken. */
  endLease(lease: Lease): Promise<number> {
    this.#checkUsable();
    const held = [...lease.keys].filter((history) => history.newest?.lease === lease);
    const revision = held.length === 0 ? this.#head : this.#head + 1;
    const deletions = held.map((history) => this.#index.add(history, { ...deletion, modRevision: revision }));
    this.#head = revision;
    return this.#enqueue({ kind: 'leaseEnded', lease, deletions }, revision);
  }

  /** Makes a change durable that takes no revision. */
  async record(change: Change): Promise<void> {
    this.#checkUsable();
    await this.#enqueue(change, this.#head);
  }

  /** Resolves once `revision` is durable; rejects if it was taken back. */
  durable(revision: number): Promise<void> {
    if (revision <= this.#published) return Promise.resolve();
    const batch = this.#inFlight !== undefined && revision <= this.#inFlight.lastRevision ? this.#inFlight : this.#open;
    if (batch === undefined) throw new Error(`revision ${revision} was never written`);
    return batch.durable;
  }

  /** Resolves when nothing is on its way to the journal any more. */
  async settled(): Promise<void> {
    for (let batch = this.#open ?? this.#inFlight; batch !== undefined; batch = this.#open ?? this.#inFlight) {
      await batch.durable.catch(() => {});
      await nextTurn();
    }
  }

  #checkUsable(): void {
    if (this.#broken !== undefined)
      throw new StorageError('Unavailable', this.#broken.message, { cause: this.#broken });
  }

  #checkSpace(valueBytes: number): void {
    const waiting = (this.#open?.valueBytes ?? 0) + (this.#inFlight?.valueBytes ?? 0);
    if (this.#journal.hasSpaceFor(waiting + valueBytes)) return;
    throw new StorageError(
      'NoSpace',
      'the store has reached its maximum size: delete objects and compact, or raise the maximum',
    );
  }

  #add(history: KeyHistory, version: Omit<NewVersion, 'modRevision'>): Version {
    return this.#index.add(history, { ...version, modRevision: ++this.#head });
  }

  async #enqueue(change: Change, revision: number): Promise<number> {
    const batch = (this.#open ??= new Batch());
    batch.changes.push(change);
    batch.lastRevision = this.#head;
    if (change.kind === 'version') batch.valueBytes += change.version.value?.length ?? 0;
    if (this.#inFlight === undefined && batch.changes.length === 1) this.#flushSoon();
    await batch.durable;
    return revision;
  }

  /** In the next turn of the event loop, so that further writes of this one join the batch. */
  #flushSoon(): void {
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const batch = this.#open;
    if (batch === undefined || this.#inFlight !== undefined) return;
    this.#open = undefined;
    this.#inFlight = batch;
    try {
      await this.#journal.commit(batch.changes);
    } catch (error) {
      this.#takeBack(asStorageError(error));
      return;
    }
    this.#publish(batch);
  }

  #publish(batch: Batch): void {
    this.#inFlight = undefined;
    this.#published = batch.lastRevision;
    this.#listener.published(batch.changes.flatMap(versionsOf));
    batch.settle();
    if (this.#open !== undefined) this.#flushSoon();
  }

  #takeBack(error: StorageError): void {
    if (error.reason !== 'NoSpace') this.#broken = error;
    const batches = [this.#inFlight, this.#open].filter((batch) => batch !== undefined);
    this.#inFlight = undefined;
    this.#open = undefined;
    for (const change of batches.flatMap((batch) => batch.changes).toReversed()) this.#undo(change);
    this.#head = this.#published;
    for (const batch of batches) batch.fail(error);
  }

  #undo(change: Change): void {
    for (const version of versionsOf(change).toReversed()) this.#index.undo(version);
    if (change.kind === 'leaseEnded') this.#listener.leaseRestored(change.lease);
  }
}

const deletion = { createRevision: 0, lease: undefined, value: undefined };

function versionsOf(change: Change): readonly Version[] {
  if (change.kind === 'version') return [change.version];
  return change.kind === 'leaseEnded' ? change.deletions : [];
}

/** In a buffer of its own: the caller's may change, or be a slice that pins a larger one. */
function ownCopy(value: Uint8Array): Buffer {
  if (value.length === 0) return noBytes;
  const copy = Buffer.allocUnsafeSlow(value.length);
  copy.set(value);
  return copy;
}

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError('Unavailable', 'the journal failed', { cause: error });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
