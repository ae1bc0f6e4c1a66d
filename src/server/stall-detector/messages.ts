/** What the thread that watches and the thread that is watched have in common. */
import type { WorkDescription } from '../../base/work-description.ts';

/** Numbers that both threads see: nanoseconds of the process's monotonic clock, but for those that say otherwise. */
export const slot = {
  /** When the event loop turned last. */
  beat: 0,
  threshold: 1,
  /** The stall that was looked at last, by its beat. */
  seenBeat: 2,
  /** 1 while a debugger may attach: its breakpoints are none of our business. */
  debugger: 3,
} as const;
export const slots = 4;

/** How a line is written that the logger cannot write, because its thread stands. */
export type LastWords = 'text' | 'json';

export interface WatchdogData {
  readonly shared: SharedArrayBuffer;
  /** Whether the thread that is watched is the main thread of the process: only that one can be looked into. */
  readonly isMain: boolean;
  readonly lastWords: LastWords | undefined;
  readonly slot: typeof slot;
}

export type WatchdogMessage = StallReport | Suspension;

/** The watching thread was not let run either, as when the process is suspended: that is no stall of ours. */
export interface Suspension {
  readonly kind: 'suspension';
  readonly from: bigint;
  readonly until: bigint;
}

/** What was found out about a stall. */
export interface StallReport {
  readonly kind: 'stall';
  /** Which stall: when the event loop had turned last, before it. */
  readonly beat: bigint;
  readonly work: WorkDescription | undefined;
  /** Innermost first: `function (file:line:column)`. */
  readonly stack: readonly string[];
}
