import { describe, expect, test } from 'vitest';
import { pick, randomSource } from '../../test/support/random.ts';
import { readsDuring } from '../../test/support/count-reads.ts';
import { equalities, everything, matchesLabels, nothing, type Requirement, requirementsOf } from './label-selector.ts';
import { labelSelectorSteps, parseLabelSelector, selectorText } from './label-selector-text.ts';

const numbered = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(',');
const keyMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('label selectors as text', () => {
  test.each([
    { name: 'empty', text: '', canonical: '' },
    { name: 'equality', text: 'a = b', canonical: 'a=b' },
    { name: 'double equality', text: 'a==b', canonical: 'a==b' },
    { name: 'sorted by key', text: 'x!=y,a=b', canonical: 'a=b,x!=y' },
    { name: 'sets, values sorted and unique', text: 'a in (y,x,y),b notin (z)', canonical: 'a in (x,y),b notin (z)' },
    { name: 'presence and absence', text: 'a,!b', canonical: 'a,!b' },
    { name: 'comparison', text: 'a>1,b<2', canonical: 'a>1,b<2' },
    { name: 'empty value', text: 'a=', canonical: 'a=' },
    { name: 'empty set', text: 'a in ()', canonical: 'a in ()' },
    { name: 'empty members of a set', text: 'a in (,x)', canonical: 'a in (,x)' },
    { name: 'keywords as keys and values', text: 'in in (notin),notin=in', canonical: 'in in (notin),notin=in' },
    { name: 'negated key before an operator is absence of the key', text: '!a', canonical: '!a' },
  ])('A label selector as text: $name', ({ text, canonical }) =>
    expect(selectorText(parseLabelSelector(text))).toBe(canonical),
  );

  test.each([
    { name: 'no key', text: '=a', message: "found '=', expected: !, identifier, or 'end of string'" },
    {
      name: 'words',
      text: 'a b',
      message: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    },
    { name: 'three words', text: 'a=b c', message: "found 'c', expected: ',' or 'end of string'" },
    { name: 'comma at the end', text: 'a=b,', message: "found '', expected: identifier after ','" },
    { name: 'value missing', text: 'a==!', message: "unable to parse requirement: found '!', expected: identifier" },
    {
      name: 'set without parenthesis',
      text: 'a in b',
      message: "unable to parse requirement: found 'b' expected: '('",
    },
    { name: 'set not closed', text: 'a in (b', message: "unable to parse requirement: found '', expected: ',' or ')'" },
    {
      name: 'set of operators',
      text: 'a in (=)',
      message: "unable to parse requirement: found '=', expected: ',', ')' or identifier",
    },
    {
      name: 'bad key',
      text: 'a_=b',
      message: `unable to parse requirement: <nil>: Invalid value: "a_": ${keyMessage}`,
    },
    {
      name: 'bad value',
      text: 'a=b_',
      message:
        'unable to parse requirement: values[0][a]: Invalid value: "b_": a valid label must be an empty ' +
        "string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
        "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    },
    {
      name: 'no integer',
      text: 'a>b',
      message:
        "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value " +
        'must be an integer',
    },
  ])('A label selector is refused: $name', ({ text, message }) =>
    expect(() => parseLabelSelector(text)).toThrow(new RegExp(`^${message.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)),
  );
});

describe('matching', () => {
  const labels = { app: 'web', tier: 'front', n: '5' };
  test.each([
    { text: 'app=web', matches: true },
    { text: 'app=db', matches: false },
    { text: 'app in (db,web),tier', matches: true },
    { text: 'zone notin (a)', matches: true },
    { text: 'app notin (web)', matches: false },
    { text: 'app!=db,!zone', matches: true },
    { text: 'zone', matches: false },
    { text: 'n>4,n<6', matches: true },
    { text: 'n>5', matches: false },
    { text: 'app>1', matches: false },
    { text: 'toString', matches: false },
  ])('Matching by a label selector: $text', ({ text, matches }) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches);
    expect(matchesLabels(parseLabelSelector(text), new Map(Object.entries(labels)))).toBe(matches);
  });
});

describe('matching of many requirements', () => {
  const random = randomSource(5);
  const anyRequirement = (): Requirement => {
    const key = pick(random, ['a', 'b', 'c', 'd']);
    const values = Array.from({ length: 1 + Math.floor(random() * 3) }, () => String(Math.floor(random() * 4)));
    const operator = pick(random, ['=', '!=', 'in', 'notin', 'exists', '!', 'gt', 'lt'] as const);
    return {
      key,
      operator,
      values:
        operator === 'in' || operator === 'notin'
          ? values
          : operator === 'exists' || operator === '!'
            ? []
            : values.slice(0, 1),
    };
  };

  test('Matching of many requirements is that of all of them, one by one', () => {
    let matching = 0;
    for (let round = 0; round < 3000; round++) {
      // Most that are drawn contradict each other: some of them are repeated instead.
      const few = Array.from({ length: 1 + Math.floor(random() * 4) }, anyRequirement);
      const many = Array.from({ length: 20 }, (_, i) => few[i % few.length]!);
      const labels = Object.fromEntries(
        ['a', 'b', 'c'].filter(() => random() < 0.7).map((key) => [key, String(Math.floor(random() * 4))]),
      );
      const expected = few.every((requirement) => matchesLabels([requirement], labels));
      if (expected) matching++;
      expect(matchesLabels(many, labels)).toBe(expected);
      expect(matchesLabels(many, new Map(Object.entries(labels)))).toBe(expected);
    }
    expect(matching).toBeGreaterThan(100);
  });

  test.each([
    { name: 'on as many keys', text: numbered(20_000, (i) => `k${i}!=x`), matches: true },
    { name: 'on one key', text: numbered(20_000, (i) => `app!=v${i}`), matches: true },
    { name: 'with as many values', text: `app in (web,${numbered(20_000, (i) => `v${i}`)})`, matches: true },
    { name: 'that nothing can meet', text: numbered(20_000, (i) => `app=v${i}`), matches: false },
  ])('A label selector of many requirements asks for the labels of an object once: $name', ({ text, matches }) => {
    const requirements = [...parseLabelSelector(text)];
    const readsOf = (objects: number): number =>
      readsDuring(requirements, (counted) => {
        for (let i = 0; i < objects; i++) expect(matchesLabels(counted, { app: 'web' })).toBe(matches);
      });
    expect(readsOf(101) - readsOf(1)).toBeLessThan(100 * 10);
  });
});

test('A requirement that is refused names no more than its first errors', () => {
  expect(() => parseLabelSelector(`a in (${numbered(50_000, (i) => `_${i}`)})`)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{1,200000}$/s) as string }),
  );
});

test.each([
  { name: 'requirements', text: numbered(10_000, (i) => `k${i}`) },
  { name: 'values of one requirement', text: `a in (${numbered(10_000, (i) => `v${i}`)})` },
  { name: 'values and empty values of one requirement', text: `a in (x${',,x'.repeat(10_000)})` },
])('A long text is parsed in steps: many $name', ({ text }) => {
  let steps = 0;
  for (const _ of labelSelectorSteps(text)) steps++;
  expect(steps).toBeGreaterThanOrEqual(39);
});

describe('label selectors as objects (LabelSelector)', () => {
  test('A LabelSelector that is absent selects nothing', () => expect(requirementsOf(undefined)).toBe(nothing));
  test('An empty LabelSelector selects everything', () => expect(requirementsOf({})).toEqual(everything));
  test('A LabelSelector with labels and expressions is written as text', () => {
    const selector = {
      matchLabels: { b: 'c' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'z', operator: 'DoesNotExist' },
      ],
    };
    expect(selectorText(requirementsOf(selector))).toBe('a in (x,y),b=c,!z');
  });
  test('An unknown operator of a LabelSelector is refused', () =>
    expect(() => requirementsOf({ matchExpressions: [{ key: 'a', operator: 'Is' }] })).toThrow(
      '"Is" is not a valid label selector operator',
    ));
});

test.each([
  { text: 'a=1,b==2,c in (3)', equal: { a: '1', b: '2', c: '3' } },
  { text: 'a!=1,b in (1,2),c notin (3),d,!e,f>5', equal: {} },
])('What $text says of values without a choice', ({ text, equal }) => {
  expect(Object.fromEntries(equalities(parseLabelSelector(text)))).toEqual(equal);
});
