import { describe, expect, it } from 'vitest';
import { type CronFields, parseCronSchedule } from './cron-schedule.ts';

const span = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const fieldsOf = (text: string): CronFields => parseCronSchedule(text).fields!;

describe('a cron schedule', () => {
  it.each([
    { text: '0 9 * * *', field: 'minute', values: [0], isAny: false },
    { text: '0 9 * * *', field: 'dayOfWeek', values: span(0, 6), isAny: true },
    { text: '? ? ? ? ?', field: 'dayOfMonth', values: span(1, 31), isAny: true },
    { text: '1,,3 * * * *', field: 'minute', values: [1, 3], isAny: false },
    { text: '30,10-12,11 * * * *', field: 'minute', values: [10, 11, 12, 30], isAny: false },
    { text: '*/20 * * * *', field: 'minute', values: [0, 20, 40], isAny: false },
    { text: '*/1 * * * *', field: 'minute', values: span(0, 59), isAny: true },
    { text: '50/5 * * * *', field: 'minute', values: [50, 55], isAny: false },
    { text: '10-20/5 * * * *', field: 'minute', values: [10, 15, 20], isAny: false },
    { text: '0 0 * JAN,mar-May *', field: 'month', values: [1, 3, 4, 5], isAny: false },
    { text: '0 0 * * Mon-fri', field: 'dayOfWeek', values: span(1, 5), isAny: false },
    { text: ', * * * *', field: 'minute', values: [], isAny: false },
    { text: '@weekly', field: 'dayOfWeek', values: [0], isAny: false },
    { text: '@annually', field: 'month', values: [1], isAny: false },
    { text: 'TZ=Asia/Tokyo @daily', field: 'hour', values: [0], isAny: false },
  ] as const)('A cron schedule: $text has as $field $values', ({ text, field, values, isAny }) => {
    expect(fieldsOf(text)[field]).toEqual({ values, isAny });
  });

  it.each([
    { text: '@every 1h30m', schedule: { every: 5_400_000_000_000n } },
    { text: 'TZ=America/New_York @every 1s', schedule: { timeZone: 'America/New_York', every: 1_000_000_000n } },
    { text: 'CRON_TZ=  @every 1s', schedule: { timeZone: '', every: 1_000_000_000n } },
  ])('A cron schedule is an interval: $text', ({ text, schedule }) => {
    expect(parseCronSchedule(text)).toEqual(schedule);
  });

  it.each([
    { text: '', message: 'empty spec string' },
    { text: ' ', message: 'expected exactly 5 fields, found 0: []' },
    { text: '* *\t* *', message: 'expected exactly 5 fields, found 4: [* * * *]' },
    { text: '1-2-3 * * * *', message: 'too many hyphens: 1-2-3' },
    { text: '1/2/3 * * * *', message: 'too many slashes: 1/2/3' },
    { text: '* 24 * * *', message: 'end of range (24) above maximum (23): 24' },
    { text: '* * * 0 *', message: 'beginning of range (0) below minimum (1): 0' },
    { text: '* 9-5 * * *', message: 'beginning of range (9) beyond end of range (5): 9-5' },
    { text: '*/0 * * * *', message: 'step of range should be a positive number: */0' },
    { text: '*/-1 * * * *', message: 'negative number (-1) not allowed: -1' },
    { text: '1.5 * * * *', message: 'failed to parse int from 1.5: strconv.Atoi: parsing "1.5": invalid syntax' },
    {
      text: '9223372036854775808 * * * *',
      message:
        'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
    },
    { text: '@every x', message: 'failed to parse duration @every x: time: invalid duration "x"' },
    { text: '@Daily', message: 'unrecognized descriptor: @Daily' },
    { text: 'TZ=Mars/Base * * * * *', message: 'provided bad location Mars/Base: unknown time zone Mars/Base' },
    { text: 'TZ=../etc * * * * *', message: 'provided bad location ../etc: time: invalid location name' },
    { text: 'TZ=UTC', message: 'expected a schedule after the time zone: TZ=UTC' },
  ])('A cron schedule is refused: $text', ({ text, message }) => {
    expect(() => parseCronSchedule(text)).toThrow(message);
  });

  it('A cron schedule is refused without reading a million digits', () => {
    const digits = '1'.repeat(1_000_000);
    expect(() => parseCronSchedule(`${digits} * * * *`)).toThrow(
      `strconv.Atoi: parsing "${digits}": value out of range`,
    );
  });
});
