/**
 * A work queue of keys.
 *
 * - Fair: keys are taken in the order in which they were added, and a key that is added again goes to the end.
 * - A key waits once, however often it is added.
 * - A key is worked on by one worker at a time. When it is added meanwhile, it waits again once that worker is done.
 * - Delays and rate limits: a key can be added later, and later still after each failure.
 */
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { defaultRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** Told of what becomes of keys, for metrics. */
export interface WorkQueueObserver {
  /** A key waits. @returns what to call when it is taken, and that returns what to call when the work is done */
  waits(): () => () => void;
  /** A key that failed waits for its next try. */
  retries(): void;
}

export interface WorkQueueOptions {
  /** client-go's default when absent. */
  readonly rateLimiter?: RateLimiter;
  readonly observer?: WorkQueueObserver;
  readonly clock?: Clock;
}

interface Delay {
  readonly at: number;
  readonly timer: Timer;
}

interface Work {
  /** Added again since the work began. */
  again: boolean;
  readonly done: (() => void) | undefined;
}

export class WorkQueue {
  readonly #observer: WorkQueueObserver | undefined;
  readonly #rateLimiter: RateLimiter;
  readonly #clock: Clock;
  readonly #order = new Fifo<string>();
  /** Keys in the order, with what to call when one is taken. */
  readonly #waiting = new Map<string, (() => () => void) | undefined>();
  readonly #working = new Map<string, Work>();
  readonly #delayed = new Map<string, Delay>();
  readonly #requeued = new Map<string, Timer>();
  readonly #takers = new Fifo<(key: string | undefined) => void>();
  readonly #drained: (() => void)[] = [];
  #isShuttingDown = false;
  #isHandingOut = false;

  constructor({ rateLimiter, observer, clock = systemClock }: WorkQueueOptions = {}) {
    this.#rateLimiter = rateLimiter ?? defaultRateLimiter(clock);
    this.#observer = observer;
    this.#clock = clock;
  }

  /** How many keys wait. */
  get length(): number {
    return this.#waiting.size;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** Works on the key as soon as a worker is free. */
  add(key: string): void {
    if (!this.#isShuttingDown) this.#enqueue(key);
  }

  /**
   * Adds the key after a time, whatever becomes of it until then. Of several delays of a key the one that ends first
   * counts.
   */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShuttingDown) return;
    if (delayMs <= 0) return this.add(key);
    const at = this.#clock.now() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending !== undefined && pending.at <= at) return;
    pending?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, timer });
  }

  /**
   * Adds the key after a time, unless it is taken before: for a worker that wants to see the key again when nothing
   * happens to it.
   */
  requeueAfter(key: string, delayMs: number): void {
    if (this.#isShuttingDown) return;
    this.#cancelRequeue(key);
    const timer = this.#clock.after(delayMs, () => {
      this.#requeued.delete(key);
      this.add(key);
    });
    this.#requeued.set(key, timer);
  }

  /** The key has failed: adds it when the rate limiter allows it, unless it is taken before. */
  addRateLimited(key: string): void {
    if (this.#isShuttingDown) return;
    this.#observer?.retries();
    this.requeueAfter(key, this.#rateLimiter.when(key));
  }

  /** Adds all keys that wait for a time: what they waited for may be over, because the clock was set. */
  endDelays(): void {
    for (const key of [...this.#delayed.keys(), ...this.#requeued.keys()]) {
      this.#delayed.get(key)?.timer.cancel();
      this.#delayed.delete(key);
      this.#cancelRequeue(key);
      this.add(key);
    }
  }

  /** The key is in order: its next failure is the first one. */
  forget(key: string): void {
    this.#rateLimiter.forget(key);
  }

  /** How often the key has failed since it was forgotten. */
  numRequeues(key: string): number {
    return this.#rateLimiter.numRequeues(key);
  }

  /**
   * Takes the next key, or waits for one; to be followed by `done`. Undefined when the queue is shut down and empty.
   */
  get(): Promise<string | undefined> {
    const key = this.#order.shift();
    if (key !== undefined) return Promise.resolve(this.#take(key));
    if (this.#isShuttingDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** The work on a key that `get` returned is over, well or badly. */
  done(key: string): void {
    const work = this.#working.get(key);
    if (work === undefined) return;
    this.#working.delete(key);
    work.done?.();
    if (work.again) this.#enqueue(key);
    this.#noticeDrained();
  }

  /** Nothing is added any more, and delays are dropped. What waits can still be taken. */
  shutDown(): void {
    this.#isShuttingDown = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    for (const timer of this.#requeued.values()) timer.cancel();
    this.#delayed.clear();
    this.#requeued.clear();
    this.#noticeDrained();
  }

  /** Resolves when what waits has been taken, and all work is done. */
  shutDownWithDrain(): Promise<void> {
    this.shutDown();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#noticeDrained();
    });
  }

  #enqueue(key: string): void {
    const work = this.#working.get(key);
    if (work !== undefined) {
      work.again = true;
      return;
    }
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#observer?.waits());
    this.#order.push(key);
    if (this.#takers.length > 0) this.#handOutSoon();
  }

  /** Not at once: changes that come together often have the same key, and lead to one piece of work so. */
  #handOutSoon(): void {
    if (this.#isHandingOut) return;
    this.#isHandingOut = true;
    queueMicrotask(() => {
      this.#isHandingOut = false;
      while (this.#takers.length > 0 && this.#order.length > 0) this.#takers.shift()!(this.#take(this.#order.shift()!));
      this.#noticeDrained();
    });
  }

  #take(key: string): string {
    const begin = this.#waiting.get(key);
    this.#waiting.delete(key);
    this.#cancelRequeue(key);
    this.#working.set(key, { again: false, done: begin?.() });
    return key;
  }

  #cancelRequeue(key: string): void {
    this.#requeued.get(key)?.cancel();
    this.#requeued.delete(key);
  }

  #noticeDrained(): void {
    if (!this.#isShuttingDown || this.#waiting.size > 0) return;
    for (let taker = this.#takers.shift(); taker !== undefined; taker = this.#takers.shift()) taker(undefined);
    if (this.#working.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }
}

/** First in, first out, in constant time however long it is. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length || (this.#head >= compactFrom && this.#head * 2 > this.#items.length)) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

const compactFrom = 1024;
