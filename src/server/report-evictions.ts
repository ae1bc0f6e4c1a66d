import type { Logger } from '../base/logger.ts';

/** What the transport evicts: the answer of one stream or connection, or a connection for the head that it sends. */
export type Evicted = 'answer' | 'head';

const messages: Readonly<Record<Evicted, string>> = {
  answer:
    'answers that their clients do not read exceed the memory for them: those without progress for ' +
    'longest were broken off',
  head: 'heads of requests exceed the memory for them: the oldest connections were closed',
};

/** A flood of connections must not become a flood of log lines. */
const lineIntervalMs = 60_000;

/** Counts each eviction, and logs one line a minute with their number since the line before. */
export function reportEvictions(
  log: Pick<Logger, 'warn'>,
  metrics: { evicted(kind: Evicted): void },
): (kind: Evicted) => void {
  const unreported = { answer: { count: 0, lastLineAt: -Infinity }, head: { count: 0, lastLineAt: -Infinity } };
  return (kind) => {
    metrics.evicted(kind);
    const state = unreported[kind];
    state.count++;
    const now = performance.now();
    if (now - state.lastLineAt < lineIntervalMs) return;
    log.warn({ count: state.count }, messages[kind]);
    unreported[kind] = { count: 0, lastLineAt: now };
  };
}
