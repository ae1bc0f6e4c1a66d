/**
 * The queue of one watcher.
 *
 * Two parts, taken in this order:
 * 1. the backlog: what the watch starts with (initial events, changes replayed from memory). It is made while it is
 *    taken, a part at a time, from objects that are shared, so its length costs nothing;
 * 2. the queue: batches pushed as changes happen. It is bounded by count and bytes; a consumer that falls behind is
 *    ended with `SlowConsumer`. A batch is one array for all watchers with the same selection.
 *
 * A backlog that is not taken keeps old versions of objects in memory, so it may not stall either (`checkStall`).
 */
import { isStorageError, StorageError } from './storage-error.ts';
import { weightOf } from './object-events.ts';
import type { ObjectEvent, ObjectWatch } from './objects.ts';

export interface WatchLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** How long a consumer may leave a backlog untouched. */
  readonly stallMs: number;
}

/**
 * At 1,000 changes a second of 2.5 kB the count is ten seconds. The bytes are shared by all watchers that wait for the
 * same events.
 */
export const defaultWatchLimits: WatchLimits = { maxEvents: 10_000, maxBytes: 32 * 1024 * 1024, stallMs: 60_000 };

export interface WatchQueueOptions {
  readonly onReady: () => void;
  readonly limits: WatchLimits;
  /** The revision up to which every change was pushed. */
  readonly position: () => number;
  readonly onClose: () => void;
}

/** Parts of a backlog; ends with `done`. */
export type Backlog = Iterator<readonly ObjectEvent[]>;

const nothing: readonly ObjectEvent[] = [];

export class WatchQueue implements ObjectWatch {
  readonly #onReady: () => void;
  readonly #limits: WatchLimits;
  readonly #position: () => number;
  readonly #onClose: () => void;
  #backlog: Backlog | undefined;
  #batches: (readonly ObjectEvent[])[] = [];
  #events = 0;
  #bytes = 0;
  /** Everything was taken: the next event has to be announced. Not so until the consumer has the watch in its hands. */
  #idle = false;
  #begun = false;
  #announcing = false;
  #closed = false;
  #ended: Error | undefined;
  #taken = 0;
  #untouchedSince: number | undefined;
  #onSpace: (() => void) | undefined;

  constructor(options: WatchQueueOptions) {
    this.#onReady = options.onReady;
    this.#limits = options.limits;
    this.#position = options.position;
    this.#onClose = options.onClose;
  }

