import { describe, expect, test } from 'vitest';
import { compileRules } from './schema/rules.ts';
import { type OpenApiSchema, schemaType } from './schema/schema-type.ts';
import { S, list, object } from './testing/documented.ts';

const I: OpenApiSchema = { type: 'integer' };

const map = (values: OpenApiSchema): OpenApiSchema => ({ type: 'object', additionalProperties: values });

function evaluateRule(schema: OpenApiSchema, rule: string, self: unknown, oldSelf: unknown, isRoot: boolean): unknown {
  const [compiled] = compileRules({ ...schema, 'x-kubernetes-validations': [{ rule }] }, isRoot)!;
  if (compiled!.rule.program === undefined) return compiled!.rule.problem;
  const { adapt } = schemaType(schema, isRoot)!;
  const outcome = compiled!.rule.program.evaluate({ self: adapt(self), oldSelf: adapt(oldSelf) });
  return 'error' in outcome ? outcome.error : outcome.value;
}

const details = object({ names: list(S), details: map(S) });

const sets = { 'x-kubernetes-list-type': 'set' } as const;

describe('CustomResourceDefinitions: validation rules', () => {
  test.each<[rule: string, schema: OpenApiSchema, holds: unknown, fails: unknown]>([
    [
      'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
      object({ minReplicas: I, replicas: I, maxReplicas: I }),
      { minReplicas: 1, replicas: 2, maxReplicas: 3 },
      { minReplicas: 3, replicas: 2, maxReplicas: 3 },
    ],
    [
      "'Available' in self.stateCounts",
      object({ stateCounts: map(I) }),
      { stateCounts: { Available: 1 } },
      { stateCounts: {} },
    ],
    [
      '(size(self.list1) == 0) != (size(self.list2) == 0)',
      object({ list1: list(S), list2: list(S) }),
      { list1: [], list2: ['a'] },
      { list1: [], list2: [] },
    ],
    [
      "!('MY_KEY' in self.map1) || self.map1['MY_KEY'].matches('^[a-zA-Z]*$')",
      object({ map1: map(S) }),
      { map1: { MY_KEY: 'abc' } },
      { map1: { MY_KEY: '1' } },
    ],
    [
      "self.envars.filter(e, e.name == 'MY_ENV').all(e, e.value.matches('^[a-zA-Z]*$'))",
      object({ envars: list(object({ name: S, value: S })) }),
      {
        envars: [
          { name: 'MY_ENV', value: 'a' },
          { name: 'B', value: '1' },
        ],
      },
      { envars: [{ name: 'MY_ENV', value: '1' }] },
    ],
    [
      'has(self.expired) && self.created + self.ttl < self.expired',
      object({
        expired: { type: 'string', format: 'date-time' },
        created: { type: 'string', format: 'date-time' },
        ttl: { type: 'string', format: 'duration' },
      }),
      { created: '2024-01-01T00:00:00Z', ttl: '1h', expired: '2024-01-01T02:00:00Z' },
      { created: '2024-01-01T00:00:00Z', ttl: '3h', expired: '2024-01-01T02:00:00Z' },
    ],
    ["self.health.startsWith('ok')", object({ health: S }), { health: 'ok, fine' }, { health: 'not ok' }],
    [
      "self.widgets.exists(w, w.key == 'x' && w.foo < 10)",
      object({ widgets: list(object({ key: S, foo: I })) }),
      { widgets: [{ key: 'x', foo: 9 }] },
      { widgets: [{ key: 'x', foo: 10 }] },
    ],
    ["type(self) == string ? self == '100%' : self == 1000", { 'x-kubernetes-int-or-string': true }, '100%', 999],
    [
      'self.set1.all(e, !(e in self.set2))',
      object({ set1: list(S, sets), set2: list(S, sets) }),
      { set1: ['a'], set2: ['b'] },
      { set1: ['a', 'b'], set2: ['b'] },
    ],
    [
      'size(self.names) == size(self.details) && self.names.all(n, n in self.details)',
      details,
      { names: ['a'], details: { a: '' } },
      { names: ['a'], details: { b: '' } },
    ],
    ["self.details.all(key, key.matches('^[a-zA-Z]*$'))", details, { details: { a: '' } }, { details: { 1: '' } }],
    [
      "self.details.all(key, self.details[key].matches('^[a-zA-Z]*$'))",
      details,
      { details: { a: 'b' } },
      { details: { a: '2' } },
    ],
    [
      'size(self.clusters.filter(c, c.name == self.primary)) == 1',
      object({ primary: S, clusters: list(object({ name: S })) }),
      { primary: 'a', clusters: [{ name: 'a' }] },
      { primary: 'a', clusters: [{ name: 'a' }, { name: 'a' }] },
    ],
    ['self.__namespace__ > 0', object({ namespace: I }), { namespace: 1 }, { namespace: 0 }],
    ['self.x__dash__prop > 0', object({ 'x-prop': I }), { 'x-prop': 1 }, { 'x-prop': 0 }],
    ['self.redact__underscores__d > 0', object({ redact__d: I }), { redact__d: 1 }, { redact__d: 0 }],
    ["self.startsWith('kube')", S, 'kube-system', 'default'],
    [
      'self.status.actual <= self.spec.maxDesired',
      object({ status: object({ actual: I }), spec: object({ maxDesired: I }) }),
      { status: { actual: 1 }, spec: { maxDesired: 1 } },
      { status: { actual: 2 }, spec: { maxDesired: 1 } },
    ],
    [
      'self.status.availableReplicas >= self.spec.minReplicas',
      object({ status: object({ availableReplicas: I }), spec: object({ minReplicas: I }) }),
      { status: { availableReplicas: 1 }, spec: { minReplicas: 1 } },
      { status: { availableReplicas: 0 }, spec: { minReplicas: 1 } },
    ],
    [
      "self.components['Widget'].priority < 10",
      object({ components: map(object({ priority: I })) }),
      { components: { Widget: { priority: 9 } } },
      { components: { Widget: { priority: 10 } } },
    ],
    [
      'self.values.all(value, value >= 0 && value < 100)',
      object({ values: list(I) }),
      { values: [0, 99] },
      { values: [0, 100] },
    ],
    ['has(self.foo)', object({ foo: I }), { foo: 0 }, {}],
    ["self['xyz'].foo > 0", map(object({ foo: I })), { xyz: { foo: 1 } }, { xyz: { foo: 0 } }],
    ['size(self) == 1', list(S), ['a'], []],
    ['self > 0', I, 1, 0],
    [
      '(self.list1.size() == 0) != (self.list2.size() == 0)',
      object({ list1: list(S), list2: list(S) }),
      { list1: [], list2: ['a'] },
      { list1: ['b'], list2: ['a'] },
    ],
    [
      'self.names.size() == self.details.size() && self.names.all(n, n in self.details)',
      details,
      { names: ['a'], details: { a: '' } },
      { names: ['a'], details: {} },
    ],
    ["type(self) == string ? self == '99%' : self == 42", { 'x-kubernetes-int-or-string': true }, 42, '42%'],
    [
      "self.intOrString < 100 || self.intOrString == '50%'",
      object({ intOrString: { 'x-kubernetes-int-or-string': true } }),
      { intOrString: '50%' },
      { intOrString: 100 },
    ],
    ['self.names.isSorted()', object({ names: list(S) }), { names: ['a', 'b'] }, { names: ['b', 'a'] }],
    [
      'self.items.map(x, x.weight).sum() == 1.0',
      object({ items: list(object({ weight: { type: 'number' } })) }),
      { items: [{ weight: 0.25 }, { weight: 0.75 }] },
      { items: [{ weight: 0.5 }] },
    ],
    [
      'self.lowPriorities.map(x, x.priority).max() < self.highPriorities.map(x, x.priority).min()',
      object({ lowPriorities: list(object({ priority: I })), highPriorities: list(object({ priority: I })) }),
      { lowPriorities: [{ priority: 1 }], highPriorities: [{ priority: 2 }] },
      { lowPriorities: [{ priority: 2 }], highPriorities: [{ priority: 2 }] },
    ],
    [
      "self.names.indexOf('should-be-first') == 1",
      object({ names: list(S) }),
      { names: ['a', 'should-be-first'] },
      { names: ['should-be-first'] },
    ],
    ['self.foo == self.bar && self.bar > 1', object({ foo: I, bar: I }), { foo: 2, bar: 2 }, { foo: 2, bar: 1 }],
  ])('CustomResourceDefinitions: validation rules: %s', (rule, schema, holds, fails) => {
    expect(evaluateRule(schema, rule, holds, holds, false)).toBe(true);
    expect(evaluateRule(schema, rule, fails, fails, false)).toBe(false);
  });

  test.each([
    ['self.metadata.name.startsWith(self.prefix)', { metadata: { name: 'web-1' }, prefix: 'web' }, true],
    ["self.metadata.name == 'singleton'", { metadata: { name: 'other' }, prefix: '' }, false],
    ["self.kind == 'Foo' && self.apiVersion == 'example.com/v1'", { apiVersion: 'example.com/v1', kind: 'Foo' }, true],
  ])('CustomResourceDefinitions: validation rules at the root: %s', (rule, self, value) =>
    expect(evaluateRule(object({ prefix: S }), rule, self, self, true)).toBe(value),
  );

  test.each([
    ['self == oldSelf', 'a', 'a', true],
    ['self == oldSelf', 'a', 'b', false],
    ["oldSelf != 'a' || self in ['a', 'b']", 'c', 'a', false],
  ])('A transition rule: %s', (rule, self, old, value) => expect(evaluateRule(S, rule, self, old, false)).toBe(value));
});
