import assert from 'node:assert/strict';
import { formatDuration, parseDuration } from '../../../src/machinery/duration.ts';
import { parseJsonPath } from '../../../src/machinery/json-path.ts';
import { readInteger } from '../../../src/machinery/parse-integer.ts';
import { canonicalQuantity } from '../../../src/machinery/quantity.ts';
import { parseMicroTime, parseTime } from '../../../src/machinery/time.ts';
import { compareVersions } from '../../../src/machinery/version-order.ts';
import { attempt, changedWords, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  '0',
  '1',
  '5',
  '007',
  '12345678901234567890',
  '.',
  '.5',
  '-',
  '+',
  'e',
  'E',
  'e9',
  'E-3',
  'Ki',
  'Mi',
  'k',
  'm',
  'n',
  'u',
  'h',
  's',
  'ms',
  'µs',
  '1h30m',
  '2024-02-29',
  '2023-02-29',
  'T',
  't',
  '10:00:00',
  '24:00:60',
  'Z',
  '+02:00',
  '.123456789',
  ' ',
  '{',
  '}',
  '$',
  '[',
  ']',
  '*',
  '..',
  '@',
  '?(',
  ')',
  '"',
  "'",
  'a',
  'v1',
  'v2beta3',
  'v1alpha',
  '\\',
  'é',
  ':',
  ',',
];

export const target: FuzzTarget = {
  about: 'quantities, durations, times, integers, versions and JSON paths',
  runs: 10_000,
  generate: (random) => changedWords(random, vocabulary, 6),
  check(input) {
    const text = input.toString();
    const quantity = attempt(() => canonicalQuantity(text), 'QuantityError');
    if (quantity !== undefined) {
      expectWithin(quantity.length, text.length + 40, 'digits of a quantity');
      assert.equal(canonicalQuantity(quantity), quantity);
    }
    const duration = attempt(() => parseDuration(text), 'DurationParseError');
    if (duration !== undefined) assert.equal(parseDuration(formatDuration(duration)), duration);
    attempt(() => parseTime(text), 'TimeParseError');
    attempt(() => parseMicroTime(text), 'TimeParseError');
    const integer = readInteger(text);
    if (typeof integer === 'bigint') assert.equal(readInteger(String(integer)), integer);
    const path = parseJsonPath(text);
    if (path !== undefined)
      expectWithin([...path({ a: [1, { a: 2 }], v1: { a: {} } })].length, 100 * (text.length + 1), 'values of a path');
    const [left = '', right = ''] = text.split(' ');
    assert.equal(Math.sign(compareVersions(left, right)) + Math.sign(compareVersions(right, left)), 0);
  },
};