  get ended(): Error | undefined {
    return this.#ended;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Nothing waits. */
  get idle(): boolean {
    return this.#idle;
  }

  get revision(): number {
    return this.#idle && this.#ended === undefined ? this.#position() : this.#taken;
  }

  take(): readonly ObjectEvent[] {
    this.#begun = true;
    const part = this.#takeBacklog();
    if (part !== undefined) return part;
    this.#idle = true;
    if (this.#ended === undefined) this.#taken = this.#position();
    if (this.#events === 0) return nothing;
    const batches = this.#batches;
    this.#batches = [];
    this.#events = 0;
    this.#bytes = 0;
    this.#giveSpace();
    return batches.length === 1 ? batches[0]! : batches.flat();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    this.#onClose();
  }

  /**
   * What the watch begins with. `from`: the revision that is safe to bookmark before any of it was taken.
   * Announced later only: the consumer does not have the watch in its hands yet.
   */
  begin(from: number, backlog?: Backlog): void {
    this.#backlog = backlog;
    this.#taken = from;
    this.#announceLater();
  }

  /**
   * Adds a batch; `bytes` is its weight. Returns whether the consumer has to be told, which the caller does by
   * `announce()` once all watchers have their batch: a consumer may do anything then.
   */
  push(events: readonly ObjectEvent[], bytes: number): boolean {
    if (this.#closed || this.#ended !== undefined) return false;
    return this.#isTooMuch(events.length, bytes) ? this.#overflow(events.length) : this.extend(events, bytes);
  }

  /** As `push`, for a source that answers itself for how much it adds. */
  extend(events: readonly ObjectEvent[], bytes: number): boolean {
    if (this.#idle) this.#taken = Math.max(this.#taken, Math.min(this.#position(), revisionBefore(events[0]!)));
    this.#batches.push(events);
    this.#events += events.length;
    this.#bytes += bytes;
    const wasIdle = this.#idle;
    this.#idle = false;
    return wasIdle;
  }

  /** Ends the watch by itself, and says so, also to a consumer that has not taken everything. */
  end(error: Error): void {
    if (this.#closed || this.#ended !== undefined) return;
    this.#taken = this.revision;
    this.#ended = error;
    this.#giveSpace();
    this.#onClose();
    this.#idle = false;
    if (this.#begun) this.announce();
  }

  announce(): void {
    if (!this.#closed) this.#onReady();
  }

  /** Resolves when at most half of what may wait does, or the watch is over. For sources that can wait. */
  async space(): Promise<void> {
    while (!this.#closed && this.#ended === undefined && this.#isHalfFull()) {
      await new Promise<void>((resolve) => (this.#onSpace = resolve));
    }
  }

  /** Ends the watch when its backlog was left untouched for too long. */
  checkStall(now: number): void {
    if (this.#backlog === undefined && this.#onSpace === undefined) return void (this.#untouchedSince = undefined);
    this.#untouchedSince ??= now;
    if (now - this.#untouchedSince >= this.#limits.stallMs)
      this.end(slowConsumer('took nothing of what the watch began with in time'));
  }

  #takeBacklog(): readonly ObjectEvent[] | undefined {
    this.#untouchedSince = undefined;
    const next = this.#backlog?.next();
    if (next === undefined) return undefined;
    if (next.done === true) return void (this.#backlog = undefined);
    this.#announceLater();
    return next.value;
  }

  /** For a consumer that takes once per `onReady`: it is called again unless everything has been taken by then. */
  #announceLater(): void {
    if (this.#announcing) return;
    this.#announcing = true;
    setImmediate(() => {
      this.#announcing = false;
      this.#begun = true;
      if (this.#idle) return;
      if (this.#isEmpty()) this.#idle = true;
      else this.announce();
    });
  }

  #isEmpty(): boolean {
    return this.#backlog === undefined && this.#events === 0 && this.#ended === undefined;
  }

  /** One batch is always accepted: a lease can end more objects at one revision than may wait. */
  #isTooMuch(events: number, bytes: number): boolean {
    return (
      this.#events > 0 &&
      (this.#events + events > this.#limits.maxEvents || this.#bytes + bytes > this.#limits.maxBytes)
    );
  }

  #overflow(arriving: number): boolean {
    this.end(slowConsumer(`did not take ${this.#events + arriving} events in time`));
    return false;
  }

  #isHalfFull(): boolean {
    return this.#events > this.#limits.maxEvents / 2 || this.#bytes > this.#limits.maxBytes / 2;
  }

  #giveSpace(): void {
    const onSpace = this.#onSpace;
    this.#onSpace = undefined;
    onSpace?.();
  }

  #release(): void {
    this.#backlog = undefined;
    this.#batches = [];
    this.#events = 0;
    this.#bytes = 0;
    this.#giveSpace();
  }
}

/** For `onClose`: whether it is called because the consumer was too slow. */
export const isTerminated = (queue: WatchQueue): boolean =>
  !queue.closed && isStorageError(queue.ended, 'SlowConsumer');

export function weightOfAll(events: readonly ObjectEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += weightOf(event);
  return bytes;
}

/** What is complete without this event. A bookmark says of itself that it is. */
function revisionBefore({ type, revision }: ObjectEvent): number {
  return type === 'BOOKMARK' ? revision : revision - 1;
}

function slowConsumer(what: string): StorageError {
  return new StorageError('SlowConsumer', `the watcher ${what}`);
}
