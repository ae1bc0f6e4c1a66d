import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('durations as Go writes them', () => {
  test.each([
    { text: '0', printed: '0s' },
    { text: '1m0s', printed: '1m0s' },
    { text: '90m', printed: '1h30m0s' },
    { text: '1.5s', printed: '1.5s' },
    { text: '.5s', printed: '500ms' },
    { text: '1500us', printed: '1.5ms' },
    { text: '1µs', printed: '1µs' },
    { text: '-1ns', printed: '-1ns' },
    { text: '+1h', printed: '1h0m0s' },
    { text: '1h5m30.25s', printed: '1h5m30.25s' },
    { text: '2562047h47m16.854775807s', printed: '2562047h47m16.854775807s' },
    { text: '-2562047h47m16.854775808s', printed: '-2562047h47m16.854775808s' },
    { text: '1.0000000005s', printed: '1s' },
  ])('Durations as Go writes them: $text is $printed', ({ text, printed }) => {
    expect(formatDuration(parseDuration(text))).toBe(printed);
  });

  test.each([
    { text: '', message: 'time: invalid duration ""' },
    { text: '10', message: 'time: missing unit in duration "10"' },
    { text: '10y', message: 'time: unknown unit "y" in duration "10y"' },
    { text: '-', message: 'time: invalid duration "-"' },
    { text: '1h-', message: 'time: unknown unit "h-" in duration "1h-"' },
    { text: '.s', message: 'time: invalid duration ".s"' },
    { text: '9223372036854775808ns', message: 'time: invalid duration "9223372036854775808ns"' },
  ])('Durations as Go writes them refuses "$text"', ({ text, message }) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ message }));
  });
});
