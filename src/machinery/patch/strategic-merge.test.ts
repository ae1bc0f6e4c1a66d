import { describe, expect, it, test } from 'vitest';
import { pick, randomInt, randomSource, type RandomSource } from '../../../test/support/random.ts';
import { schemas } from '../../../test/support/schemas.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createStrategicMerge, decodeStrategicMergePatch } from './strategic-merge.ts';
import { patchText } from './texts.ts';
import { POD_SPEC, META, type Case } from './testing/strategic-cases.ts';

interface Refusal {
  name: string;
  type?: string;
  original: JsonObject;
  patch: JsonObject;
  code: number;
  message: string;
}

describe('strategic merge patch', () => {
  const merge = createStrategicMerge(schemas);

  const run = (rows: Case[]) =>
    test.each(rows)('Strategic merge patch: $name', ({ type = POD_SPEC, original, patch, result }) =>
      expect(merge.apply(original, patch, type)).toEqual(result),
    );

  describe('objects and maps', () =>
    run([
      {
        name: 'merges members and removes null ones',
        type: META,
        original: { labels: { a: '1', b: '2' } },
        patch: { labels: { a: null, c: '3' } },
        result: { labels: { b: '2', c: '3' } },
      },
      {
        name: 'drops nulls of what is new',
        original: {},
        patch: { securityContext: { runAsUser: null, fsGroup: 1 } },
        result: { securityContext: { fsGroup: 1 } },
      },
      {
        name: 'replaces a value of another type',
        type: META,
        original: { labels: { a: '1' } },
        patch: { labels: 'x' },
        result: { labels: 'x' },
      },
      {
        name: '$patch: replace takes the patch as it is',
        type: META,
        original: { labels: { a: '1' } },
        patch: { labels: { $patch: 'replace', only: 'this' } },
        result: { labels: { only: 'this' } },
      },
      {
        name: '$patch: delete leaves an empty object',
        type: META,
        original: { labels: { a: '1' } },
        patch: { labels: { $patch: 'delete' } },
        result: { labels: {} },
      },
      {
        name: '$patch in something new drops it, whatever it says',
        type: META,
        original: {},
        patch: { labels: { $patch: 'nonsense' } },
        result: {},
      },
      {
        name: '$patch: delete at the top empties the object',
        type: META,
        original: { name: 'a' },
        patch: { $patch: 'delete' },
        result: {},
      },
      {
        name: 'merges below a patch strategy of retainKeys alone',
        original: { volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] },
        patch: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] },
        result: { volumes: [{ name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }] },
      },
      {
        name: 'replaces an object with the strategy replace',
        type: 'policy/v1.PodDisruptionBudgetSpec',
        original: { selector: { matchLabels: { a: '1' } } },
        patch: { selector: { matchLabels: { b: '2' } } },
        result: { selector: { matchLabels: { b: '2' } } },
      },
    ]));

  describe('$retainKeys', () =>
    run([
      {
        name: 'drops what it does not name',
        type: 'apps/v1.DeploymentSpec',
        original: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
        patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
        result: { strategy: { type: 'Recreate' } },
      },
      {
        name: 'works on an item of a list',
        original: { volumes: [{ name: 'v', configMap: { name: 'm' } }, { name: 'w' }] },
        patch: { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] },
        result: { volumes: [{ name: 'v', secret: { secretName: 's' } }, { name: 'w' }] },
      },
      {
        name: 'may leave out what the patch removes',
        type: 'apps/v1.DeploymentSpec',
        original: { strategy: { type: 'a', rollingUpdate: {} } },
        patch: { strategy: { $retainKeys: ['type'], rollingUpdate: null } },
        result: { strategy: { type: 'a' } },
      },
    ]));

  test.each<Refusal>([
    {
      name: 'a retained key the list does not name',
      type: 'apps/v1.DeploymentSpec',
      original: { strategy: { type: 'a' } },
      patch: { strategy: { $retainKeys: ['nonsense'], type: 'b' } },
      code: 400,
      message: 'invalid patch format of retainKeys',
    },
    {
      name: '$retainKeys that is no list',
      original: {},
      patch: { $retainKeys: 'x' },
      code: 400,
      message: 'invalid patch format of retainKeys',
    },
    {
      name: 'a directive without a list name',
      original: {},
      patch: { $deleteFromPrimitiveList: ['x'] },
      code: 400,
      message: 'invalid patch format of primitive list',
    },
    {
      name: 'an order without a list name',
      original: {},
      patch: { $setElementOrder: ['x'] },
      code: 400,
      message: 'invalid patch format of setElementOrder list',
    },
    {
      name: 'an item without merge key',
      original: { containers: [{ name: 'a' }] },
      patch: { containers: [{ image: 'new' }] },
      code: 500,
      message: 'map: map[image:new] does not contain declared merge key: name',
    },
    {
      name: 'a deletion without merge key',
      original: { containers: [{ name: 'a' }] },
      patch: { containers: [{ $patch: 'delete' }] },
      code: 500,
      message: 'map: map[$patch:delete] does not contain declared merge key: name',
    },
    {
      name: 'an unknown directive',
      type: META,
      original: { labels: { a: 'b' } },
      patch: { labels: { $patch: 'nonsense', a: 1 } },
      code: 500,
      message: 'unknown patch type: nonsense in map: map[$patch:nonsense a:1]',
    },
    {
      name: 'a directive that is no text',
      type: META,
      original: { labels: { a: 'b' } },
      patch: { labels: { $patch: 5 } },
      code: 500,
      message: 'unknown patch type: %!s(int64=5) in map: map[$patch:5]',
    },
    {
      name: '$patch: merge in a list',
      original: { containers: [{ name: 'a' }] },
      patch: { containers: [{ name: 'a', $patch: 'merge' }] },
      code: 500,
      message: 'merging lists cannot yet be specified in the patch',
    },
    {
      name: 'a mixed list',
      type: META,
      original: { finalizers: ['a'] },
      patch: { finalizers: [{ a: 1 }] },
      code: 500,
      message: 'list element types are not identical: [[a] [map[a:1]]]',
    },
    {
      name: 'a list of lists',
      type: META,
      original: { finalizers: [] },
      patch: { finalizers: [['a']] },
      code: 422,
      message: 'the server rejected our request due to an error in our request',
    },
    {
      name: 'an order that does not fit the patch',
      original: { containers: [{ name: 'a' }] },
      patch: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'b' }] },
      code: 500,
      message: "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    },
    {
      name: 'an order that is no list',
      original: {},
      patch: { '$setElementOrder/containers': 'x' },
      code: 500,
      message: 'expected a []interface {}, but received a string',
    },
    {
      name: 'an order of an unknown member',
      original: {},
      patch: { '$setElementOrder/odd': [] },
      code: 500,
      message: 'unable to find api field in struct PodSpec for the json field "odd"',
    },
    {
      name: 'an order of what is no list',
      original: {},
      patch: { '$setElementOrder/hostname': [] },
      code: 500,
      message: 'expected slice or array type, but got: struct',
    },
    {
      name: 'objects below a map of structs',
      type: 'apiextensions/v1.JSONSchemaProps',
      original: { properties: { a: { type: 'string' } } },
      patch: { properties: { a: { type: 'object' } } },
      code: 500,
      message: 'merging an object in json but data type is not struct, instead is: map',
    },
  ])('Strategic merge patch refuses $name', ({ type = POD_SPEC, original, patch, code, message }) => {
    expect(() => merge.apply(original, patch, type)).toThrow(expect.objectContaining({ code, message }));
  });

  it('Strategic merge patch changes neither original nor patch', () => {
    const values: [JsonObject, JsonObject] = [
      { containers: [{ name: 'a', env: [{ name: 'A' }] }, { name: 'b' }] },
      {
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
        containers: [
          { name: 'a', $retainKeys: ['name', 'image'], image: 'i' },
          { name: 'b', $patch: 'delete' },
        ],
      },
    ];
    const before = structuredClone(values);
    merge.apply(...values, POD_SPEC);
    expect(values).toEqual(before);
  });

  it('Strategic merge patch takes keys that are special in JavaScript', () => {
    const patch = JSON.parse('{"labels":{"__proto__":"x","constructor":null,"toString":"y"}}') as JsonObject;
    const result = merge.apply({ labels: { a: '1' } }, patch, META);
    expect(Object.keys(result['labels'] as JsonObject)).toEqual(['__proto__', 'a', 'toString']);
  });

  it('Strategic merge patch reaches any pod spec from any other by the patch kubectl would send', () => {
    const random = randomSource(3333);
    for (let round = 0; round < 500; round++) {
      const [from, to] = [randomSpec(random), randomSpec(random)];
      expect(merge.apply(from, differenceOfSpecs(from, to), POD_SPEC)).toEqual(to);
    }
  });
});

