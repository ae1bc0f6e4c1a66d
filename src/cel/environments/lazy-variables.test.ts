import { describe, expect, test } from 'vitest';
import type { CelType } from '../check/types.ts';
import type { Failure, Program } from '../environment.ts';
import { AuthorizerValue } from '../library/authorizer.ts';
import { adaptAny } from '../schema/json-values.ts';
import { MapValue, type Value } from '../values/values.ts';
import { admissionEnvironment } from './admission.ts';
import { LazyVariables } from './lazy-variables.ts';

/** Counts how often a member is read. */
class Counted extends MapValue {
  reads = 0;
  override readonly size = 1;

  override get(): Value {
    this.reads++;
    return 'read';
  }

  override keys(): readonly Value[] {
    return ['member'];
  }
}

function compiled(variables: Readonly<Record<string, string>>) {
  const types = new Map<string, CelType>();
  const programs = new Map<string, Program | Failure>();
  const environment = admissionEnvironment({ authorizer: true, variables: types });
  for (const [name, expression] of Object.entries(variables)) {
    const program = environment.compile(expression);
    programs.set(name, program);
    if (!('failure' in program)) types.set(name, program.type);
  }
  return { programs, compile: (expression: string) => environment.compile(expression) as Program };
}

function run(variables: Readonly<Record<string, string>>, expression: string, object: Value = adaptAny({ n: 2 })) {
  const { programs, compile } = compiled(variables);
  const bindings = { object, oldObject: null };
  const lazy = new LazyVariables(programs, bindings);
  return { outcome: compile(expression).evaluate({ ...bindings, variables: lazy }), lazy };
}

describe('variables of a policy', () => {
  test('A variable may use the ones before it', () =>
    expect(run({ a: 'object.n', b: 'variables.a * 2' }, 'variables.b + variables.a').outcome).toMatchObject({
      value: 6,
    }));

  test('A variable is evaluated once, when it is first asked for', () => {
    const object = new Counted();
    run({ a: 'object.member' }, 'true', object);
    expect(object.reads).toBe(0);
    run({ a: 'object.member' }, "variables.a + variables.a + variables.a == 'x'", object);
    expect(object.reads).toBe(1);
  });

  test('What a variable costs is told once', () => {
    const { lazy } = run({ a: 'object.n' }, 'variables.a == variables.a');
    expect(lazy.takeCost()).toBe(2);
    expect(lazy.takeCost()).toBe(0);
  });

  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    ['fails', { a: 'object.none' }, 'variables.a == 1', 'composited variable "a" fails to evaluate: no such key: none'],
    [
      'uses one that fails',
      { a: 'object.none', b: 'variables.a' },
      'variables.b == 1',
      'composited variable "b" fails to evaluate: composited variable "a" fails to evaluate: no such key: none',
    ],
  ])('A variable that %s fails the expression', (_, variables, expression, error) =>
    expect(run(variables, expression).outcome).toMatchObject({ error }),
  );

  test('A variable that costs too much fails like any other', () => {
    const check = "authorizer.path('/').check('get').allowed()";
    const { programs, compile } = compiled({ a: `${check} && ${check} && ${check}` });
    const bindings = { authorizer: new AuthorizerValue(() => ({ allowed: true, reason: '' })) };
    const variables = new LazyVariables(programs, bindings);
    expect(compile('variables.a').evaluate({ ...bindings, variables })).toMatchObject({
      error: 'composited variable "a" fails to evaluate: operation cancelled: actual cost limit exceeded',
    });
  });
});
