/**
 * When a schedule is due. A search over the months, days, hours and minutes of the zone's local time: a local time that
 * does not exist is left out, and one that comes twice is due twice.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones | Time zones}
 */
import type { CronFields, CronSchedule } from './cron-schedule.ts';
import type { ZoneOffset } from './zone-offset.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
/** A schedule that is not due within so many years never is, such as one on February 31. */
const maxYears = 5;

/**
 * The first time after another. All times are in milliseconds since 1970.
 * @param offset of the zone that the fields are meant in
 * @returns undefined when there is none
 */
export function nextTime(schedule: CronSchedule, afterMs: number, offset: ZoneOffset): number | undefined {
  const { fields, every } = schedule;
  if (every !== undefined) return Math.floor(afterMs / secondMs) * secondMs + intervalMs(every);
  return nextOfFields(fields!, afterMs, offset);
}

/**
 * The last time in (after, until]; undefined when there is none.
 * @param schedule times at an interval count from `after`
 */
export function lastTime(
  schedule: CronSchedule,
  afterMs: number,
  untilMs: number,
  offset: ZoneOffset,
): number | undefined {
  const first = nextTime(schedule, afterMs, offset);
  if (first === undefined || first > untilMs) return undefined;
  if (schedule.every !== undefined) {
    const interval = intervalMs(schedule.every);
    return first + Math.floor((untilMs - first) / interval) * interval;
  }
  // The search space is halved: there is a time in (low, until], and none in (high, until].
  let low = first - 1;
  let high = untilMs;
  let last = first;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const next = nextTime(schedule, middle, offset);
    if (next === undefined || next > untilMs) high = middle;
    else {
      last = next;
      low = middle;
    }
  }
  return last;
}

/** Whole seconds, and one at least. */
const intervalMs = (everyNanos: bigint): number => Math.max(1, Number(everyNanos / 1_000_000_000n)) * secondMs;

function nextOfFields(fields: CronFields, afterMs: number, offset: ZoneOffset): number | undefined {
  let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const lastYear = localTime(atMs, offset).getUTCFullYear() + maxYears;
  for (;;) {
    const local = localTime(atMs, offset);
    const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
    if (year > lastYear) return undefined;
    if (!fields.month.values.includes(month + 1)) atMs = startOfDay(Date.UTC(year, month + 1, 1), offset);
    else if (!isDay(fields, local)) atMs = startOfDay(Date.UTC(year, month, day + 1), offset);
    else if (!fields.hour.values.includes(local.getUTCHours())) atMs += (60 - local.getUTCMinutes()) * minuteMs;
    else if (!fields.minute.values.includes(local.getUTCMinutes())) atMs += minuteMs;
    else return atMs;
  }
}

/** A date whose fields in UTC are those of the local time. */
const localTime = (atMs: number, offset: ZoneOffset): Date => new Date(atMs + offset(atMs));

/** When neither field of days leaves all of them, a day need only be in one. */
function isDay({ dayOfMonth, dayOfWeek }: CronFields, local: Date): boolean {
  const isInMonth = dayOfMonth.values.includes(local.getUTCDate());
  const isInWeek = dayOfWeek.values.includes(local.getUTCDay());
  return dayOfMonth.isAny || dayOfWeek.isAny ? isInMonth && isInWeek : isInMonth || isInWeek;
}

/**
 * The first moment of a local day, which need not be midnight.
 * @param midnightMs as if the zone were UTC
 */
function startOfDay(midnightMs: number, offset: ZoneOffset): number {
  const moments = [midnightMs - offset(midnightMs - dayMs), midnightMs - offset(midnightMs + dayMs)];
  const first = Math.min(...moments);
  return first + offset(first) >= midnightMs ? first : Math.max(...moments);
}
