/**
 * How long the dearest expressions hold a server before they end: with an answer, or because they used up what they
 * may.
 */
import { bench, describe } from 'vitest';
import { dynType } from './check/types.ts';
import { environment, type Program } from './environment.ts';
import { adaptAny } from './schema/json-values.ts';

const env = environment({ variables: { object: dynType, old: dynType } });
const json = {
  text: 'a'.repeat(1_000_000),
  numbers: Array.from({ length: 100_000 }, (_, i) => i),
  map: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])),
  lists: Array.from({ length: 1000 }, (_, i) => Array.from({ length: 100 }, (__, j) => ({ a: i, b: [j] }))),
  query: `https://a/?${'a=b&'.repeat(100_000)}`,
  patterns: Array.from({ length: 3000 }, (_, i) => `(a${i}{1,99}b){1,9}`),
};
const object = adaptAny(json);
const old = adaptAny(JSON.parse(JSON.stringify(json)));

describe('evaluation', () => {
  for (const expression of [
    'object == old',
    'object.lists.all(l, object.lists == old.lists)',
    'object.numbers.all(x, object.numbers.all(y, x <= y || x > y))',
    'object.map.all(k, object.map[k] >= 0)',
    'object.text.matches("(a+)+$")',
    'object.text.findAll("a").size() > 0',
    'object.patterns.all(p, "ab".matches(p) || true)',
    'url(object.query).getQuery().size() > 0',
    '"%s".format([object.lists]) == ""',
    'object.numbers.transformMap(i, v, v).size() > 0',
  ]) {
    const program = env.compile(expression) as Program;
    bench(expression, () => void program.evaluate({ object, old }), { iterations: 5 });
  }
});

describe('compilation', () => {
  const repeated = (count: number, part: string, separator: string): string =>
    Array.from({ length: count }, () => part).join(separator);
  for (const [name, text] of [
    ['a chain of conditions', repeated(2400, '[] == []', ' && ')],
    ['a chain of sums', repeated(1600, 'object + 1 == 2', ' && ')],
    ['macros', repeated(800, '[1].all(x, x > 1)', ' && ')],
    ['a list of lists', `[${repeated(4900, '[]', ',')}]`],
    ['unknown names', repeated(4900, 'x', '||')],
  ] as const)
    bench(name, () => void env.compile(text), { iterations: 5 });
});
