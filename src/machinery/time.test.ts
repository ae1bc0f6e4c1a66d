import { describe, expect, test } from 'vitest';
import { formatMicroTime, formatTime, parseMicroTime, parseTime, zeroTimeSeconds } from './time.ts';

describe('Time, RFC 3339 with whole seconds', () => {
  test.each([
    { name: 'UTC', text: '2024-05-01T10:00:00Z', printed: '2024-05-01T10:00:00Z' },
    { name: 'an offset', text: '2023-12-31T23:59:59+02:00', printed: '2023-12-31T21:59:59Z' },
    { name: 'an offset west', text: '2024-05-01T10:00:00-23:59', printed: '2024-05-02T09:59:00Z' },
    { name: 'a fraction, which is dropped', text: '2024-02-29T23:59:59.123Z', printed: '2024-02-29T23:59:59Z' },
    { name: 'a fraction behind a comma', text: '2024-02-29T23:59:59,9Z', printed: '2024-02-29T23:59:59Z' },
    { name: 'one digit for the hour', text: '2024-05-01T1:00:00Z', printed: '2024-05-01T01:00:00Z' },
    { name: 'the year 0', text: '0000-01-01T00:00:00Z', printed: '0000-01-01T00:00:00Z' },
    { name: 'the last second', text: '9999-12-31T23:59:59Z', printed: '9999-12-31T23:59:59Z' },
    { name: 'before 1970', text: '1969-12-31T23:59:59Z', printed: '1969-12-31T23:59:59Z' },
    { name: 'a leap day', text: '2000-02-29T00:00:00Z', printed: '2000-02-29T00:00:00Z' },
  ])('Time, RFC 3339 with whole seconds reads $name', ({ text, printed }) => {
    expect(formatTime(parseTime(text).seconds)).toBe(printed);
  });

  test('The zero time is the first second of year 1', () => {
    expect(parseTime('0001-01-01T00:00:00Z').seconds).toBe(zeroTimeSeconds);
  });

  test('A Time agrees with Date over four thousand years of days', () => {
    for (let seconds = -62135596800; seconds < 64000000000; seconds += 86400 * 97 + 12345) {
      const text = new Date(seconds * 1000).toISOString().replace('.000', '');
      expect(formatTime(seconds)).toBe(text);
      expect(parseTime(text).seconds).toBe(seconds);
    }
  });

  test.each([
    {
      name: 'a word',
      text: 'yesterday',
      message: 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    },
    { name: 'nothing', text: '', message: 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"' },
    {
      name: 'a date',
      text: '2024-05-01',
      message: 'parsing time "2024-05-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
    },
    {
      name: 'no zone',
      text: '2024-05-01T10:00:00',
      message: 'parsing time "2024-05-01T10:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    },
    {
      name: 'month 13',
      text: '2024-13-01T10:00:00Z',
      message: 'parsing time "2024-13-01T10:00:00Z": month out of range',
    },
    {
      name: 'February 30',
      text: '2024-02-30T10:00:00Z',
      message: 'parsing time "2024-02-30T10:00:00Z": day out of range',
    },
    {
      name: 'February 29 of a common year',
      text: '2023-02-29T10:00:00Z',
      message: 'parsing time "2023-02-29T10:00:00Z": day out of range',
    },
    {
      name: 'hour 24',
      text: '2024-05-01T24:00:00Z',
      message: 'parsing time "2024-05-01T24:00:00Z": hour out of range',
    },
    {
      name: 'more text',
      text: '2024-05-01T10:00:00Zx',
      message: 'parsing time "2024-05-01T10:00:00Zx": extra text: "x"',
    },
    {
      name: 'quotes and other characters',
      text: '"é',
      message: 'parsing time "\\"\\xc3\\xa9" as "2006-01-02T15:04:05Z07:00": cannot parse "\\"\\xc3\\xa9" as "2006"',
    },
  ])('Time, RFC 3339 with whole seconds refuses $name', ({ text, message }) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ message }));
  });
});

describe('MicroTime, six fraction digits', () => {
  test.each([
    { name: 'microseconds', text: '2024-05-01T10:00:00.000001Z', printed: '2024-05-01T10:00:00.000001Z' },
    { name: 'an offset', text: '2024-05-01T10:00:00.500000+01:00', printed: '2024-05-01T09:00:00.500000Z' },
    { name: 'before 1970', text: '1960-01-01T00:00:00.999999Z', printed: '1960-01-01T00:00:00.999999Z' },
  ])('MicroTime, six fraction digits reads $name', ({ text, printed }) => {
    const { seconds, nanos } = parseMicroTime(text);
    expect(formatMicroTime(seconds, nanos)).toBe(printed);
  });

  test.each([
    {
      name: 'whole seconds',
      text: '2024-05-01T10:00:00Z',
      message:
        'parsing time "2024-05-01T10:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    },
    {
      name: 'seven digits',
      text: '2024-05-01T10:00:00.1234567Z',
      message:
        'parsing time "2024-05-01T10:00:00.1234567Z" as "2006-01-02T15:04:05.000000Z07:00": cannot ' +
        'parse "7Z" as "Z07:00"',
    },
  ])('MicroTime, six fraction digits refuses $name', ({ text, message }) => {
    expect(() => parseMicroTime(text)).toThrow(expect.objectContaining({ message }));
  });
});
