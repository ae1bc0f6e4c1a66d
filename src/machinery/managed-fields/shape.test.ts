import { describe, expect, test } from 'vitest';
import { benchPod } from '../../../test/support/bench-pod.ts';
import { pick, randomSource, type RandomSource } from '../../../test/support/random.ts';
import { ValueGenerator } from '../../../test/support/random-values.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { createCodecs } from '../codec/index.ts';
import type { KubeObject } from '../object-meta.ts';
import { createMap, isObject, RawJson, type JsonObject, type JsonValue } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { compareObjects } from './compare.ts';
import { fieldsText } from './fields-v1.ts';
import { createFieldManager } from './index.ts';
import { shapeOf } from './shape.ts';
import { TypeMismatch } from './typed-value.ts';

const codecs = createCodecs(schemas);
const types = createBuiltInTypes(schemas);

/** What a create changes; undefined where that cannot be told. */
function fieldsOf(typeId: string, object: JsonObject): string | undefined {
  try {
    const { removed, modified, added } = compareObjects(types.of(typeId), {}, object, 'normalized');
    return [removed, modified, added].map(fieldsText).join(' ');
  } catch (error) {
    if (error instanceof TypeMismatch) return undefined;
    throw error;
  }
}

/** With some scalars replaced: mostly what has the same fields, and now and then what has not. */
function revalued(random: RandomSource, value: JsonValue): JsonValue {
  if (typeof value === 'string' && random() < 0.1) return pick(random, ['', 'x', 'y']);
  if (typeof value === 'number' && random() < 0.1) return pick(random, [0, 1, 2]);
  if (Array.isArray(value)) return value.map((item) => revalued(random, item));
  if (!isObject(value)) return value;
  return Object.assign(
    Object.create(Object.getPrototypeOf(value) as object | null) as JsonObject,
    Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [key, revalued(random, member!)]),
    ),
  );
}

const map = (members: Record<string, JsonValue>): JsonObject => Object.assign(createMap<JsonValue>(), members);
const configMap = (data: JsonObject): JsonObject => ({ metadata: {}, data });
const service = (...ports: JsonObject[]): JsonObject => ({
  metadata: {},
  spec: { ports },
  status: { loadBalancer: {} },
});
const pod = (spec: JsonObject): JsonObject => ({ metadata: {}, spec, status: {} });
const container = (members: JsonObject): JsonObject => pod({ containers: [{ name: 'a', resources: {}, ...members }] });

