import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';

/** A signal that aborts after the time, or with another signal. `end` gives the timer back. */
export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
  /** The time does not end it any more, the other signal still does. */
  release(): void;
}

/** @param what there was not in time; for the message */
export function deadline(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  what: string = 'the server did not answer',
): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer?.reason);
  if (outer !== undefined) {
    // One signal may end any number of requests.
    setMaxListeners(0, outer);
    if (outer.aborted) onAbort();
    outer.addEventListener('abort', onAbort);
  }
  const timer = clock.after(ms, () =>
    controller.abort(new DOMException(`${what} within ${ms / 1000} s`, 'TimeoutError')),
  );
  const release = (): void => timer.cancel();
  return {
    signal: controller.signal,
    end() {
      release();
      outer?.removeEventListener('abort', onAbort);
    },
    release,
  };
}
