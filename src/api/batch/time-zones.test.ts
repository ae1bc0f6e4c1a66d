import { describe, expect, it } from 'vitest';
import { isTimeZone, locationProblem } from './time-zones.ts';

describe('isTimeZone', () => {
  it.each([
    'UTC',
    'Etc/UTC',
    'Etc/GMT-14',
    'Etc/GMT+12',
    'GMT',
    'Europe/Berlin',
    'Europe/Kyiv',
    'Europe/Kiev',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'America/Argentina/Buenos_Aires',
    'US/Pacific',
    'EST5EDT',
    'Zulu',
    'Pacific/Kanton',
  ])('isTimeZone knows %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
    // Each name is one the runtime can compute with.
    expect(() => new Intl.DateTimeFormat('en', { timeZone: name })).not.toThrow();
  });

  it.each(['', 'utc', 'europe/berlin', 'Europe/Nowhere', 'Etc/GMT+13', 'Etc/GMT-15', 'Local', '+01:00', 'Europe'])(
    'isTimeZone does not know %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});

describe('locationProblem', () => {
  it.each([
    { name: '', problem: undefined },
    { name: 'Local', problem: undefined },
    { name: 'UTC', problem: undefined },
    { name: 'local', problem: 'unknown time zone local' },
    { name: '/etc/passwd', problem: 'time: invalid location name' },
    { name: 'a/../b', problem: 'time: invalid location name' },
  ])('locationProblem: $name: $problem', ({ name, problem }) => {
    expect(locationProblem(name)).toBe(problem);
  });
});
