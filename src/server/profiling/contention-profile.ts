/**
 * `--contention-profiling`: what held the event loop, and for how long. All work of a process waits for the one event
 * loop, as goroutines wait for a lock.
 */
import { sleep, systemClock } from '../../base/clock.ts';
import type { Frame, Profile } from './pprof.ts';

/** A stall of the event loop. */
export interface Contention {
  readonly seconds: number;
  /** Innermost first: `function (file:line:column)`. */
  readonly stack: readonly string[];
}

/** The event loop is contended when it does not turn for so long. */
export const contentionThresholdMs = 50;

/** Stacks that are told apart; all others are counted as one. */
const maxStacks = 1000;

interface Sum {
  readonly stack: readonly string[];
  count: number;
  seconds: number;
}

export class ContentionProfile {
  readonly #sums = new Map<string, Sum>();

  add({ seconds, stack }: Contention): void {
    const known = stack.join('\n');
    const isNew = !this.#sums.has(known);
    const [key, shown] = isNew && this.#sums.size >= maxStacks ? ['(other)', ['(other)']] : [known, stack];
    let sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, (sum = { stack: shown, count: 0, seconds: 0 }));
    sum.count++;
    sum.seconds += seconds;
  }

  /** @param durationMs 0: since the start; else what is added in this time */
  async profile(durationMs: number, signal: AbortSignal): Promise<Profile> {
    const begunAt = Date.now();
    const before = new Map<string, Sum>();
    if (durationMs > 0) {
      for (const [key, sum] of this.#sums) before.set(key, { ...sum });
      await sleep(systemClock, durationMs, signal);
    }
    const differences = [...this.#sums].map(([key, { stack, count, seconds }]) => ({
      stack,
      count: count - (before.get(key)?.count ?? 0),
      seconds: seconds - (before.get(key)?.seconds ?? 0),
    }));
    return {
      sampleTypes: [
        { type: 'contentions', unit: 'count' },
        { type: 'delay', unit: 'nanoseconds' },
      ],
      samples: differences
        .filter(({ count }) => count > 0)
        .map(({ stack, count, seconds }) => ({
          stack: stack.map(frameOf),
          values: [count, Math.round(seconds * 1e9)],
        })),
      periodType: { type: 'contentions', unit: 'count' },
      period: 1,
      begunAt,
      durationMs,
    };
  }
}

function frameOf(text: string): Frame {
  const [, functionName = text, url = '', line = '1'] = /^(.*) \((.*):(\d+):\d+\)$/.exec(text) ?? [];
  return { functionName, url, lineNumber: Number(line) - 1 };
}
