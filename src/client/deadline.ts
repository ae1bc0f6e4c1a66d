import type { Clock } from '../base/clock.ts';

/** A signal that aborts after the time, or with another signal. `end` gives the timer back. */
export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

export function deadline(clock: Clock, ms: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort);
  const timer = clock.after(ms, () =>
    controller.abort(new DOMException(`the server did not answer within ${ms / 1000} s`, 'TimeoutError')),
  );
  return {
    signal: controller.signal,
    end() {
      timer.cancel();
      outer.removeEventListener('abort', onAbort);
    },
  };
}
