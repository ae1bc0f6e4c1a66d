import { describe, expect, test } from 'vitest';
import {
  getVersion,
  listParameters,
  parseInteger,
  parseResourceVersion,
  validateListParameters,
} from './list-parameters.ts';

describe('an integer parameter', () => {
  test.each([
    ['0', 0],
    ['-1', -1],
    ['+5', 5],
    ['007', 7],
    ['9223372036854775807', 2 ** 63],
  ])('An integer parameter: %s is taken', (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });

  test.each([
    ['9223372036854775808', 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    [`1${'0'.repeat(5_000)}`, 'value out of range'],
    ['', 'invalid syntax'],
    ['abc', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['1e3', 'invalid syntax'],
    ['0x10', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['--1', 'invalid syntax'],
  ])('An integer parameter: %s is answered 400', (text, why) => {
    expect(() => parseInteger(text)).toThrow(
      expect.objectContaining({ code: 400, message: `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}` }),
    );
  });
});

test.each(['limit', 'timeoutSeconds'])('%s without a value is answered 400', (name) => {
  expect(() => listParameters(new URLSearchParams(name), false)).toThrow(
    expect.objectContaining({ code: 400, message: 'strconv.ParseInt: parsing "": invalid syntax' }),
  );
});

describe('resourceVersion', () => {
  test.each([
    ['', { match: 'mostRecent' }],
    ['0', { match: 'any' }],
    ['00', { match: 'any' }],
    ['12', { match: 'notOlderThan', revision: 12 }],
    ['18446744073709551615', { match: 'notOlderThan', revision: 2 ** 64 }],
  ])('resourceVersion: %j of a GET', (text, version) => {
    expect(getVersion(new URLSearchParams({ resourceVersion: text }))).toEqual(version);
  });

  test.each([
    ['-1', 'invalid syntax'],
    ['abc', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
    ['9'.repeat(200_000), 'value out of range'],
  ])('A wrong one is answered as upstream does (row %#)', (text, why) => {
    const message =
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: ` +
      `parsing ${JSON.stringify(text)}: ${why}`;
    expect(() => parseResourceVersion(text)).toThrow(expect.objectContaining({ code: 500, reason: '', message }));
  });

  test('A wrong one of a million digits is not repeated in full', () => {
    expect(() => parseResourceVersion('9'.repeat(1_000_000))).toThrow(
      expect.objectContaining({
        code: 500,
        message: expect.stringMatching(/^resourceVersion: Invalid value: "9+\.\.\. \(cut\)$/) as string,
      }),
    );
  });
});

describe('combinations', () => {
  const check = (query: string, watch = false): unknown => {
    try {
      validateListParameters(listParameters(new URLSearchParams(query), watch), true);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  test.each([
    {
      query: 'resourceVersionMatch=Exact',
      watch: false,
      message: 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      query: 'resourceVersionMatch=Exact&resourceVersion=0',
      watch: false,
      message: 'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    },
    {
      query: 'resourceVersionMatch=Odd&resourceVersion=1',
      watch: false,
      message: 'resourceVersionMatch: Unsupported value: "Odd"',
    },
    {
      query: 'resourceVersionMatch=Exact&resourceVersion=1&continue=x',
      watch: false,
      message: 'resourceVersionMatch is forbidden when continue is provided',
    },
    { query: 'sendInitialEvents=true', watch: false, message: 'sendInitialEvents is forbidden for list' },
    {
      query: 'sendInitialEvents=true',
      watch: true,
      message: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    },
    { query: 'continue=x', watch: true, message: 'is forbidden when continue is provided' },
  ])('List parameters: $query (watch: $watch) is refused', ({ query, watch, message }) => {
    expect(check(query, watch)).toContain(message);
  });

  test.each([
    { query: 'resourceVersionMatch=Exact&resourceVersion=5&limit=-1', watch: false },
    { query: 'resourceVersionMatch=NotOlderThan&resourceVersion=0', watch: false },
    { query: 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', watch: true },
  ])('List parameters: $query (watch: $watch) is accepted', ({ query, watch }) => {
    expect(check(query, watch)).toBeUndefined();
  });
});
