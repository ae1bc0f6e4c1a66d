import { describe, expect, test } from 'vitest';
import { parseCronSchedule } from './cron-schedule.ts';
import { lastTime, nextTime } from './cron-times.ts';
import { zoneOffset } from './zone-offset.ts';

const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z');

interface Row {
  readonly name: string;
  readonly schedule: string;
  readonly zone?: string;
  readonly after: string;
  readonly next: readonly (string | undefined)[];
}

const rows: readonly Row[] = [
  {
    name: 'every minute begins with the next full minute',
    schedule: '* * * * *',
    after: '2026-03-01T10:00:00Z',
    next: ['2026-03-01T10:01:00Z', '2026-03-01T10:02:00Z'],
  },
  {
    name: 'seconds within the minute do not count',
    schedule: '* * * * *',
    after: '2026-03-01T10:00:59.999Z',
    next: ['2026-03-01T10:01:00Z'],
  },
  {
    name: 'steps within the hour',
    schedule: '*/25 * * * *',
    after: '2026-03-01T10:30:00Z',
    next: ['2026-03-01T10:50:00Z', '2026-03-01T11:00:00Z'],
  },
  {
    name: 'a day of the month that not all months have',
    schedule: '0 0 31 * *',
    after: '2026-01-31T00:00:00Z',
    next: ['2026-03-31T00:00:00Z', '2026-05-31T00:00:00Z'],
  },
  {
    name: 'either of the two fields of days when both are restricted',
    schedule: '0 0 13 * FRI',
    after: '2026-02-12T00:00:00Z',
    next: ['2026-02-13T00:00:00Z', '2026-02-20T00:00:00Z'],
  },
  {
    name: 'both fields of days when one leaves all',
    schedule: '0 0 * * FRI',
    after: '2026-02-13T00:00:00Z',
    next: ['2026-02-20T00:00:00Z'],
  },
  {
    name: 'February 29',
    schedule: '0 12 29 2 *',
    after: '2026-03-01T00:00:00Z',
    next: ['2028-02-29T12:00:00Z'],
  },
  { name: 'a date that never comes', schedule: '0 0 31 2 *', after: '2026-03-01T00:00:00Z', next: [undefined] },
  {
    name: 'the last minute of the year',
    schedule: '59 23 31 12 *',
    after: '2026-12-31T23:59:00Z',
    next: ['2027-12-31T23:59:00Z'],
  },
  {
    name: 'a zone that is ahead',
    schedule: '0 0 1 1 *',
    zone: 'Asia/Tokyo',
    after: '2026-06-01T00:00:00Z',
    next: ['2026-12-31T15:00:00Z'],
  },
  {
    name: 'a zone with a part of an hour',
    schedule: '15 9 * * *',
    zone: 'Asia/Kathmandu',
    after: '2026-06-01T00:00:00Z',
    next: ['2026-06-01T03:30:00Z'],
  },
  {
    name: 'a local time that does not exist is left out',
    schedule: '30 2 * * *',
    zone: 'America/New_York',
    after: '2026-03-07T12:00:00Z',
    next: ['2026-03-09T06:30:00Z'],
  },
  {
    name: 'every hour goes on over the hour that does not exist',
    schedule: '0 * * * *',
    zone: 'America/New_York',
    after: '2026-03-08T06:00:00Z',
    next: ['2026-03-08T07:00:00Z', '2026-03-08T08:00:00Z'],
  },
  {
    name: 'a local time that comes twice is due twice',
    schedule: '30 1 * * *',
    zone: 'America/New_York',
    after: '2026-11-01T00:00:00Z',
    next: ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z'],
  },
  {
    name: 'a day that begins at one o’clock has no midnight',
    schedule: '0 0 * * *',
    zone: 'America/Santiago',
    after: '2026-09-05T12:00:00Z',
    next: ['2026-09-07T03:00:00Z'],
  },
  {
    name: 'other hours of a day that begins at one o’clock',
    schedule: '0 1 6 9 *',
    zone: 'America/Santiago',
    after: '2026-06-01T00:00:00Z',
    next: ['2026-09-06T04:00:00Z'],
  },
  {
    name: 'an interval counts from the time before',
    schedule: '@every 1h30m',
    after: '2026-03-01T10:00:05.700Z',
    next: ['2026-03-01T11:30:05Z', '2026-03-01T13:00:05Z'],
  },
  {
    name: 'an interval below a second is a second',
    schedule: '@every 10ms',
    after: '2026-03-01T10:00:00Z',
    next: ['2026-03-01T10:00:01Z'],
  },
];

test.each(rows)('Times of the schedule $schedule: $name', ({ schedule, zone = 'UTC', after, next }) => {
  const parsed = parseCronSchedule(schedule);
  let at: number | undefined = Date.parse(after);
  for (const expected of next) {
    at = nextTime(parsed, at!, zoneOffset(zone));
    expect(iso(at)).toBe(expected);
  }
});

describe('the last time of a schedule before another time', () => {
  test.each([
    { name: 'none has come', schedule: '0 * * * *', after: '10:00', until: '10:59', last: undefined },
    { name: 'the end counts', schedule: '0 * * * *', after: '10:00', until: '11:00', last: '11:00' },
    { name: 'the beginning does not', schedule: '0 10 * * *', after: '10:00', until: '10:30', last: undefined },
    { name: 'several have come', schedule: '*/7 * * * *', after: '08:00', until: '10:30', last: '10:28' },
    { name: 'several at odd distances', schedule: '1,2,40 9,10 * * *', after: '08:00', until: '10:30', last: '10:02' },
    { name: 'an interval', schedule: '@every 13m', after: '10:00', until: '10:30', last: '10:26' },
  ])('The last time of a schedule before another time: $name', ({ schedule, after, until, last }) => {
    const at = (text: string): number => Date.parse(`2026-03-01T${text}:00Z`);
    const found = lastTime(parseCronSchedule(schedule), at(after), at(until), zoneOffset('UTC'));
    expect(found).toBe(last === undefined ? undefined : at(last));
  });

  test('The last time of a schedule is found in few steps after a year of minutes', () => {
    const offset = zoneOffset('UTC');
    let steps = 0;
    const counting = (atMs: number): number => {
      steps++;
      return offset(atMs);
    };
    const until = Date.parse('2026-12-31T00:00:30Z');
    const last = lastTime(parseCronSchedule('* * * 1-11 *'), Date.parse('2026-01-01T00:00:00Z'), until, counting);
    expect(iso(last)).toBe('2026-11-30T23:59:00Z');
    expect(steps).toBeLessThan(2000);
  });
});
