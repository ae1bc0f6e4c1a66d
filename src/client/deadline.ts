import type { Clock } from '../base/clock.ts';
import { onAbort } from '../base/on-abort.ts';

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
  // One signal may end any number of requests.
  const unlink = outer === undefined ? undefined : onAbort(outer, () => controller.abort(outer.reason));
  const timer = clock.after(ms, () =>
    controller.abort(new DOMException(`${what} within ${ms / 1000} s`, 'TimeoutError')),
  );
  const release = (): void => timer.cancel();
  return {
    signal: controller.signal,
    end() {
      release();
      unlink?.();
    },
    release,
  };
}
