/**
 * What expressions cost in upstream's evaluator and estimator (apiserver 1.32.9, cel-go 0.22.0), measured there with
 * the variables and sizes below: the estimate is the upper end, the cost is that of one evaluation with constants
 * folded.
 */
import { describe, expect, test } from 'vitest';
import { boolType, bytesType, type CelType, intType, listType, mapType, stringType } from '../check/types.ts';
import { environment, type Program } from '../environment.ts';
import { AuthorizerValue, authorizerType } from '../library/authorizer.ts';
import { semver } from '../library/semver.ts';
import { adaptAny } from '../schema/json-values.ts';
import { upTo } from './range.ts';
import { rows } from './testing/upstream-costs.ts';

const variables: Readonly<Record<string, CelType>> = {
  i: intType,
  b: boolType,
  s: stringType,
  t: stringType,
  y: bytesType,
  l: listType(intType),
  ls: listType(stringType),
  ll: listType(listType(intType)),
  m: mapType(stringType, intType),
  ml: mapType(stringType, listType(intType)),
  authorizer: authorizerType,
};
const bindings = {
  i: 3,
  b: true,
  s: 'abcdefghijklmnopqrstuvwxyz0123456789',
  t: 'xyz',
  y: Buffer.from('abcdefghijklmnopqrstuvwxyz'),
  l: adaptAny([1, 2, 3, 4, 5, 6]),
  ls: adaptAny(['abcdefghijkl', 'b', 'cccccccccccccccccccccc']),
  ll: adaptAny([[1, 2], [3]]),
  m: adaptAny({ aaaaaaaaaaaa: 1, b: 2 }),
  ml: adaptAny({ a: [1, 2], bb: [3] }),
  authorizer: new AuthorizerValue(() => ({ allowed: true, reason: 'yes' })),
};
const sizes: Readonly<Record<string, number>> = {
  s: 500,
  t: 50,
  y: 500,
  l: 100,
  ls: 100,
  'ls.@items': 20,
  ll: 50,
  'll.@items': 10,
  m: 10,
  'm.@keys': 10,
  ml: 5,
  'ml.@keys': 10,
  'ml.@values': 10,
};
const env = environment({ variables, libraries: [semver] });

describe.each(Object.entries(rows))('%s', (_, table) => {
  test.each(table)("Upstream's cost of a CEL expression: %s", (expression, estimate, cost) => {
    const program = env.compile(expression) as Program;
    const limited = program.estimateCost((path) => {
      const size = sizes[path.join('.')];
      return size === undefined ? undefined : upTo(size);
    });
    expect({ estimate: limited, cost: program.evaluate(bindings).cost }).toEqual({ estimate: Number(estimate), cost });
  });
});

test('A check of the authorizer is paid when it is made', () => {
  const program = env.compile(
    "authorizer.group('apps').resource('deployments').check('create').allowed() && " +
      "authorizer.path('/').check('get').allowed()",
  ) as Program;
  expect(program.evaluate(bindings)).toEqual({ value: true, cost: 700_007 });
});

test('A global match is estimated as one unit, and paid as the method is', () => {
  const program = env.compile("matches(s, '[0-9]+')") as Program;
  expect({ estimate: program.estimateCost(() => undefined), cost: program.evaluate(bindings).cost }).toEqual({
    estimate: 2,
    cost: 9,
  });
});
