/** What of an object an expression looks at: nothing is copied, and what it does not ask for is not touched. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { dynType } from '../check/types.ts';
import { environment, type Program } from '../environment.ts';
import { adaptAny } from './json-values.ts';
import { compileRules } from './rules.ts';
import { type OpenApiSchema, schemaType } from './schema-type.ts';

/** The same JSON; notes the path of every member that is looked at, and `path.*` where its names are listed. */
function watched<T>(json: T, looks: Set<string>, path = ''): T {
  if (typeof json !== 'object' || json === null) return json;
  const at = (name: string | symbol): string => (path === '' ? String(name) : `${path}.${String(name)}`);
  const note = (name: string | symbol): void => {
    if (name !== 'length') looks.add(at(name));
  };
  return new Proxy(json, {
    get(target, name) {
      note(name);
      return watched(Reflect.get(target, name) as unknown, looks, at(name));
    },
    getOwnPropertyDescriptor(target, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      note('*');
      return Reflect.ownKeys(target);
    },
  });
}

const text: OpenApiSchema = { type: 'string' };
const item: OpenApiSchema = {
  type: 'object',
  properties: { name: text, value: text, deep: { type: 'object', properties: { a: text } } },
};
const schema: OpenApiSchema = {
  type: 'object',
  properties: {
    small: text,
    big: { type: 'object', properties: { deep: { type: 'object', properties: { a: text } }, other: text } },
    'with-dash/slash': text,
    namespace: text,
    port: { 'x-kubernetes-int-or-string': true },
    date: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    bytes: { type: 'string', format: 'byte' },
    memory: text,
    list: { type: 'array', items: item },
    texts: { type: 'array', items: text },
    byName: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    map: { type: 'object', additionalProperties: item },
    nullable: { type: 'object', nullable: true, properties: { a: text, b: text } },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  },
};
const items = ['x', 'y', 'z'].map((name) => ({ name, value: 'v', deep: { a: name } }));
const json = {
  small: 's',
  big: { deep: { a: 'a' }, other: 'o' },
  'with-dash/slash': 'w',
  namespace: 'n',
  port: '80',
  date: '2024-05-01',
  time: '2024-05-01T10:00:00Z',
  wait: '90s',
  bytes: 'aGk=',
  memory: '1Gi',
  list: items,
  texts: ['a', 'b', 'c'],
  byName: items,
  map: { x: items[0], y: items[1], 'a.b/c': items[2] },
  nullable: { a: 'a', b: 'b' },
  set: ['a', 'b'],
};

function looksOf(rule: string, oldSelf: unknown = json): string[] {
  const [compiled] = compileRules({ ...schema, 'x-kubernetes-validations': [{ rule }] }, false)!;
  const { adapt } = schemaType(schema)!;
  const looks = new Set<string>();
  expect(
    compiled!.rule.program?.evaluate({ self: adapt(watched(json, looks)), oldSelf: adapt(oldSelf) }) ??
      compiled!.rule.problem,
  ).toMatchObject({ value: true });
  return [...looks].sort();
}

