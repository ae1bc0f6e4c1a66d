import { describe, expect, test } from 'vitest';
import { compileRules, oldSelfOf } from './rules.ts';
import { type OpenApiSchema, schemaType } from './schema-type.ts';

const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({ type: 'object', properties });
const cronTab = object({
  minReplicas: { type: 'integer' },
  maxReplicas: { type: 'integer' },
  name: { type: 'string', maxLength: 10 },
  'with-dash': { type: 'string' },
  namespace: { type: 'string' },
  port: { 'x-kubernetes-int-or-string': true },
  ratio: { type: 'number' },
  secret: { type: 'string', format: 'byte' },
  since: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  wait: { type: 'string', format: 'duration' },
  nullable: { type: 'string', nullable: true },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ports: {
    type: 'array',
    items: object({ name: { type: 'string' }, 'port-number': { type: 'integer' } }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
});

const sample = {
  minReplicas: 1,
  maxReplicas: 9007199254740993n,
  name: 'web',
  'with-dash': 'd',
  namespace: 'n',
  port: '80',
  ratio: 2,
  secret: 'aGk=',
  since: '2024-05-01T10:00:00.5Z',
  day: '2024-05-01',
  wait: '90s',
  nullable: null,
  labels: { a: '1', constructor: 'x' },
  set: ['a', 'b'],
  ports: [
    { name: 'http', 'port-number': 80 },
    { name: 'dns', 'port-number': 53 },
  ],
  unknown: 1,
};

function evaluate(rule: string, self: unknown = sample, oldSelf?: unknown): unknown {
  const optionalOldSelf = oldSelf === undefined;
  const [compiled] = compileRules({ ...cronTab, 'x-kubernetes-validations': [{ rule, optionalOldSelf }] }, false)!;
  if (compiled!.rule.program === undefined) return compiled!.rule.problem;
  const { adapt } = schemaType(cronTab)!;
  const outcome = compiled!.rule.program.evaluate({
    self: adapt(self),
    oldSelf: optionalOldSelf ? oldSelfOf(undefined) : adapt(oldSelf),
  });
  return 'error' in outcome ? outcome.error : outcome.value;
}

describe('values of a schema, read in place', () => {
  test.each([
    ['integers', 'self.minReplicas <= self.maxReplicas'],
    [
      'integers beyond what a double holds',
      'self.maxReplicas == 9007199254740993 && self.maxReplicas + 1 == 9007199254740994',
    ],
    [
      'numbers are doubles also without a fraction',
      'self.ratio == 2.0 && type(self.ratio) == double && self.ratio / 4.0 == 0.5',
    ],
    ['names with dashes are escaped', 'self.with__dash__dash == "d"'],
    ['names that are reserved are escaped', 'self.__namespace__ == "n"'],
    ['int or string is what it is', 'type(self.port) == string && self.port == "80"'],
    ['bytes by their format', 'self.secret == b"hi"'],
    [
      'times by their format',
      'self.since == timestamp("2024-05-01T10:00:00.5Z") && self.day < self.since && self.since.getHours() == 10',
    ],
    ['durations by their format', 'self.wait == duration("1m30s")'],
    ['null where the schema allows it', 'has(self.nullable) && type(self.nullable) == null_type'],
    ['absent properties', '!has(self.free)'],
    [
      'names of Object.prototype are ordinary keys',
      '"constructor" in self.labels && !("toString" in self.labels) && self.labels.constructor == "x"',
    ],
    ['all values of a map', 'self.labels.all(k, size(self.labels[k]) == 1)'],
    ['sets are equal in any order', 'self.set == ["b", "a"]'],
    ['adding to a set keeps each element once', '(self.set + ["b", "c"]) == ["a", "b", "c"]'],
    [
      'lists of objects',
      'self.ports.exists(p, p.port__dash__number == 53) && self.ports.map(p, p.name) == ["http", "dns"]',
    ],
    ['no old value', '!oldSelf.hasValue()'],
    ['a value that is an optional', 'oldSelf.orValue(self).name == "web"'],
  ])('Values of a CEL schema, read in place: %s', (_, rule) => expect(evaluate(rule)).toBe(true));

  test('A list map is equal in any order of its elements', () => {
    const turned = { ...sample, ports: [...sample.ports].reverse() };
    expect(evaluate('self.ports == oldSelf.ports', sample, turned)).toBe(true);
    expect(evaluate('self.ports == oldSelf.ports', sample, { ...sample, ports: [sample.ports[0]] })).toBe(false);
  });

  test('A long list map is equal in any order as well', () => {
    const ports = Array.from({ length: 1500 }, (_, i) => ({ name: `p${i}`, 'port-number': i }));
    expect(
      evaluate('self.ports == oldSelf.ports', { ...sample, ports }, { ...sample, ports: [...ports].reverse() }),
    ).toBe(true);
    expect(
      evaluate(
        'self.ports == oldSelf.ports',
        { ...sample, ports },
        { ...sample, ports: [...ports.slice(1), { name: 'p0', 'port-number': 1 }] },
      ),
    ).toBe(false);
  });

  test('An absent property is an error that says so', () => {
    expect(evaluate('self.name == "x"', {})).toBe('no such key: name');
    expect(evaluate('self.name == "x" || true', {})).toBe(true);
  });
});

describe('rules that do not compile', () => {
  test.each([
    [
      'unknown properties',
      'self.unknown == 1',
      "compilation failed: ERROR: <input>:1:5: undefined field 'unknown'\n | self.unknown == 1\n | ....^",
    ],
    [
      'properties that the schema preserves',
      'self.free.x == 1',
      "compilation failed: ERROR: <input>:1:10: undefined field 'x'\n | self.free.x == 1\n | .........^",
    ],
    [
      'types that do not fit',
      'self.minReplicas == "1"',
      "compilation failed: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, " +
        'string)\'\n | self.minReplicas == "1"\n | .................^',
    ],
    ['no boolean', 'self.minReplicas', 'cel expression must evaluate to a bool'],
    ['a type that shows only when it runs', 'self.port', 'cel expression must evaluate to a bool'],
    ['nothing', '  ', 'rule is not specified'],
    [
      'a pattern that is none',
      'self.name.matches("(")',
      'compilation failed: ERROR: <input>:1:19: invalid matches argument\n | self.name.matches("(")\n | ' +
        '..................^',
    ],
  ])('CEL rules that do not compile: %s', (_, rule, problem) => expect(evaluate(rule)).toBe(problem));

  test('The message has to be a string', () => {
    const [rule] = compileRules(
      { ...cronTab, 'x-kubernetes-validations': [{ rule: 'true', messageExpression: 'self.minReplicas' }] },
      false,
    )!;
    expect(rule!.messageExpression!.problem).toBe('messageExpression must evaluate to a string');
  });
});

describe('estimated cost', () => {
  const costOf = (schema: OpenApiSchema, rule: string): number =>
    compileRules({ ...schema, 'x-kubernetes-validations': [{ rule }] }, false)![0]!.maxCost;
  const text: OpenApiSchema = { type: 'string', maxLength: 10 };
  const list = (maxItems?: number): OpenApiSchema => ({
    type: 'array',
    items: text,
    ...(maxItems === undefined ? {} : { maxItems }),
  });

  test.each([
    ['a comparison of integers', object({ a: { type: 'integer' } }), 'self.a <= 5', 3],
    ['texts cost by their length in bytes', object({ a: text }), 'self.a == oldSelf.a', 8],
    ['a constant is short', object({ a: { type: 'string' } }), 'self.a == "abcdefghijk"', 4],
    ['a loop', list(5), 'self.all(x, x.startsWith("a"))', 1 + 5 * (2 + 1 + 2) + 1],
    ['loops in loops', list(5), 'self.all(x, self.all(y, x == y))', 1 + 5 * (3 + 1 + 5 * (3 + 2 + 4) + 1) + 1],
  ])('Estimated cost of a CEL rule: %s', (_, schema, rule, cost) => expect(costOf(schema, rule)).toBe(cost));

  test('A list without a limit is as long as a request', () => {
    expect(costOf(list(), 'self.all(x, true)')).toBeGreaterThan(1_000_000);
  });
});
