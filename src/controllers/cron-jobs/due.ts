/** Which time of a schedule a CronJob has to start a Job for now, and when to look again. */
import type { CronJob } from '../../api/gen/types/batch-v1.ts';
import { CronParseError, type CronSchedule, parseCronSchedule } from '../../api/batch/cron-schedule.ts';
import { lastTime, nextTime } from '../../api/batch/cron-times.ts';
import { locationProblem } from '../../api/batch/time-zones.ts';
import { type ZoneOffset, zoneOffset } from '../../api/batch/zone-offset.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { timeMs } from '../shared/pod-conditions.ts';

/** Why a CronJob starts nothing, as an event says it. */
export interface ScheduleProblem {
  readonly reason: 'UnknownTimeZone' | 'UnparseableSchedule' | 'InvalidSchedule';
  readonly message: string;
}

export interface Timetable {
  readonly schedule: CronSchedule;
  readonly offset: ZoneOffset;
}

/** From where on more missed starts than that are told. */
const manyMissed = 100;

/** A start shortly after the minute finds the minute begun on any clock. */
const delayMs = 100;

/** The zone of the schedule is that of the spec, of the schedule itself, or of this process. */
export function timetableOf({ spec }: CronJob): Timetable | ScheduleProblem {
  const { timeZone, schedule: text = '' } = spec;
  const problem = timeZone === undefined ? undefined : zoneProblem(timeZone);
  if (problem !== undefined)
    return { reason: 'UnknownTimeZone', message: `invalid timeZone: ${goQuote(timeZone!)}: ${problem}` };
  try {
    const schedule = parseCronSchedule(text);
    const zone = text.includes('TZ') ? schedule.timeZone : timeZone;
    return { schedule, offset: offsetOf(zone) };
  } catch (error) {
    if (!(error instanceof CronParseError) && !(error instanceof RangeError)) throw error;
    return { reason: 'UnparseableSchedule', message: `unparseable schedule: ${goQuote(text)} : ${error.message}` };
  }
}

export const isProblem = (found: object): found is ScheduleProblem => 'reason' in found;

/** The database of the runtime may have fewer zones than the one that the CronJob was validated with. */
export function zoneProblem(timeZone: string): string | undefined {
  try {
    return locationProblem(timeZone) ?? (void offsetOf(timeZone), undefined);
  } catch {
    return `unknown time zone ${timeZone}`;
  }
}

/** As where zones are looked up: no name means UTC, and `Local` the zone of this process. */
export const offsetOf = (timeZone: string | undefined): ZoneOffset =>
  zoneOffset(timeZone === 'Local' ? undefined : timeZone === '' ? 'UTC' : timeZone);

export interface Due {
  /** Milliseconds since 1970; undefined when nothing is to be started. */
  readonly atMs: number | undefined;
  readonly isManyMissed: boolean;
}

/** Times before the starting deadline are left out. @param nowMs since 1970 */
export function dueOf(cronJob: CronJob, { schedule, offset }: Timetable, nowMs: number): Due | ScheduleProblem {
  const { startingDeadlineSeconds } = cronJob.spec;
  const deadlineMs = startingDeadlineSeconds === undefined ? -Infinity : nowMs - Number(startingDeadlineSeconds) * 1000;
  const afterMs = Math.max(lastKnownMs(cronJob), deadlineMs);
  const first = nextTime(schedule, afterMs, offset);
  if (first === undefined)
    return {
      reason: 'InvalidSchedule',
      message:
        `invalid schedule: ${cronJob.spec.schedule} : ` + 'time difference between two schedules is less than 1 second',
    };
  if (first > nowMs) return { atMs: undefined, isManyMissed: false };
  const second = nextTime(schedule, first, offset) ?? Infinity;
  // Counting them one by one would take long after a long time.
  // @NOTE differs from upstream: this number is an estimate, and the last missed time is not; there both are.
  const missed = Math.floor((nowMs - first) / (second - first)) + 1;
  return { atMs: lastTime(schedule, afterMs, nowMs, offset), isManyMissed: missed > manyMissed };
}

/** Milliseconds until the next time of the schedule, with a little more; undefined when there is none. */
export function nextLookMs(cronJob: CronJob, { schedule, offset }: Timetable, nowMs: number): number | undefined {
  const afterMs = lastKnownMs(cronJob);
  const next = nextTime(schedule, lastTime(schedule, afterMs, nowMs, offset) ?? afterMs, offset);
  return next === undefined ? undefined : next + delayMs - nowMs;
}

/** Times up to there are dealt with. */
const lastKnownMs = ({ metadata, status }: CronJob): number =>
  timeMs(status.lastScheduleTime ?? metadata.creationTimestamp!);
