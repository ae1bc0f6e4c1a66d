/**
 * Points in time as the API writes them: RFC 3339 in UTC, whole seconds (`Time`) or six fraction digits (`MicroTime`).
 *
 * The zero time is Go's, the first second of year 1; JSON shows it as null and protobuf as an empty message.
 * Parsing accepts what Go's `time.Parse` accepts for the two layouts and fails with its texts, which clients see.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc3339#section-5.6 | RFC 3339, section 5.6}
 * @see {@link https://pkg.go.dev/time#Parse | time.Parse}
 */

/** Seconds since 1970 and nanoseconds within the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** 0001-01-01T00:00:00Z */
export const zeroTimeSeconds = -62135596800;
/** Times outside the years 0 to 9999 cannot be written as RFC 3339. */
export const minTimeSeconds = -62167219200;
export const maxTimeSeconds = 253402300799;

const secondsPerDay = 86400;

/** `2006-01-02T15:04:05Z`. The argument must lie between {@link minTimeSeconds} and {@link maxTimeSeconds}. */
export function formatTime(seconds: number): string {
  if (seconds === lastSeconds) return lastText;
  lastText = `${dateTime(seconds)}Z`;
  lastSeconds = seconds;
  return lastText;
}

// The times of one object are often the same second: one remembered text saves most of the formatting.
let lastSeconds = 0;
let lastText = '1970-01-01T00:00:00Z';

/** `2006-01-02T15:04:05.000000Z`, cut off below the microsecond. */
export function formatMicroTime(seconds: number, nanos: number): string {
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0');
  return `${dateTime(seconds)}.${micros}Z`;
}