test.each<{ body: JsonValue; message: string }>([
  { body: [], message: 'json: cannot unmarshal array into Go value of type map[string]interface {}' },
  { body: true, message: 'json: cannot unmarshal bool into Go value of type map[string]interface {}' },
])('The body $body is refused as strategic merge patch', ({ body, message }) => {
  expect(() => decodeStrategicMergePatch(body)).toThrow(expect.objectContaining({ code: 400, message }));
});

test('Shows a patch in Go syntax', () => {
  expect(patchText({ spec: { replicas: 2, list: [{ name: 'c', bad: 1.5 }], none: null, on: true } })).toBe(
    'map[spec:map[list:[map[bad:1.5 name:c]] none:<nil> on:true replicas:2]]',
  );
});

const names = ['a', 'b', 'c', 'd'];

function randomSpec(random: RandomSource): JsonObject {
  const shuffled = names.toSorted(() => random() - 0.5).slice(0, 1 + randomInt(random, 4));
  return {
    containers: shuffled.map((name) => ({
      name,
      image: pick(random, ['x', 'y']),
      env: names.filter(() => random() < 0.5).map((key) => ({ name: key, value: pick(random, ['1', '2']) })),
    })),
  };
}

/** The directives of a client that knows what it wants: order, changes, deletions. */
function differenceOfSpecs(from: JsonObject, to: JsonObject): JsonObject {
  return differenceOfLists(
    'containers',
    from['containers'] as JsonObject[],
    to['containers'] as JsonObject[],
    (before, after) => ({
      image: after['image']!,
      ...differenceOfLists('env', before['env'] as JsonObject[], after['env'] as JsonObject[], (_, item) => item),
    }),
  );
}

function differenceOfLists(
  key: string,
  from: JsonObject[],
  to: JsonObject[],
  change: (before: JsonObject, after: JsonObject) => JsonObject,
): JsonObject {
  const nameOf = (item: JsonObject) => item['name'] as string;
  const changes = to.map((item) => {
    const before = from.find((old) => nameOf(old) === nameOf(item));
    return before === undefined ? item : { name: nameOf(item), ...change(before, item) };
  });
  const deletions = from
    .filter((old) => !to.some((item) => nameOf(item) === nameOf(old)))
    .map((old) => ({ name: nameOf(old), $patch: 'delete' }));
  if (changes.length + deletions.length === 0) return {};
  return { [`$setElementOrder/${key}`]: to.map((item) => ({ name: nameOf(item) })), [key]: [...changes, ...deletions] };
}
