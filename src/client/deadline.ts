import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';

/** A signal that aborts after the time, or with another signal. `end` gives the timer back. */
export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

/** @param what there was not in time; for the message */
export function deadline(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  what: string = 'the server did not answer',
): Deadline {
  // One signal may end any number of requests.
  setMaxListeners(0, outer);
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort);
  const timer = clock.after(ms, () =>
    controller.abort(new DOMException(`${what} within ${ms / 1000} s`, 'TimeoutError')),
  );
  return {
    signal: controller.signal,
    end() {
      timer.cancel();
      outer.removeEventListener('abort', onAbort);
    },
  };
}
