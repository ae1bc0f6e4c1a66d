/**
 * Expressions and values made to hold a server up or to fill its memory. What stops each is what is shown; none takes
 * long.
 */
import { describe, expect, test } from 'vitest';
import { dynType } from './check/types.ts';
import { environment } from './environment.ts';
import { adaptAny } from './schema/json-values.ts';

const env = environment({ variables: { object: dynType, old: dynType } });
const text = 'a'.repeat(1_000_000);
const object = {
  text,
  short: text.slice(0, 100_000),
  numbers: Array.from({ length: 50_000 }, (_, i) => i),
  durations: '1s'.repeat(500_000),
  url: `https://a/?${'a=b&'.repeat(100_000)}`,
  wide: Array.from({ length: 300 }, (_, i) => `${'ä一'.repeat(1500)}${i}`),
  alike: Array.from({ length: 900 }, (_, i) => ({
    list: [...Array.from({ length: 300 }, (__, j) => `v${j}`), `z${i}`],
  })),
};
const old = JSON.parse(JSON.stringify(object)) as unknown;

const overBudget = 'operation cancelled: actual cost limit exceeded';
const tooLong = 'operation interrupted';

function run(expression: string): string {
  const compiled = env.compile(expression);
  if ('failure' in compiled) return compiled.failure;
  const outcome = compiled.evaluate({ object: adaptAny(object), old: adaptAny(old) });
  return 'error' in outcome ? outcome.error : String(outcome.value);
}

describe('work that the budget ends, or the clock on a slow machine', () => {
  test.each([
    ['loops in loops', 'object.numbers.all(x, object.numbers.all(y, x <= y || x > y))'],
    ['errors that are dropped', 'object.numbers.exists(x, object.numbers.exists(y, 1 / 0 > x || x.z == 1))'],
    ['lists of lists', 'object.numbers.map(x, object.numbers.map(y, x + y)).size() > 0'],
    ['a list for each with each', 'sets.contains(object.numbers, old.numbers)'],
    ['a text that doubles', `["abcdefgh"]${'.map(a, a + a)'.repeat(40)}.size() > 0`],
    ['a text that doubles by a format', `["abcdefgh"]${'.map(a, "%s%s".format([a, a]))'.repeat(40)}.size() > 0`],
    ['a pattern with counts', 'object.text.matches("(a{1,100}){1,10}(a{1,100}){1,10}(a{1,100}){1,10}b")'],
    ['a long text, again and again', 'object.numbers.all(x, object.text.lowerAscii() != "")'],
    ['maps of lists', 'object.numbers.transformMap(i, v, object.numbers.transformList(j, w, w)).size() > 0'],
    [
      'a list that doubles and is looked through',
      `[object.numbers]${'.map(a, a + a)'.repeat(12)}.all(l, l.isSorted())`,
    ],
  ])('CEL work that the budget ends, or the clock on a slow machine: %s', (_, expression) =>
    expect([overBudget, tooLong]).toContain(run(expression)),
  );
});

describe('work that the units of cost do not show', () => {
  test.each([
    ['objects compared in depth', 'object.numbers.all(x, object == old)'],
    [
      'objects compared in depth, without a loop',
      Array.from({ length: 2000 }, () => 'object.alike == old.alike').join(' && '),
    ],
    ['lengths of texts that are counted', 'object.wide.all(a, object.wide.all(b, object.wide.all(c, size(b) > 0)))'],
    [
      'a query of one key, again and again',
      'url(object.url).getQuery().size() + url(object.url).getQuery().size() > 0',
    ],
    ['values that are written out', '"%s".format([object.alike]).size() > 0'],
    ['matches of nearly nothing', 'object.text.findAll("a").size() + object.text.findAll("a").size() > 0'],
  ])('CEL work that the units of cost do not show: %s', (_, expression) =>
    expect([tooLong, overBudget]).toContain(run(expression)),
  );
});

describe('long texts in one call', () => {
  const half = 'a'.repeat(30_000);
  const texts = {
    text: 'a'.repeat(150_000),
    after: `b${half}`,
    before: `${half}b`,
    wide: '😀'.repeat(60_000),
    percents: '%%'.repeat(500_000),
    names: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i])),
    rounds: Array.from({ length: 1000 }, (_, i) => i),
  };
  const evaluate = (expression: string): string => {
    const compiled = env.compile(expression);
    if ('failure' in compiled) return compiled.failure;
    const outcome = compiled.evaluate({ object: adaptAny(texts) });
    return 'error' in outcome ? outcome.error : String(outcome.value);
  };

  test.each([
    ['a part that begins alike, from the end', 'object.text.lastIndexOf(object.before)', '-1'],
    ['a part that ends alike', 'object.text.indexOf(object.after)', '-1'],
    ['a separator that begins alike', 'object.text.split(object.before).size()', '1'],
    [
      'characters beyond the basic plane',
      'object.wide.substring(59999).size() + object.wide.lastIndexOf("😀")',
      '60000',
    ],
    ['the length of a wide text, late in a loop', 'object.rounds.all(x, x < 70 || object.wide.size() > 0)', tooLong],
    ['the number of names, late in a loop', 'object.rounds.all(x, x < 400 || object.names.size() > 0)', tooLong],
    ['clauses of a format', 'object.percents.format([]).size() > 0', tooLong],
    [
      'the same text in many clauses',
      `"${'%s'.repeat(200)}".format([${Array.from({ length: 200 }, () => 'object.text').join(', ')}])`,
      'result is longer than 16777216 characters',
    ],
    [
      'the same text in a list',
      '"%s".format([object.rounds.map(x, object.text)])',
      'result is longer than 16777216 characters',
    ],
    ['a pattern with a state for each of many beginnings', 'object.text.matches("([ab]{0,900}[^ab]?)*[0-9]")', tooLong],
    ['matches that each look to the end', 'object.text.findAll("a*b|a").size() > 0', tooLong],
    [
      'a pattern with more parts than are compiled',
      '"a".matches("(a{1,99}b){1,99}" + object.after.substring(0, 1))',
      'error parsing regexp: expression too large',
    ],
    ['the same pattern as a constant', '"a".matches("(a{1,99}b){1,99}")', 'invalid matches argument'],
  ])('CEL functions on long texts in one call: %s', (_, expression, end) =>
    expect(evaluate(expression)).toContain(end),
  );
});

