/**
 * Work by key, for things that are looked after one by one: each key is worked on by one at a time, a call during its
 * work leads to one more, and what failed is tried again after pauses that grow.
 */
import { type Clock, systemClock, type Timer } from '../base/clock.ts';

/**
 * When to work on the key again without being asked, in milliseconds; `retry` after a pause; undefined: not until
 * asked.
 */
export type Next = number | 'retry' | undefined;

/** Told of what becomes of keys. */
export interface WorkQueueObserver {
  /** A key waits. @returns what to call when it is worked on, and that returns what to call when the work is done */
  waits(): () => () => void;
  /** A key that failed waits for its next try. */
  retries(): void;
}

export interface WorkQueueOptions {
  /** A rejection means `retry`. */
  readonly run: (key: string, signal: AbortSignal) => Promise<Next>;
  readonly onFailure: (key: string, error: unknown) => void;
  /** How many keys are worked on at once. */
  readonly maxRunning: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly observer?: WorkQueueObserver;
  readonly clock?: Clock;
}

interface State {
  status: 'idle' | 'waiting' | 'running' | 'running-again';
  failures: number;
  timer: Timer | undefined;
  /** Call when the key does not wait any more. */
  begin: (() => () => void) | undefined;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();
  /** In the order of asking. */
  readonly #waiting = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Works on the key as soon as there is room. */
  add(key: string): void {
    if (this.#abort.signal.aborted) return;
    let state = this.#states.get(key);
    if (state === undefined)
      this.#states.set(key, (state = { status: 'idle', failures: 0, timer: undefined, begin: undefined }));
    state.timer?.cancel();
    if (state.status === 'running') state.status = 'running-again';
    if (state.status !== 'idle') return;
    state.status = 'waiting';
    state.begin = this.#options.observer?.waits();
    this.#waiting.add(key);
    this.#start();
  }

  /** Ends what is under way by its signal, and waits for it. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the server is stopping'));
    for (const { timer } of this.#states.values()) timer?.cancel();
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  #start(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.maxRunning) return;
      this.#waiting.delete(key);
      const running: Promise<void> = this.#work(key, this.#states.get(key)!).finally(() => {
        this.#running.delete(running);
        this.#start();
      });
      this.#running.add(running);
    }
  }

  async #work(key: string, state: State): Promise<void> {
    const { run, onFailure } = this.#options;
    const { signal } = this.#abort;
    state.status = 'running';
    const done = state.begin?.();
    let next: Next;
    try {
      next = await run(key, signal);
    } catch (error) {
      if (!signal.aborted) onFailure(key, error);
      next = 'retry';
    }
    done?.();
    if (signal.aborted) return;
    if (next === 'retry') this.#options.observer?.retries();
    state.failures = next === 'retry' ? state.failures + 1 : 0;
    const isAsked = (state.status as State['status']) === 'running-again';
    state.status = 'idle';
    if (isAsked) this.add(key);
    else if (next === undefined) this.#states.delete(key);
    else state.timer = this.#clock.after(next === 'retry' ? this.#pauseOf(state) : next, () => this.add(key));
  }

  #pauseOf({ failures }: State): number {
    const { firstRetryMs, maxRetryMs } = this.#options;
    return Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 30), maxRetryMs);
  }
}
