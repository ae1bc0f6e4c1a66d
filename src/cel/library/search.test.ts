import { beforeEach, describe, expect, test } from 'vitest';
import { startWork } from '../values/evaluation-limit.ts';
import { indexOf, lastIndexOf, replaceEach, split } from './search.ts';

beforeEach(startWork);

/** Long enough for the way that is not JavaScript's own. */
const text = `${'ab'.repeat(10_000)}c${'ab'.repeat(10_000)}`;

describe('search gives what the methods of texts give', () => {
  test.each([
    ['at the start', 'ab'.repeat(20)],
    ['around the middle', `${'ab'.repeat(20)}c${'ab'.repeat(20)}`],
    ['at the end only', `c${'ab'.repeat(10_000)}`],
    ['nowhere', `${'ab'.repeat(20)}d`],
    ['longer than the text', 'ab'.repeat(30_000)],
    ['short', 'bc'],
    ['empty', ''],
  ])('A part that is %s', (_, part) => {
    expect(indexOf(text, part)).toBe(text.indexOf(part));
    expect(indexOf(text, part, 7)).toBe(text.indexOf(part, 7));
    expect(lastIndexOf(text, part)).toBe(text.lastIndexOf(part));
    expect(lastIndexOf(text, part, 15_000)).toBe(text.lastIndexOf(part, 15_000));
    if (part !== '') expect(split(text, part)).toEqual(text.split(part));
  });

  test('A split with a limit gives the rest as the last part', () =>
    expect(split('a,b,c,d', ',', 3)).toEqual(['a', 'b', 'c,d']));

  test('A replacement in CEL replaces each match', () => {
    expect(replaceEach('a1b22', /\d+/g, 1, ([digits]) => `<${digits}>`)).toBe('a<1>b<22>');
    expect(replaceEach('abc', /\d+/g, 1, () => '')).toBe('abc');
  });
});
