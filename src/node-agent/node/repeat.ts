/** Work that is done again and again. */
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../reconcile/pause.ts';

export interface RepeatOptions {
  readonly everyMs: number;
  /** The share by which a pause may be longer, so that nodes that start together drift apart. */
  readonly jitter?: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Until the signal aborts. Work that rejects ends it. */
export async function repeat(
  work: () => Promise<void>,
  { everyMs, jitter = 0, clock, random, signal }: RepeatOptions,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await pause(clock, everyMs * (1 + jitter * random()), signal);
  }
}
