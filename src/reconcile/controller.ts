/**
 * The controller loop: changes of objects become keys, keys wait in a work queue, and workers bring each key from what
 * is to what should be.
 *
 * `sync` gets a key and no event: it looks at the state as it is then. What fails is tried again after a delay that
 * grows, and does not hold up other keys.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { Informer } from './informer.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { WorkQueue, type WorkQueueObserver } from './work-queue.ts';

/**
 * What is to become of the key next: nothing until it changes; another look after a time; or the same as after an
 * error, for what is not worth a line in the log.
 */
export type SyncResult = undefined | 'retry' | { readonly requeueAfterMs: number };

/** Thrown by `sync` for what another try would not change: it is told, and not tried again. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
}

/** What wakes a controller. */
export interface Trigger {
  /**
   * Calls `add` for each key that is to be looked at, at once or after a time in which further changes may come.
   * @returns what ends that
   */
  attach(add: (key: string, delayMs?: number) => void): () => void;
  /** Resolves when the state has been told once. */
  untilSynced(signal: AbortSignal): Promise<void>;
}

/** Each change of an object wakes these keys, before and after the change; its own when `keysOf` is absent. */
export function changesOf<T>(
  informer: Informer<T>,
  keysOf: (object: T) => Iterable<string> = (object) => [informer.keyOf(object)],
): Trigger {
  return {
    attach(add) {
      const addAll = (object: T): void => {
        for (const key of keysOf(object)) add(key);
      };
      const registration = informer.addHandler({
        onAdd: addAll,
        onUpdate(before, after) {
          if (before !== after) addAll(before);
          addAll(after);
        },
        onDelete: addAll,
      });
      return () => registration.remove();
    },
    untilSynced: (signal) => informer.untilSynced(signal),
  };
}

/** Each deletion of an object wakes these keys; its own when `keysOf` is absent. */
export function deletionsOf<T>(
  informer: Informer<T>,
  keysOf: (object: T) => Iterable<string> = (object) => [informer.keyOf(object)],
): Trigger {
  return {
    attach(add) {
      const registration = informer.addHandler({
        onDelete(object) {
          for (const key of keysOf(object)) add(key);
        },
      });
      return () => registration.remove();
    },
    untilSynced: (signal) => informer.untilSynced(signal),
  };
}

export interface ControllerOptions {
  /** Brings one key to what it should be. Must end soon once the signal aborts: `stop` waits for it. */
  readonly sync: (key: string, signal: AbortSignal) => Promise<SyncResult>;
  /** `sync` threw. Failures because of a stop are not told. */
  readonly onFailure: (key: string, error: unknown) => void;
  /** How many keys are worked on at once. */
  readonly workers: number;
  /** Not started or stopped by the controller: others may share them. No key is worked on before all are synced. */
  readonly triggers?: readonly Trigger[];
  /** client-go's default when absent. */
  readonly rateLimiter?: RateLimiter;
  readonly observer?: WorkQueueObserver;
  readonly clock?: Clock;
}

export class Controller {
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ControllerOptions) {
    const { rateLimiter, observer, clock = systemClock } = options;
    this.#options = options;
    this.#queue = new WorkQueue({
      clock,
      ...(rateLimiter === undefined ? {} : { rateLimiter }),
      ...(observer === undefined ? {} : { observer }),
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks at the key as soon as a worker is free. */
  add(key: string): void {
    this.#queue.add(key);
  }

  /** Looks at the key after a time, whatever becomes of it until then. */
  addAfter(key: string, delayMs: number): void {
    this.#queue.addAfter(key, delayMs);
  }

  /** Looks now at each key that was to be looked at after a time. */
  endDelays(): void {
    this.#queue.endDelays();
  }

  /** Takes no more keys, ends what is under way by its signal, and waits for it. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the controller is stopping'));
    this.#queue.shutDown();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { triggers = [], workers } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    const detach = triggers.map((trigger) => trigger.attach((key, delayMs = 0) => this.#queue.addAfter(key, delayMs)));
    try {
      await Promise.all(triggers.map((trigger) => trigger.untilSynced(signal)));
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const end of detach) end();
    }
  }

  async #work(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      const key = await this.#queue.get();
      if (key === undefined) return;
      if (!this.#abort.signal.aborted) await this.#syncOne(key);
      this.#queue.done(key);
    }
  }

  async #syncOne(key: string): Promise<void> {
    const { signal } = this.#abort;
    try {
      const result = await this.#options.sync(key, signal);
      if (signal.aborted) return;
      if (result === 'retry') return this.#queue.addRateLimited(key);
      this.#queue.forget(key);
      if (result !== undefined) this.#queue.requeueAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TerminalError) this.#queue.forget(key);
      else this.#queue.addRateLimited(key);
      this.#options.onFailure(key, error);
    }
  }
}
