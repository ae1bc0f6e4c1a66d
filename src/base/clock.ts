/** A callback that is still to come. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as a dependency, so that tests can move it. */
export interface Clock {
  /** Milliseconds that never go backwards; meaningful only as differences. */
  now(): number;
  /** Calls back once, after `delayMs`. A waiting timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer;
}

/** A longer delay would be none at all: timers of Node.js count in 32 bits. */
const maxTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const endMs = performance.now() + delayMs;
    const wait = (restMs: number): NodeJS.Timeout =>
      restMs <= maxTimeoutMs
        ? setTimeout(callback, restMs).unref()
        : setTimeout(() => (handle = wait(endMs - performance.now())), maxTimeoutMs).unref();
    let handle = wait(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts: the caller looks at the signal. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