describe('an expression with types looks only at', () => {
  test.each<[name: string, rule: string, looks: string[]]>([
    ['one field', 'self.small == "s"', ['small']],
    ['a field far below', 'self.big.deep.a == "a"', ['big', 'big.deep', 'big.deep.a']],
    ['whether there is one', 'has(self.big.deep)', ['big', 'big.deep']],
    [
      'a name that is escaped',
      'self.with__dash__dash__slash__slash == "w" && self.__namespace__ == "n"',
      ['namespace', 'with-dash/slash'],
    ],
    ['an integer or string', 'self.port == "80"', ['port']],
    ['a date, a time and a duration', 'self.date < self.time && self.wait < duration("2m")', ['date', 'time', 'wait']],
    ['bytes', 'self.bytes == b"hi"', ['bytes']],
    ['a quantity', 'quantity(self.memory).isGreaterThan(quantity("1Mi"))', ['memory']],
    ['one element', 'self.list[1].name == "y"', ['list', 'list.1', 'list.1.name']],
    ['the length of a list', 'size(self.list) == 3', ['list']],
    [
      'elements until one decides',
      'self.list.exists(i, i.name == "y")',
      ['list', 'list.0', 'list.0.name', 'list.1', 'list.1.name'],
    ],
    ['elements, not what is in them', 'self.list.map(i, i).size() == 3', ['list', 'list.0', 'list.1', 'list.2']],
    [
      'the elements that a filter asks about',
      'self.list.filter(i, i.name != "x")[0].value == "v"',
      ['list', 'list.0', 'list.0.name', 'list.1', 'list.1.name', 'list.1.value', 'list.2', 'list.2.name'],
    ],
    ['one element of two lists that are joined', '(self.texts + self.set)[4] == "b"', ['set', 'set.1', 'texts']],
    ['one value of a map', 'self.map["y"].name == "y"', ['map', 'map.y', 'map.y.name']],
    ['whether a map has a key, whatever it is like', '"a.b/c" in self.map', ['map', 'map.a.b/c']],
    [
      'the names of a map and one value',
      'self.map.exists(k, k == "y" && self.map[k].value == "v")',
      ['map', 'map.*', 'map.a.b/c', 'map.x', 'map.y', 'map.y.value'],
    ],
    ['an optional', 'self.?big.?deep.?a.orValue("") == "a"', ['big', 'big.deep', 'big.deep.a']],
    ['what may be null', 'self.nullable.a == "a"', ['nullable', 'nullable.a']],
    ['a field of now and before', 'self.small == oldSelf.small', ['small']],
  ])('A CEL expression with types looks only at %s', (_, rule, looks) => expect(looksOf(rule)).toEqual(looks));

  test('The keys of a list of objects, where it has another element than before', () => {
    const before = { ...json, byName: [{ ...items[0], name: 'other' }, ...items.slice(1)] };
    expect(looksOf('self.byName != oldSelf.byName', before)).toEqual([
      'byName',
      'byName.0',
      'byName.0.name',
      'byName.1',
      'byName.1.name',
      'byName.2',
      'byName.2.name',
    ]);
  });
});

describe('an expression without types looks only at', () => {
  const env = environment({ variables: { object: dynType } });

  test.each<[name: string, expression: string, looks: string[]]>([
    ['one field', 'object.small == "s"', ['small']],
    ['a field by its name', 'object["with-dash/slash"] == "w"', ['with-dash/slash']],
    ['whether there is one', 'has(object.big.deep)', ['big', 'big.deep']],
    ['elements until one decides', 'object.list.exists(i, i.name == "x")', ['list', 'list.0', 'list.0.name']],
    ['elements of a map', 'object.map.y.deep.a == "y"', ['map', 'map.y', 'map.y.deep', 'map.y.deep.a']],
    ['where two values differ', 'object.texts != ["a", "z", "c"]', ['texts', 'texts.0', 'texts.1']],
  ])('A CEL expression without types looks only at %s', (_, expression, looks) => {
    const seen = new Set<string>();
    expect((env.compile(expression) as Program).evaluate({ object: adaptAny(watched(json, seen)) })).toMatchObject({
      value: true,
    });
    expect([...seen].sort()).toEqual(looks);
  });
});

describe('a long text with a format', () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([['bytes'], ['date'], ['time'], ['wait']])(
    'A long text with a format that a loop asks for again and again is read as often as the clock allows: %s',
    (field) => {
      // Between two looks at the clock 20 ms have passed.
      let looks = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => ++looks * 20);
      vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
        user: looks * 20_000 - (before?.user ?? 0),
        system: 0,
      }));
      let reads = 0;
      const value = {
        texts: Array.from({ length: 1000 }, () => ''),
        get [field]() {
          reads++;
          return 'aGk='.repeat(100_000);
        },
      };
      const [compiled] = compileRules(
        {
          ...schema,
          'x-kubernetes-validations': [{ rule: `self.texts.all(t, self.${field} == self.${field} || true)` }],
        },
        false,
      )!;
      expect(compiled!.rule.program!.evaluate({ self: schemaType(schema)!.adapt(value) })).toMatchObject({
        error: 'operation interrupted',
      });
      expect(reads).toBeLessThan(20);
    },
  );
});
