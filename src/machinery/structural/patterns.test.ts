import { afterEach, describe, expect, test, vi } from 'vitest';
import { fieldErrorText } from '../field-error.ts';
import { regexCache } from '../regex-cache.ts';
import { patternProblem } from './patterns.ts';
import { validateValue } from './validate.ts';

/** As large as is compiled, nearly, and with a state for each of many beginnings. */
const dear = '([ab]{0,900}[^ab]?)*[0-9]';
const cheap = '^[ab]*$';
const long = 'ab'.repeat(500_000);

const schema = (
  pattern: string,
  ...more: string[]
): { type: string; properties: Record<string, { type: string; pattern: string }> } => ({
  type: 'object',
  properties: Object.fromEntries([pattern, ...more].map((own, i) => [`f${i}`, { type: 'string', pattern: own }])),
});
const judge = (value: Record<string, string>, ...patterns: [string, ...string[]]): string[] =>
  validateValue(value, schema(...patterns))
    .map(fieldErrorText)
    .map((text) => text.slice(text.lastIndexOf('in body ')));

/**
 * Each look at the clock is `wallMs` later, of which the processor was at work for this long. Says how often it was
 * looked at.
 */
function steppingClock(cpuMs: number, wallMs = cpuMs): { readonly looks: number } {
  const clock = { looks: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => ++clock.looks * wallMs);
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
    user: clock.looks * cpuMs * 1000 - (before?.user ?? 0),
    system: 0,
  }));
  return clock;
}

afterEach(() => vi.restoreAllMocks());

describe('patterns that take long', () => {
  test('Patterns that take long are given up when the time of the object is used up', () => {
    const clock = steppingClock(1);
    expect(judge({ f0: long }, dear)).toEqual([`in body takes too long to match '${dear}'`]);
    expect(clock.looks).toBeLessThan(60);
  });

  test('Patterns that take long leave no time for the other texts of the object, and all for the next one', () => {
    steppingClock(1);
    expect(judge({ f0: long, f1: 'a' }, dear, cheap)).toEqual([
      `in body takes too long to match '${dear}'`,
      `in body takes too long to match '${cheap}'`,
    ]);
    expect(judge({ f0: 'a' }, cheap)).toEqual([]);
  });

  test('Patterns that take long are not even compiled when no time is left', () => {
    steppingClock(1);
    const before = regexCache.bytes;
    expect(
      judge(
        { f0: 'a', f1: long, ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i + 2}`, 'a'])) },
        cheap,
        dear,
        ...Array.from({ length: 100 }, (_, i) => `[a-z]{900}${i}`),
      ),
    ).toHaveLength(101);
    expect(regexCache.bytes - before).toBeLessThan(10_000_000);
  });

  test('Patterns that take long go on on a machine that is busy with something else', () => {
    const clock = steppingClock(0.001, 1000);
    expect(judge({ f0: 'ab'.repeat(5000) }, dear)).toEqual([`in body should match '${dear}'`]);
    expect(clock.looks).toBeGreaterThan(60);
  });
});

test.each([
  ['^a(b|c)*$', undefined],
  ['(?i)a(?P<name>b)', undefined],
  ['^[[:alpha:]]+$', undefined],
  ['(', 'error parsing regexp: missing closing ): `(`'],
  ['a)', 'error parsing regexp: unexpected ): `a)`'],
  ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
])('Pattern %s: %s', (pattern, problem) => {
  expect(patternProblem(pattern)).toBe(problem);
});
