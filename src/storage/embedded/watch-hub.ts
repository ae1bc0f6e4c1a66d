/**
 * Watches, pulled: a watcher is a position in the revision log. Asked for its next batch it reads on from there, or
 * waits for what is published next. Nothing is queued per watcher, so a slow one costs nothing; it falls back to
 * reading from the journal, and ends with `Compacted` when compaction overtakes it.
 */
import { StorageError } from '../storage-error.ts';
import type { KeyEvent, WatchBatch, WatchOptions } from '../interface.ts';
import type { RevisionLog } from './revision-log.ts';
import { isDeletion, noBytes, toKeyValue } from './version.ts';
import type { Version } from './version.ts';

/** What is in one batch at most, up to the end of a revision. */
const MAX_BATCH_EVENTS = 1_000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** How many versions a watcher looks at before it lets others run. */
const MAX_SCAN = 10_000;

export interface WatchSource {
  readonly revisionLog: RevisionLog;
  /** The newest durable revision. */
  readonly published: () => number;
  /** The revision of the last compaction. */
  readonly compacted: () => number;
  /** The value of a version that is not a deletion; throws `Compacted` when it is gone. */
  readonly valueOf: (version: Version) => Buffer;
}

export class WatchHub {
  readonly #source: WatchSource;
  readonly #watchers = new Set<Watcher>();
  #closed: StorageError | undefined;

  constructor(source: WatchSource) {
    this.#source = source;
  }

  async *watch(
    prefix: string,
    { after, previous = false, signal }: WatchOptions,
  ): AsyncGenerator<WatchBatch, void, void> {
    if (signal.aborted) return;
    const watcher = new Watcher({ source: this.#source, prefix, after: after || this.#source.published(), previous });
    const abort = (): void => watcher.wake();
    this.#watchers.add(watcher);
    signal.addEventListener('abort', abort);
    try {
      while (!signal.aborted) {
        if (this.#closed !== undefined) throw this.#closed;
        const batch = watcher.poll();
        if (batch !== undefined) yield batch;
        else if (watcher.isBehind) await nextTurn();
        else await watcher.woken();
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#watchers.delete(watcher);
    }
  }

  /** To be called after `versions` were added to the revision log and `published` moved. */
  published(versions: readonly Version[]): void {
    for (const watcher of this.#watchers) watcher.heardOf(versions);
  }

  /** Of the watches whose own prefix lies under this one. */
  requestProgress(prefix: string): void {
    for (const watcher of this.#watchers) if (watcher.prefix.startsWith(prefix)) watcher.requestProgress();
  }

  close(error: StorageError): void {
    this.#closed = error;
    for (const watcher of this.#watchers) watcher.wake();
  }
}

class Watcher {
  readonly #source: WatchSource;
  readonly prefix: string;
  readonly #previous: boolean;
  /** Every change up to here was delivered, or is none of ours. */
  #position: number;
  /** The revision of the last batch handed out. */
  #told = 0;
  #progressRequested = false;
  #wake: (() => void) | undefined;

  constructor({
    source,
    prefix,
    after,
    previous,
  }: { source: WatchSource; prefix: string; after: number; previous: boolean }) {
    this.#source = source;
    this.prefix = prefix;
    this.#position = after;
    this.#previous = previous;
  }

  /** Whether there is something published that it has not looked at. */
  get isBehind(): boolean {
    return this.#position < this.#source.published();
  }

  /**
   * The next batch, or progress if that is asked for; undefined when there is nothing yet, or the look was cut short.
   */
  poll(): WatchBatch | undefined {
    const events = this.isBehind ? this.#readOn() : [];
    if (events.length === 0 && !this.#takeProgress()) return undefined;
    this.#told = this.#position;
    return { revision: this.#position, events };
  }

  heardOf(versions: readonly Version[]): void {
    if (this.#wake === undefined) return;
    // One that waits has seen all that was there before, so what does not concern it needs no looking at.
    if (this.#progressRequested || versions.some((version) => this.#concerns(version))) this.wake();
    else this.#position = Math.max(this.#position, this.#source.published());
  }

  requestProgress(): void {
    this.#progressRequested = true;
    this.wake();
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #concerns({ history, modRevision }: Version): boolean {
    return modRevision > this.#position && history.key.startsWith(this.prefix);
  }

  /** Whether progress was asked for, can be given, and says more than the last batch did. */
  #takeProgress(): boolean {
    if (!this.#progressRequested || this.#position !== this.#source.published()) return false;
    this.#progressRequested = false;
    return this.#position > this.#told;
  }

  /** Moves the position over whole revisions, as far as a batch goes. */
  #readOn(): KeyEvent[] {
    this.#checkNotCompacted();
    const { revisionLog } = this.#source;
    const events: KeyEvent[] = [];
    let bytes = 0;
    let index = revisionLog.after(this.#position);
    for (const stop = index + MAX_SCAN; index < revisionLog.end; index++) {
      const version = revisionLog.at(index);
      if (version.modRevision > this.#position) {
        if (index >= stop || events.length >= MAX_BATCH_EVENTS || bytes >= MAX_BATCH_BYTES) return events;
        this.#position = version.modRevision;
      }
      if (!version.history.key.startsWith(this.prefix)) continue;
      const event = this.#eventOf(version);
      events.push(event);
      bytes += event.value.length + (event.previous?.value.length ?? 0);
    }
    this.#position = this.#source.published();
    return events;
  }

  #checkNotCompacted(): void {
    const compacted = this.#source.compacted();
    if (this.#position + 1 >= compacted) return;
    throw new StorageError('Compacted', `changes after revision ${this.#position} have been compacted`, {
      revision: compacted,
    });
  }

  #eventOf(version: Version): KeyEvent {
    const { history, modRevision, createRevision } = version;
    const value = isDeletion(version) ? noBytes : this.#source.valueOf(version);
    const type = isDeletion(version) ? 'delete' : 'put';
    const previous = this.#previous ? this.#previousOf(version) : undefined;
    return { type, key: history.key, value, modRevision, createRevision, ...(previous && { previous }) };
  }

  /** What was there before, as a read at the revision before would find it. */
  #previousOf({ older, modRevision }: Version): KeyEvent['previous'] {
    if (older === undefined || isDeletion(older) || modRevision - 1 < this.#source.compacted()) return undefined;
    return toKeyValue(older, this.#source.valueOf(older));
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