function dateTime(seconds: number): string {
  const days = Math.floor(seconds / secondsPerDay);
  const rest = seconds - days * secondsPerDay;
  const { year, month, day } = civilFromDays(days);
  const minutes = (rest / 60) | 0;
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date}T${two((rest / 3600) | 0)}:${two(minutes % 60)}:${two(rest - minutes * 60)}`;
}

const twoDigits = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const two = (n: number): string => twoDigits[n]!;

/** The proleptic Gregorian date of a day counted from 1970-01-01, by eras of 400 years that begin on March 1. */
function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + (yearOfEra >> 2) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** A text that is no time; the message is Go's. */
export class TimeParseError extends Error {
  override readonly name = 'TimeParseError';
}

type Element = '2006' | '01' | '02' | '15' | '04' | '05' | '.000000' | 'Z07:00';
type Step = { readonly element: Element } | { readonly literal: string };

const secondsLayout = '2006-01-02T15:04:05Z07:00';
const microLayout = '2006-01-02T15:04:05.000000Z07:00';
const date: readonly Step[] = [
  { element: '2006' },
  { literal: '-' },
  { element: '01' },
  { literal: '-' },
  { element: '02' },
  { literal: 'T' },
  { element: '15' },
  { literal: ':' },
  { element: '04' },
  { literal: ':' },
  { element: '05' },
];
const secondsSteps: readonly Step[] = [...date, { element: 'Z07:00' }];
const microSteps: readonly Step[] = [...date, { element: '.000000' }, { element: 'Z07:00' }];

/**
 * Reads a `Time`; a fraction of a second is accepted (and dropped when the time is written). Throws {@link
 * TimeParseError}.
 */
export function parseTime(text: string): Instant {
  const seconds = parseUtcSeconds(text);
  return seconds === undefined ? parseLayout(text, secondsLayout, secondsSteps) : { seconds, nanos: 0 };
}

/** Reads a `MicroTime`, which must have exactly six fraction digits. Throws {@link TimeParseError}. */
export function parseMicroTime(text: string): Instant {
  return parseLayout(text, microLayout, microSteps);
}

/** Fast path for the format that our own writers produce; undefined for every other text. */
export function parseUtcSeconds(text: string): number | undefined {
  if (text.length !== 20 || text.charCodeAt(19) !== 90) return undefined;
  const year = digits2(text, 0) * 100 + digits2(text, 2);
  const month = digits2(text, 5);
  const day = digits2(text, 8);
  const hour = digits2(text, 11);
  const minute = digits2(text, 14);
  const second = digits2(text, 17);
  const separated =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58;
  // Comparisons with NaN, which a character that is no digit gives, are false.
  const inRange =
    year >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(month, year) &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!separated || !inRange) return undefined;
  return daysFromCivil(year, month, day) * secondsPerDay + hour * 3600 + minute * 60 + second;
}

function digits2(text: string, at: number): number {
  const high = text.charCodeAt(at) - 48;
  const low = text.charCodeAt(at + 1) - 48;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : NaN;
}

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  offset: number;
}

function parseLayout(text: string, layout: string, steps: readonly Step[]): Instant {
  const parts: Parts = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 };
  let rest = text;
  for (const step of steps) {
    if ('literal' in step) {
      if (!rest.startsWith(step.literal)) throw cannotParse(text, layout, rest, step.literal);
      rest = rest.slice(step.literal.length);
      continue;
    }
    const taken = takeElement(step.element, rest, parts, layout === microLayout);
    if (taken === undefined) throw cannotParse(text, layout, rest, step.element);
    if (typeof taken === 'string') throw outOfRange(text, taken);
    rest = rest.slice(taken);
  }
  if (rest !== '') throw new TimeParseError(`parsing time ${quote(text)}: extra text: ${quote(rest)}`);
  if (parts.day < 1 || parts.day > daysIn(parts.month, parts.year)) throw outOfRange(text, 'day');
  const days = daysFromCivil(parts.year, parts.month, parts.day);
  return {
    seconds: days * secondsPerDay + parts.hour * 3600 + parts.minute * 60 + parts.second - parts.offset,
    nanos: parts.nanos,
  };
}

/** How many characters the element took; undefined when it does not match; the name of what is out of range. */
function takeElement(element: Element, rest: string, parts: Parts, micro: boolean): number | string | undefined {
  switch (element) {
    case '2006':
      return takeNumber(/^\d{4}/, rest, (n) => {
        parts.year = n;
      });
    case '01':
      return takeNumber(/^\d\d/, rest, (n) => {
        parts.month = n;
        return n < 1 || n > 12 ? 'month' : undefined;
      });
    case '02':
      return takeNumber(/^\d\d/, rest, (n) => {
        parts.day = n;
      });
    case '15':
      return takeNumber(/^\d\d?/, rest, (n) => {
        parts.hour = n;
        return n >= 24 ? 'hour' : undefined;
      });
    case '04':
      return takeNumber(/^\d\d/, rest, (n) => {
        parts.minute = n;
        return n >= 60 ? 'minute' : undefined;
      });
    case '05':
      return takeSeconds(rest, parts, micro);
    case '.000000':
      return takeNumber(/^[.,](\d{6})/, rest, (n) => {
        parts.nanos = n * 1000;
      });
    case 'Z07:00':
      return takeZone(rest, parts);
  }
}

function takeNumber(
  pattern: RegExp,
  rest: string,
  set: (n: number) => string | undefined | void,
): number | string | undefined {
  const match = pattern.exec(rest);
  if (match === null) return undefined;
  return set(Number(match[1] ?? match[0])) ?? match[0].length;
}

function takeSeconds(rest: string, parts: Parts, micro: boolean): number | string | undefined {
  const match = (micro ? /^\d\d/ : /^\d\d(?:[.,](\d+))?/).exec(rest);
  if (match === null) return undefined;
  parts.second = Number(match[0].slice(0, 2));
  if (parts.second >= 60) return 'second';
  if (match[1] !== undefined) parts.nanos = Number(match[1].slice(0, 9).padEnd(9, '0'));
  return match[0].length;
}

function takeZone(rest: string, parts: Parts): number | string | undefined {
  if (rest.startsWith('Z')) return 1;
  const match = /^([+-])(\d\d):(\d\d)/.exec(rest);
  if (match === null) return undefined;
  const hours = Number(match[2]);
  const minutes = Number(match[3]);
  if (hours > 24) return 'time zone offset hour';
  if (minutes > 60) return 'time zone offset minute';
  parts.offset = (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  return 6;
}

function cannotParse(text: string, layout: string, rest: string, element: string): TimeParseError {
  return new TimeParseError(
    `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`,
  );
}

function outOfRange(text: string, what: string): TimeParseError {
  return new TimeParseError(`parsing time ${quote(text)}: ${what} out of range`);
}

const plain = /^[ !#-[\]-\x7f]*$/;

const quotedBytes = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (plain.test(char)) return char;
  return char === '"' || char === '\\' ? `\\${char}` : `\\x${byte.toString(16).padStart(2, '0')}`;
});

/** Go's package time quotes byte by byte: everything that is no printable ASCII becomes `\xNN`. */
export function quoteTimeText(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let out = '"';
  for (const byte of Buffer.from(text, 'utf8')) out += quotedBytes[byte]!;
  return `${out}"`;
}

const quote = quoteTimeText;
