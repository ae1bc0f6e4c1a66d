import { type Clock, sleep } from '../base/clock.ts';

/**
 * Waits, or until the signal aborts, and keeps the process alive meanwhile: timers of a clock alone do not, and while a
 * server is away nothing else may.
 */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const hold = setInterval(() => undefined, 2 ** 30);
  try {
    await sleep(clock, delayMs, signal);
  } finally {
    clearInterval(hold);
  }
}
