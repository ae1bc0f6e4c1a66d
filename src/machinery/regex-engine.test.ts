import { describe, expect, test } from 'vitest';
import { compileRegex, maxRegexSize, regexSize, watchedText } from './regex-engine.ts';

describe('the size of a pattern', () => {
  test.each([
    ['abc', 3],
    ['a{5}b', 6],
    ['a{2,7}', 7],
    ['(ab){3}', 12],
    ['(?:ab){3,}', 12],
    ['(?i)ab', 3],
    ['[a-c]', 5],
    ['[a-c]{10}', 50],
    ['\\pL{3}', 150],
    ['\\{3}', 3],
    ['[{5}]', 3],
    ['([])]ab){9}', 63],
    ['([[:alpha:])]ab){9}', 72],
    ['(\\Q)\\Eab){9}', 81],
    ['\\x{100}', 1],
    ['((a{10}){10}){10}', 1220],
    ['a|b', 3],
    ['(?P<name>a){2}', 6],
  ])('The size of a pattern: %s', (pattern, size) => expect(regexSize(pattern)).toBe(size));

  test.each([
    ['a'.repeat(maxRegexSize + 1)],
    ['('.repeat(3_000_000)],
    ['((a{1,30}){1,30}){1,30}'],
    ['(?i)[\\pL\\d]{0,900}'],
  ])('The size of a pattern: %.20s… is refused', (pattern) =>
    expect(compileRegex(pattern)).toBe('error parsing regexp: expression too large'),
  );

  test.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
  ])('The size of a pattern: %s is no pattern', (pattern, problem) => expect(compileRegex(pattern)).toBe(problem));
});

describe('a text that is watched', () => {
  const compiled = (pattern: string): Exclude<ReturnType<typeof compileRegex>, string> =>
    compileRegex(pattern) as Exclude<ReturnType<typeof compileRegex>, string>;
  const never = (): void => undefined;

  test.each([
    ['a+b', 'xaab', 'aab'],
    ['😀+', 'x😀😀', '😀😀'],
    ['needle', 'hay needle', 'needle'],
    ['^$', '', ''],
  ])('A text that is watched is matched like any: %s', (pattern, text, found) => {
    const re = compiled(pattern);
    const matcher = re.matcher(watchedText(text, re, never));
    expect(matcher.find()).toBe(true);
    expect(matcher.group()).toBe(found);
    expect(re.test(watchedText('zzz', re, never))).toBe(false);
  });

  test('A text that is watched has no prototype of texts, which would slow all texts of the process down', () => {
    expect(watchedText('a', compiled('a'), never)).not.toBeInstanceOf(String);
  });

  test('A text that is watched ends a match when the look throws', () => {
    const re = compiled('([ab]{0,900}[^ab]?)*[0-9]');
    const over = new Error('over');
    expect(() =>
      re.test(
        watchedText('ab'.repeat(10_000), re, () => {
          throw over;
        }),
      ),
    ).toThrow(over);
  });
});
