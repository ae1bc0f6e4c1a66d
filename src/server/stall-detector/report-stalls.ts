/** What operators learn of a daemon's event loop that stands: a line in the log, and metrics. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../base/logger.ts';
import { type Contention, contentionThresholdMs } from '../profiling/contention-profile.ts';
import { watchEventLoop } from './detector.ts';
import type { LastWords } from './messages.ts';

export interface StallReporting {
  /** How long the event loop may stand; an eighth more or less. 0: nothing is watched. */
  readonly thresholdMs: number;
  readonly lastWords?: LastWords | undefined;
}

const buckets = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];
/** Frames in a line of the log: what holds the event loop is among the innermost. */
const loggedFrames = 30;

interface Surroundings {
  readonly log: Logger;
  readonly registry: Registry;
  /** Told of shorter stalls too, for the profile of contention. */
  readonly contention?: { add(contention: Contention): void } | undefined;
}

/** Begins when the daemon is ready: the thread that it takes is not to be part of the start. @returns what ends it */
export function reportStallsFrom(
  ready: Promise<void>,
  reporting: StallReporting,
  around: Surroundings,
): () => Promise<void> {
  let isOver = false;
  let end = (): Promise<void> => Promise.resolve();
  void ready.then(() => {
    if (isOver) return;
    const ends = [reportStalls(reporting, around), profileContention(around)];
    end = async () => void (await Promise.all(ends.map((endOne) => endOne())));
  });
  return () => {
    isOver = true;
    return end();
  };
}

function profileContention({ contention, log }: Surroundings): () => Promise<void> {
  if (contention === undefined) return () => Promise.resolve();
  return watchEventLoop({
    thresholdMs: contentionThresholdMs,
    onStall: (stall) => contention.add(stall),
    onFailure: (error) => log.warn({ err: error }, 'contention is not profiled'),
  });
}

function reportStalls(
  { thresholdMs, lastWords }: StallReporting,
  { log, registry }: Surroundings,
): () => Promise<void> {
  if (thresholdMs === 0) return () => Promise.resolve();
  const registers = [registry];
  const total = new Counter({
    name: 'orch_event_loop_stalls_total',
    help: 'How often the event loop stood for longer than --event-loop-stall-threshold.',
    registers,
  });
  const durations = new Histogram({
    name: 'orch_event_loop_stall_duration_seconds',
    help: 'How long the event loop stood when it did for longer than --event-loop-stall-threshold, in seconds.',
    buckets,
    registers,
  });
  return watchEventLoop({
    thresholdMs,
    lastWords,
    onStall: ({ seconds, work, stack }) => {
      total.inc();
      durations.observe(seconds);
      log.warn(
        { seconds: Number(seconds.toFixed(3)), ...work, stack: stack.slice(0, loggedFrames) },
        'the event loop stood still',
      );
    },
    onFailure: (error) => log.warn({ err: error }, 'the event loop is not watched for stalls'),
  });
}
