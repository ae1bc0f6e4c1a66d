import { expect, test } from 'vitest';
import { parseInteger, readInteger } from './parse-integer.ts';

test.each([
  ['0', 0n],
  ['-0', 0n],
  ['007', 7n],
  ['+5', 5n],
  ['-12', -12n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  [`-${'0'.repeat(50)}1`, -1n],
])('%s is a number', (text, value) => {
  expect(readInteger(text)).toBe(value);
  expect(parseInteger(text)).toBe(value);
});

test.each([
  ['', 'invalid syntax'],
  ['-', 'invalid syntax'],
  ['+', 'invalid syntax'],
  ['x', 'invalid syntax'],
  ['1.0', 'invalid syntax'],
  ['0x1', 'invalid syntax'],
  [' 1', 'invalid syntax'],
  ['1\n', 'invalid syntax'],
  ['--1', 'invalid syntax'],
  ['9223372036854775808', 'value out of range'],
  ['-9223372036854775809', 'value out of range'],
  ['1'.repeat(1_000_000), 'value out of range'],
  [`${'0'.repeat(1_000_000)}x`, 'invalid syntax'],
])('A text that is none says why (row %#)', (text, why) => {
  expect(readInteger(text)).toBe(why);
  expect(() => parseInteger(text)).toThrow(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
});
