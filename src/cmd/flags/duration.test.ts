import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration, as time.ParseDuration', () => {
  test.each([
    { text: '0', ms: 0 },
    { text: '5s', ms: 5000 },
    { text: '1m0s', ms: 60_000 },
    { text: '8760h0m0s', ms: 8760 * 3_600_000 },
    { text: '1.5h', ms: 5_400_000 },
    { text: '.5s', ms: 500 },
    { text: '250ms', ms: 250 },
    { text: '1us', ms: 0.001 },
    { text: '-5s', ms: -5000 },
    { text: '+5s', ms: 5000 },
  ])('parseDuration, as time.ParseDuration reads $text', ({ text, ms }) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    { text: '', message: 'time: invalid duration ""' },
    { text: '-', message: 'time: invalid duration "-"' },
    { text: 'abc', message: 'time: invalid duration "abc"' },
    { text: '5', message: 'time: missing unit in duration "5"' },
    { text: '5x', message: 'time: unknown unit "x" in duration "5x"' },
    { text: '5toString', message: 'time: unknown unit "toString" in duration "5toString"' },
    { text: '1h 5m', message: 'time: unknown unit "h " in duration "1h 5m"' },
    { text: '9999999h', message: 'time: invalid duration "9999999h"' },
  ])('parseDuration, as time.ParseDuration refuses "$text"', ({ text, message }) => {
    expect(() => parseDuration(text)).toThrow(message);
  });
});

test.each([
  { ms: 0, text: '0s' },
  { ms: 250, text: '250ms' },
  { ms: 0.25, text: '250µs' },
  { ms: 0.000001, text: '1ns' },
  { ms: 1500, text: '1.5s' },
  { ms: 90_000, text: '1m30s' },
  { ms: 3_600_000, text: '1h0m0s' },
  { ms: -5000, text: '-5s' },
])('formatDuration prints $ms ms as $text', ({ ms, text }) => {
  expect(formatDuration(ms)).toBe(text);
});
