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

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, delayMs).unref();
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
