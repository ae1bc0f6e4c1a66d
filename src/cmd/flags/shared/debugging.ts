import type { LastWords } from '../../../server/stall-detector/messages.ts';
import type { StallReporting } from '../../../server/stall-detector/report-stalls.ts';
import { bool, duration, optionalText, section, type ValuesOf } from '../flag.ts';
import { inRange } from '../in-range.ts';
import type { GivenFlags } from '../parse.ts';
import type { LogOptions } from './logs.ts';
import type { Problems, Spelling } from './problems.ts';

const stallFlags = {
  eventLoopStallThresholdMs: duration('event-loop-stall-threshold', 'supported', {
    default: '1s',
    help:
      'When the event loop stands for longer, which holds up every client, a line of the log says which request ' +
      'and which functions held it, and orch_event_loop_stalls_total counts it. At least 50ms; 0 switches it off.',
  }),
} as const;

const profilingFlags = {
  profiling: bool('profiling', 'supported', {
    default: true,
    help:
      'Serve profiles under /debug/pprof/, as go tool pprof reads them, and PUT /debug/flags/v for the verbosity of ' +
      'the log.',
  }),
  contentionProfiling: bool('contention-profiling', 'supported', {
    help: 'Note what holds the event loop for 50 ms or longer, for /debug/pprof/block and mutex.',
  }),
} as const;

/** Of the daemons beside the API server. */
export const daemonDebugging = section('Debugging', {
  ...stallFlags,
  ...profilingFlags,
});

export const debugging = section('Debugging', {
  ...stallFlags,
  ...profilingFlags,
  debugSocketPath: optionalText('debug-socket-path', 'supported', {
    help: 'Unix socket that serves what --profiling does without authentication, to the user of this process alone.',
  }),
});

export type DebuggingOptions = ValuesOf<typeof stallFlags>;

const minStallMs = 50;

export const debuggingProblems = ({ eventLoopStallThresholdMs }: DebuggingOptions, spelled: Spelling): Problems => [
  eventLoopStallThresholdMs !== 0 &&
    !inRange(eventLoopStallThresholdMs, minStallMs, 2 ** 31) &&
    `${spelled('event-loop-stall-threshold')} must be 0, or at least ${minStallMs}ms and less than 25 days`,
];

/** @param ownsProcess a process that hosts servers for tests stalls by what else it does */
export const stallReporting = (
  { eventLoopStallThresholdMs }: DebuggingOptions,
  { format }: LogOptions,
  given: GivenFlags,
  ownsProcess: boolean,
): StallReporting =>
  ownsProcess
    ? { thresholdMs: eventLoopStallThresholdMs, lastWords: format as LastWords }
    : { thresholdMs: given.has('event-loop-stall-threshold') ? eventLoopStallThresholdMs : 0 };
