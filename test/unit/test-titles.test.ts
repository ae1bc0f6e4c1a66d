import { Linter } from 'eslint';
import { describe, expect, test } from 'vitest';
import titles, { problemOf } from '../../hack/lib/test-titles.mjs';

const linter = new Linter();
const config = { plugins: { titles }, rules: { 'titles/sentence': 'error' as const } };

describe('titles of tests', () => {
  test.each([
    { title: 'A watch that stops answering ends', problem: undefined },
    { title: 'etcd that is away is waited for', problem: undefined },
    { title: 'createControlPlane takes flags', problem: undefined },
    { title: '--profiling is refused', problem: undefined },
    { title: '$name is answered with 410', problem: undefined },
    { title: '%s is a number', problem: undefined },
    { title: 'a watch ends', problem: 'noCapital' },
    { title: 'is refused', problem: 'noSubject' },
    { title: 'Is refused', problem: 'noSubject' },
    { title: 'that stops answering makes calls time out', problem: 'noSubject' },
    { title: 'and what it says is kept', problem: 'noSubject' },
    { title: '$name', problem: 'onlyRow' },
    { title: '%s', problem: 'onlyRow' },
  ])('The title "$title" has the problem $problem', ({ title, problem }) => expect(problemOf(title)).toBe(problem));

  test.each([
    { name: 'test', code: "test('is refused', f)" },
    { name: 'it', code: "it('is refused', f)" },
    { name: 'a table', code: "test.each([1])('is refused', f)" },
    { name: 'a table as a template', code: "it.each`a`('is refused', f)" },
    { name: 'a conditional table', code: "it.skipIf(no).each([1])('is refused', f)" },
    { name: 'a template', code: 'test(`is refused by ${x}`, f)' },
  ])('The lint rule for titles sees $name', ({ code }) =>
    expect(linter.verify(code, config).map(({ messageId }) => messageId)).toEqual(['noSubject']),
  );

  test.each([
    { name: 'a title that begins with a value', code: 'test(`${x} is refused`, f)' },
    { name: 'a title that is a variable', code: 'test(title, f)' },
    { name: 'a describe', code: "describe('a watch', f)" },
    { name: 'a method of an object of that name', code: "it.pause('judge', f)" },
    { name: 'the test of a pattern', code: "pattern.test('a', f)" },
  ])('The lint rule for titles leaves $name alone', ({ code }) => expect(linter.verify(code, config)).toEqual([]));

  test('The lint rule for titles writes the capital letter', () => {
    const { output } = linter.verifyAndFix("test('a watch ends', f)", config);
    expect(output).toBe("test('A watch ends', f)");
  });
});
