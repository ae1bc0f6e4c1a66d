/**
 * Schedules of CronJobs: five fields (minute, hour, day of month, month, day of week), or a descriptor like `@daily`
 * and `@every 1h30m`; before either, `TZ=` or `CRON_TZ=` and the name of a zone.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax | Schedule syntax}
 */
import { DurationParseError, parseDuration } from '../../machinery/duration.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { readInteger } from '../../machinery/parse-integer.ts';
import { locationProblem } from './time-zones.ts';

export interface CronField {
  /** What is allowed, ascending. */
  readonly values: readonly number[];
  /** Written with a star that leaves nothing out. When neither field of days is, a day need only be in one of them. */
  readonly isAny: boolean;
}

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  /** 0 is Sunday. */
  readonly dayOfWeek: CronField;
}

export interface CronSchedule {
  /** The zone the schedule itself names. */
  readonly timeZone?: string;
  readonly fields?: CronFields;
  /** Nanoseconds between two times. */
  readonly every?: bigint;
}

/** A text that is no schedule. Clients see the messages. */
export class CronParseError extends Error {
  override readonly name = 'CronParseError';
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const minutes: Bounds = { min: 0, max: 59 };
const hours: Bounds = { min: 0, max: 23 };
const daysOfMonth: Bounds = { min: 1, max: 31 };
const months: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const daysOfWeek: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const descriptors = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const everyPrefix = '@every ';

/** Throws {@link CronParseError}. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new CronParseError('empty spec string');
  const zoned = /^(?:CRON_)?TZ=/.exec(text);
  return zoned === null ? parseTimes(text) : parseZoned(text, zoned[0].length);
}

function parseZoned(text: string, nameStart: number): CronSchedule {
  const end = text.indexOf(' ');
  if (end < 0) throw new CronParseError(`expected a schedule after the time zone: ${text}`);
  const timeZone = text.slice(nameStart, end);
  const problem = locationProblem(timeZone);
  if (problem !== undefined) throw new CronParseError(`provided bad location ${timeZone}: ${problem}`);
  return { timeZone, ...parseTimes(text.slice(end).trim()) };
}

function parseTimes(text: string): CronSchedule {
  if (!text.startsWith('@')) return { fields: parseFields(text) };
  const meaning = descriptors.get(text);
  if (meaning !== undefined) return { fields: parseFields(meaning) };
  if (!text.startsWith(everyPrefix)) throw new CronParseError(`unrecognized descriptor: ${text}`);
  return { every: parseInterval(text) };
}

function parseInterval(text: string): bigint {
  try {
    return parseDuration(text.slice(everyPrefix.length));
  } catch (error) {
    if (error instanceof DurationParseError)
      throw new CronParseError(`failed to parse duration ${text}: ${error.message}`);
    throw error;
  }
}

function parseFields(text: string): CronFields {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== 5)
    throw new CronParseError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts as [string, string, string, string, string];
  return {
    minute: parseField(minute, minutes),
    hour: parseField(hour, hours),
    dayOfMonth: parseField(dayOfMonth, daysOfMonth),
    month: parseField(month, months),
    dayOfWeek: parseField(dayOfWeek, daysOfWeek),
  };
}

/** Ranges between commas; empty ones do not count. */
function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let isAny = false;
  for (const item of text.split(',')) {
    if (item === '') continue;
    const range = parseRange(item, bounds);
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isAny ||= range.isAny;
  }
  return { values: [...values].sort((a, b) => a - b), isAny };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** `5`, `5-10`, `5-10/2`, `5/2` (from 5 on), `*`, `?`. */
function parseRange(text: string, bounds: Bounds): Range {
  const [span, steps, ...moreSteps] = text.split('/') as [string, ...string[]];
  const { start, end, isStar, isSingle } = parseSpan(span, text, bounds);
  if (moreSteps.length > 0) throw new CronParseError(`too many slashes: ${text}`);
  const step = steps === undefined ? 1 : parseNumber(steps);
  const last = steps !== undefined && isSingle ? bounds.max : end;
  checkRange(start, last, step, text, bounds);
  return { start, end: last, step, isAny: isStar && step <= 1 };
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly isStar: boolean;
  readonly isSingle: boolean;
}

function parseSpan(span: string, text: string, bounds: Bounds): Span {
  const [low, high, ...more] = span.split('-') as [string, ...string[]];
  const isSingle = high === undefined;
  if (low === '*' || low === '?') return { start: bounds.min, end: bounds.max, isStar: true, isSingle };
  const start = parseValue(low, bounds);
  if (more.length > 0) throw new CronParseError(`too many hyphens: ${text}`);
  return { start, end: isSingle ? start : parseValue(high, bounds), isStar: false, isSingle };
}

function checkRange(start: number, end: number, step: number, text: string, { min, max }: Bounds): void {
  if (start < min) throw new CronParseError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronParseError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronParseError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new CronParseError(`step of range should be a positive number: ${text}`);
}

function parseValue(text: string, { min, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? parseNumber(text) : index + min;
}

function parseNumber(text: string): number {
  const fail = (reason: string): CronParseError =>
    new CronParseError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${reason}`);
  const number = readInteger(text);
  if (typeof number === 'string') throw fail(number);
  if (number < 0n) throw new CronParseError(`negative number (${number}) not allowed: ${text}`);
  return Number(number);
}