describe('results that would not fit', () => {
  test.each([
    [
      'replacing each character by a long text',
      'object.text.replace("a", object.text) == ""',
      'result is longer than 16777216 characters',
    ],
    [
      'a list that doubles',
      `[object.numbers]${'.map(a, a + a)'.repeat(60)}.all(l, l.all(x, true))`,
      'list is too long',
    ],
    [
      'a duration of many parts',
      'duration(object.durations) > duration("1s")',
      "type conversion error from 'string' to 'duration'",
    ],
    ['a number of many digits', 'int(object.text) == 1', "type conversion error from 'string' to 'int'"],
    ['a long pattern', 'object.text.matches(object.text)', overBudget],
    [
      'a number with many digits behind the point',
      '"%.9999f".format([0.1]) == ""',
      'could not parse formatting clause: precision too large',
    ],
  ])('CEL results that would not fit: %s', (_, expression, message) => expect(run(expression)).toContain(message));
});

describe('patterns that are slow elsewhere', () => {
  test.each([
    ['nested repetition', 'object.short.matches("(a+)+$")', 'true'],
    ['alternatives that overlap', 'object.short.matches("^(a|aa)*b$")', 'false'],
    ['many wildcards', 'object.short.matches(".*b.*c.*d")', 'false'],
  ])('CEL patterns that are slow elsewhere: %s', (_, expression, value) => expect(run(expression)).toBe(value));
});

describe('expressions that are large', () => {
  const limit = 'expression recursion limit exceeded: 250';

  test.each([
    ['parentheses', '('.repeat(50_000), limit],
    ['lists', '['.repeat(50_000), limit],
    ['a chain of sums', Array.from({ length: 40_000 }, () => '1').join('+'), limit],
    ['a chain of fields', `object${'.a'.repeat(40_000)}`, limit],
    ['conditions in conditions', `${'true ? 1 : '.repeat(8000)}1`, limit],
    [
      'more than is read',
      Array.from({ length: 60_000 }, () => 'a').join('||'),
      'expression code point size exceeds limit: size: 179998, limit 100000',
    ],
    [
      'many unknown names',
      Array.from({ length: 4900 }, (_, i) => `x${i}`).join('||'),
      '4800 more errors were truncated',
    ],
    ['types that double', `[1]${'.map(a, {a: a})'.repeat(60)}.size() > 0`, 'type is too complex'],
    [
      'more operands than are read',
      `[${Array.from({ length: 5001 }, () => '1').join(',')}]`,
      'expression operand limit exceeded: 5000',
    ],
    [
      'types that are compared again and again',
      `[1]${'.map(a, {a: a})'.repeat(8)}.map(a, ` +
        `[1]${'.map(b, {b: b})'.repeat(8)}.all(b, ${Array.from({ length: 2400 }, () => 'a==b').join('&&')}))`,
      'type is too complex',
    ],
    [
      'patterns that take long altogether',
      Array.from({ length: 900 }, (_, i) => `"a".matches("(a${i}{1,99}b){1,9}")`).join('||'),
      'the patterns of the expression take too long to compile',
    ],
    ['a text without an end', '"'.repeat(99_999), 'expecting <EOF>'],
  ])('Expressions with %s are refused', (_, expression, message) => expect(run(expression)).toContain(message));

  test.each([
    ['many patterns', Array.from({ length: 1600 }, (_, i) => `"a".matches("a${i}{1,9}b")`).join('||'), 'false'],
    ['signs', `${'!'.repeat(90_000)}true`, 'true'],
    ['a chain of conditions', Array.from({ length: 1500 }, () => '[] == []').join(' && '), 'true'],
    ['a list of lists of anything', `[${Array.from({ length: 4900 }, () => '[]').join(',')}].size() == 4900`, 'true'],
    ['a list of maps of anything', `[${Array.from({ length: 4900 }, () => '{}').join(',')}].size() == 4900`, 'true'],
    [
      'a list of lists in lists',
      `[${Array.from({ length: 40 }, () => `${'['.repeat(120)}${']'.repeat(120)}`).join(',')}].size() == 40`,
      'true',
    ],
    ['a chain of optionals', `optional.of(1)${'.optMap(a, a + 1)'.repeat(60)}.value() == 61`, 'true'],
  ])('Expressions with %s are evaluated', (_, expression, value) => expect(run(expression)).toBe(value));
});
