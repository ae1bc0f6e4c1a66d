import { describe, expect, test } from 'vitest';
import { adaptAny } from '../schema/json-values.ts';
import { ArrayList, CelError } from '../values/values.ts';
import { NotJson, toJson } from '../values/to-json.ts';
import { admissionEnvironment } from './admission.ts';
import { appliedObjectType, jsonPatchType, misplacedTypes } from './mutation.ts';

const environment = admissionEnvironment({ mutations: true });
const object = adaptAny({ metadata: { name: 'a' }, spec: { containers: [{ name: 'c' }, { name: 'd' }] } });

function evaluated(expression: string) {
  const program = environment.compile(expression);
  if ('failure' in program) throw new Error(program.failure);
  const outcome = program.evaluate({ object, oldObject: null });
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.value;
}

describe('values that expressions of mutations make', () => {
  test.each<[string, unknown]>([
    ['Object{}', {}],
    ["Object{metadata: Object.metadata{labels: {'l': 'x'}}}", { metadata: { labels: { l: 'x' } } }],
    ['Object{spec: Object.spec{replicas: 3}}', { spec: { replicas: 3 } }],
    [
      'Object{spec: Object.spec{containers: object.spec.containers.map(c, ' +
        "Object.spec.containers{name: c.name, args: ['x']})}}",
      {
        spec: {
          containers: [
            { name: 'c', args: ['x'] },
            { name: 'd', args: ['x'] },
          ],
        },
      },
    ],
    ["Object{?spec: optional.none(), ?data: optional.of({'k': object.metadata.name})}", { data: { k: 'a' } }],
    ["[JSONPatch{op: 'add', path: '/a', value: 1}]", [{ op: 'add', path: '/a', value: 1 }]],
    ["[JSONPatch{op: 'add', path: '/a', value: null}]", [{ op: 'add', path: '/a', value: null }]],
    ["'/metadata/labels/' + jsonpatch.escapeKey('k8s.io/my~label')", '/metadata/labels/k8s.io~1my~0label'],
    [
      "JSONPatch{value: [dyn(duration('90s')), timestamp('2020-01-01T00:00:00Z'), b'v', 1u, 1.5]}.value",
      ['90s', '2020-01-01T00:00:00Z', 'dg==', 1, 1.5],
    ],
    ["Object{metadata: Object.metadata{name: 'n'}}.metadata.name", 'n'],
  ])('An expression of a mutation has a value: %s', (expression, value) =>
    expect(toJson(evaluated(expression))).toEqual(value),
  );

  test.each<[string, string]>([
    ["JSONPatch{op: 1, path: '/a'}", "expected type of field 'op' is 'string' but provided type is 'int'"],
    ["JSONPatch{operation: 'add'}", "undefined field 'operation'"],
    ['Other{a: 1}', "undeclared reference to 'Other' (in container '')"],
  ])('%s is refused', (expression, why) =>
    expect(environment.compile(expression)).toEqual({ failure: expect.stringContaining(why) as string }),
  );

  test('The type of an expression is that of its value', () => {
    expect(environment.compile('Object{}', appliedObjectType)).not.toHaveProperty('failure');
    expect(environment.compile("[JSONPatch{op: 'add'}]", jsonPatchType)).not.toHaveProperty('failure');
    expect(environment.compile('Object.spec{}', appliedObjectType)).toEqual({
      failure: 'must evaluate to Object but got Object.spec',
    });
    expect(environment.compile('[Object{}]', jsonPatchType)).toEqual({
      failure: 'must evaluate to list(JSONPatch) but got list(Object)',
    });
  });

  test('Only expressions of mutations make values of named types', () =>
    expect(admissionEnvironment({}).compile('Object{}')).toEqual({
      failure: expect.stringContaining("undeclared reference to 'Object'") as string,
    }));

  test.each<[string, string[]]>([
    ['Object{spec: Object.spec{selector: Object.spec.selector{}}}', []],
    [
      'Object{spec: Object.spec{selector: Object.spec.wrong{}}}',
      [
        'unexpected type name "Object.spec.wrong", expected "Object.spec.selector", ' +
          'which matches field name path from root Object type',
      ],
    ],
    ['Object.spec.template{metadata: Object.spec.template.metadata{}}', []],
    ['Object{spec: Object.spec{items: [Object.spec.items{}]}}', []],
  ])('The types in %s are those of their places: %j', (expression, problems) =>
    expect(misplacedTypes(evaluated(expression))).toEqual(problems),
  );
});

describe('values as JSON', () => {
  test('A list that is named in itself again and again is given up, not written out', () => {
    let list = new ArrayList([1]);
    for (let i = 0; i < 40; i++) list = new ArrayList([list, list]);
    expect(() => toJson(list)).toThrow();
  });

  test('Texts together are no longer than a request', () => {
    const text = 'x'.repeat(1024 * 1024);
    expect(() => toJson(new ArrayList([text, text, text, text]))).toThrow(NotJson);
  });

  test.each([
    ['a number as a key', evaluated('{1: 2}')],
    ['an error', new CelError('failed')],
    ['a type', evaluated('type(1)')],
  ])('%s is no JSON', (_, value) => expect(() => toJson(value)).toThrow(NotJson));
});