describe('the shape of an object', () => {
  test.each([
    { name: 'names', type: 'core/v1.ConfigMap', one: { metadata: { name: 'a' } }, other: { metadata: { name: 'b' } } },
    {
      name: 'values of a map',
      type: 'core/v1.ConfigMap',
      one: configMap(map({ k: 'v' })),
      other: configMap(map({ k: '' })),
    },
    {
      name: 'what is in an item',
      type: 'core/v1.Pod',
      one: container({ image: 'a' }),
      other: container({ image: 'b' }),
    },
    {
      name: 'what is owned as a whole',
      type: 'core/v1.Pod',
      one: container({ command: ['a'] }),
      other: container({ command: ['a', 'b'] }),
    },
  ])('The shape of an object is the same for other $name', ({ type, one, other }) => {
    expect(shapeOf(types.of(type), one)).toBe(shapeOf(types.of(type), other));
    expect(fieldsOf(type, one)).toBe(fieldsOf(type, other));
  });

  test.each([
    {
      name: 'other keys',
      type: 'core/v1.ConfigMap',
      one: configMap(map({ a: 'v' })),
      other: configMap(map({ b: 'v' })),
    },
    {
      name: 'keys that look like the end of a key and the next',
      type: 'core/v1.ConfigMap',
      one: configMap(map({ a: 'v', b: 'v' })),
      other: configMap(map({ 'a\x03\x041 b': 'v' })),
    },
    { name: 'other items', type: 'core/v1.Pod', one: container({ name: 'a' }), other: container({ name: 'b' }) },
    {
      name: 'a number that is a key',
      type: 'core/v1.Service',
      one: service({ port: 80, targetPort: 0 }),
      other: service({ port: 81, targetPort: 0 }),
    },
    {
      name: 'an item more',
      type: 'core/v1.Service',
      one: service({ port: 80, targetPort: 0 }),
      other: service({ port: 80, targetPort: 0 }, { port: 81, targetPort: 0 }),
    },
    {
      name: 'an item twice',
      type: 'core/v1.Service',
      one: service({ port: 80, targetPort: 0 }),
      other: service({ port: 80, targetPort: 0 }, { port: 80, targetPort: 0 }),
    },
    {
      name: 'another value of a set',
      type: 'core/v1.ConfigMap',
      one: { metadata: { finalizers: ['a'] } },
      other: { metadata: { finalizers: ['b'] } },
    },
    {
      name: 'the zero value that is left out',
      type: 'core/v1.Pod',
      one: pod({ containers: [], nodeName: '' }),
      other: pod({ containers: [], nodeName: 'n' }),
    },
  ])('The shape of an object tells $name', ({ type, one, other }) => {
    expect(fieldsOf(type, one)).not.toBe(fieldsOf(type, other));
    expect(shapeOf(types.of(type), one)).not.toBe(shapeOf(types.of(type), other));
  });

  test.each([
    {
      name: 'carried JSON',
      type: 'apps/v1.ControllerRevision',
      object: { metadata: {}, data: new RawJson('{}').asValue(), revision: 1 },
    },
    {
      name: 'an item without its key',
      type: 'core/v1.Service',
      object: service({ targetPort: 0 }, null as unknown as JsonObject),
    },
    {
      name: 'a member that is undefined',
      type: 'core/v1.ConfigMap',
      object: configMap(map({ a: undefined as unknown as JsonValue })),
    },
    { name: 'what the type does not have there', type: 'core/v1.Pod', object: pod([] as unknown as JsonObject) },
  ])('The shape of an object cannot be told with $name', ({ type, object }) => {
    expect(shapeOf(types.of(type), object)).toBeUndefined();
  });

  test.each([
    'core/v1.ConfigMap',
    'core/v1.Service',
    'core/v1.Node',
    'core/v1.Event',
    'core/v1.Endpoints',
    'apps/v1.Deployment',
    'batch/v1.CronJob',
    'networking/v1.Ingress',
    'rbac/v1.RoleBinding',
  ])('The shape of an object is the same only for objects with the same fields: %s', (id) => {
    const type = types.of(id);
    const generator = new ValueGenerator(schemas, randomSource(1312), (name) => codecs.of(name).empty());
    const seen = new Map<string, string | undefined>();
    let repeated = 0;
    const random = randomSource(7);
    let base: JsonObject = {};
    for (let i = 0; i < 60; i++) {
      if (i % 4 === 0) base = generator.struct(id, 1 + (i % 3));
      const object = i % 4 === 0 ? base : (revalued(random, base) as JsonObject);
      const shape = shapeOf(type, object);
      if (shape === undefined) continue;
      const fields = fieldsOf(id, object);
      if (seen.has(shape)) repeated++;
      else seen.set(shape, fields);
      expect(fields).toBe(seen.get(shape));
    }
    expect({ seen: seen.size > 5, repeated: repeated > 5 }).toEqual({ seen: true, repeated: true });
  });
});

test('A create whose shape was met before owns the same fields, and its own time and manager', () => {
  const fieldManager = createFieldManager({ schemas });
  const codec = codecs.of('core/v1.Pod');
  const create = (manager: string, now: Date, change: (pod: JsonObject) => void) => {
    const object = codec.decode(codec.encode(benchPod()));
    change(object['spec'] as JsonObject);
    return fieldManager.update({
      live: undefined,
      object: object as KubeObject,
      manager,
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.Pod',
      now,
      resetFields: [['status']],
    })!;
  };
  const [first] = create('one', new Date(0), () => undefined);
  const [again] = create('two', new Date(1000), (spec) => (spec['schedulerName'] = 'another'));
  const [more] = create('one', new Date(0), (spec) => (spec['hostname'] = 'h'));
  expect(again).toMatchObject({ manager: 'two', time: '1970-01-01T00:00:01Z', fieldsV1: first!.fieldsV1 });
  expect(JSON.stringify(more!.fieldsV1)).toContain('f:hostname');
  expect(JSON.stringify(first!.fieldsV1)).not.toContain('f:hostname');
});
