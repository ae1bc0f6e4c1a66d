import { describe, expect, test } from 'vitest';
import { schemas } from '../../../../api/schemas.ts';
import { admissionEnvironment, type Program, type Value } from '../../../../cel/index.ts';
import { createBuiltInTypes } from '../../../../machinery/managed-fields/built-in-types.ts';
import { applyConfiguration, applyPatch } from './changes.ts';

const environment = admissionEnvironment({ mutations: true });
const podType = createBuiltInTypes(schemas).of('core/v1.Pod');

function valueOf(expression: string): Value {
  const outcome = (environment.compile(expression) as Program).evaluate({});
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.value;
}

const pod = () => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', args: ['x'] }], nodeSelector: { k: 'v' } },
});

describe('an apply configuration', () => {
  test.each<[string, string, object]>([
    [
      'adds labels',
      "Object{metadata: Object.metadata{labels: {'l': 'x'}}}",
      { metadata: { labels: { a: 'b', l: 'x' } } },
    ],
    [
      'changes an item of a list by its key',
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', image: 'j'}]}}",
      { spec: { containers: [{ name: 'c', image: 'j', args: ['x'] }] } },
    ],
    [
      'adds an item to a list',
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'd', image: 'j'}]}}",
      { spec: { containers: [{ name: 'c' }, { name: 'd', image: 'j' }] } },
    ],
  ])('An apply configuration of a policy: %s', (_, expression, changed) =>
    expect(applyConfiguration(podType, pod(), valueOf(expression))).toMatchObject(changed),
  );

  test('Leaves the object that it is merged into as it is', () => {
    const object = pod();
    applyConfiguration(podType, object, valueOf("Object{metadata: Object.metadata{labels: {'l': 'x'}}}"));
    expect(object).toEqual(pod());
  });

  test.each<[string, string, string]>([
    [
      'a list that is replaced as a whole',
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['y']}]}}",
      'error applying patch: invalid ApplyConfiguration: ' +
        'may not mutate atomic arrays, maps or structs: .spec.containers[0].args',
    ],
    [
      'a map that is replaced as a whole',
      "Object{spec: Object.spec{nodeSelector: {'k': 'w'}}}",
      'error applying patch: invalid ApplyConfiguration: ' +
        'may not mutate atomic arrays, maps or structs: .spec.nodeSelector',
    ],
    [
      'a field that is none',
      'Object{spec: Object.spec{nonsense: 1}}',
      'error applying patch: failed to convert patch object to typed object: ' +
        '.spec.nonsense: field not declared in schema',
    ],
    [
      'a type of another place',
      "Object{spec: Object.metadata{name: 'x'}}",
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", ' +
        'which matches field name path from root Object type',
    ],
  ])('With %s is refused', (_, expression, why) =>
    expect(() => applyConfiguration(podType, pod(), valueOf(expression))).toThrow(why),
  );

  test('Cannot make the object one of another kind', () =>
    expect(applyConfiguration(podType, pod(), valueOf("Object{kind: 'Secret', apiVersion: 'v2'}"))).toEqual(pod()));
});

describe('a JSON patch', () => {
  test.each<[string, string, object]>([
    ['adds', "[JSONPatch{op: 'add', path: '/metadata/labels/l', value: 'x'}]", { metadata: { labels: { l: 'x' } } }],
    [
      'adds an object',
      "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'd'}}]",
      { spec: { containers: [{ name: 'c' }, { name: 'd' }] } },
    ],
    ['copies', "[JSONPatch{op: 'copy', from: '/metadata/name', path: '/x'}]", { x: 'p' }],
    ['sets null', "[JSONPatch{op: 'add', path: '/x', value: null}]", { x: null }],
  ])('A JSON patch of a policy: %s', (_, expression, changed) =>
    expect(applyPatch(pod(), valueOf(expression))).toMatchObject(changed),
  );

  test('Changes nothing when one of its tests fails', () => {
    const object = pod();
    const patch = "[JSONPatch{op: 'remove', path: '/spec'}, JSONPatch{op: 'test', path: '/kind', value: 'x'}]";
    expect(applyPatch(object, valueOf(patch))).toBe(object);
  });

  test.each<[string, string, string]>([
    ['without an operation', "[JSONPatch{path: '/a'}]", 'JSON Patch: Unexpected kind: '],
    [
      'of a place that is not there',
      "[JSONPatch{op: 'remove', path: '/nothing'}]",
      "JSON Patch: error in remove for path: '/nothing': Unable to remove nonexistent key: nothing: missing value",
    ],
    [
      'with a value of a wrong type',
      "[JSONPatch{op: 'add', path: '/spec', value: Object.spec{a: Object.b{}}}]",
      'type mismatch: unexpected type name "Object.b", expected "Object.spec.a"',
    ],
  ])('%s is refused', (_, expression, why) => expect(() => applyPatch(pod(), valueOf(expression))).toThrow(why));
});
