import { describe, expect, it, test } from 'vitest';
import { RawJson, type JsonObject, type JsonValue } from '../value.ts';
import { TypeMismatch } from './typed-value.ts';
import { types, changes, type Row } from './testing/changes.ts';

const POD_SPEC = 'core/v1.PodSpec';

describe('what changed between objects in normal encoding', () => {
  const run = (rows: Row[]) =>
    test.each(rows)(
      'What changed between objects in normal encoding: $name',
      ({ type = POD_SPEC, before = {}, after, is }) =>
        expect(changes(types.of(type), before, after, 'normalized')).toEqual(is),
    );

  describe('scalars', () =>
    run([
      {
        name: 'equal ones have not',
        before: { hostname: 'a', hostPID: true },
        after: { hostname: 'a', hostPID: true },
        is: {},
      },
      {
        name: 'a new value is a modification',
        before: { hostname: 'a' },
        after: { hostname: 'b' },
        is: { modified: ['.hostname'] },
      },
      { name: 'zero is absent where JSON leaves it out', before: { hostname: '' }, after: { hostPID: false }, is: {} },
      {
        name: 'absent is zero where JSON writes it',
        type: 'autoscaling/v1.HorizontalPodAutoscalerStatus',
        before: {},
        after: { currentReplicas: 0, desiredReplicas: 2 },
        is: { modified: ['.desiredReplicas'] },
      },
      {
        name: 'zero behind a pointer is a value',
        type: 'apps/v1.DeploymentSpec',
        before: {},
        after: { replicas: 0 },
        is: { added: ['.replicas'] },
      },
      { name: 'null is absent', before: { hostname: 'a' }, after: { hostname: null }, is: { removed: ['.hostname'] } },
      {
        name: 'a time is always there',
        type: 'core/v1.PodCondition',
        before: {},
        after: { lastProbeTime: '2024-01-01T00:00:00Z' },
        is: { modified: ['.lastProbeTime'] },
      },
      {
        name: 'a number or a text',
        type: 'core/v1.ServicePort',
        before: { targetPort: 80 },
        after: { targetPort: 'http' },
        is: { modified: ['.targetPort'] },
      },
      {
        name: 'big integers',
        type: 'meta/v1.ObjectMeta',
        before: { generation: 5n },
        after: { generation: 5 },
        is: {},
      },
    ]));

  describe('structs and maps', () =>
    run([
      {
        name: 'a new struct and its members',
        after: { securityContext: { runAsUser: 1 } },
        is: { added: ['.securityContext', '.securityContext.runAsUser'] },
      },
      { name: 'an empty one behind a pointer', after: { securityContext: {} }, is: { added: ['.securityContext'] } },
      {
        name: 'a struct that is always there is not added',
        type: 'apps/v1.DeploymentSpec',
        after: { strategy: { type: 'Recreate' } },
        is: { added: ['.strategy.type'] },
      },
      {
        name: 'what a struct in a list has without being set',
        after: { containers: [{ name: 'c' }] },
        is: { added: ['.containers[name="c"]', '.containers[name="c"].name', '.containers[name="c"].resources'] },
      },
      {
        name: 'an atomic struct as a whole',
        type: 'apps/v1.DeploymentSpec',
        before: { selector: { matchLabels: { a: 'b' } } },
        after: { selector: { matchLabels: { a: 'c' } } },
        is: { modified: ['.selector'] },
      },
      {
        name: 'an atomic struct that JSON shows as null',
        type: 'apps/v1.DeploymentSpec',
        after: { selector: { matchLabels: { a: 'b' } } },
        is: { modified: ['.selector'] },
      },
      {
        name: 'the members of a map',
        type: 'meta/v1.ObjectMeta',
        before: { labels: { a: '1', b: '2' } },
        after: { labels: { b: '3', c: '4' } },
        is: { removed: ['.labels.a'], modified: ['.labels.b'], added: ['.labels.c'] },
      },
      {
        name: 'a map and its members',
        type: 'meta/v1.ObjectMeta',
        before: { labels: { a: '1' } },
        after: {},
        is: { removed: ['.labels', '.labels.a'] },
      },
      { name: 'an empty map is absent', type: 'meta/v1.ObjectMeta', before: { labels: {} }, after: {}, is: {} },
      {
        name: 'an atomic map',
        type: 'core/v1.ServiceSpec',
        before: { selector: { a: '1' } },
        after: { selector: { a: '2' } },
        is: { modified: ['.selector'] },
      },
      {
        name: 'members of inlined structs',
        type: 'core/v1.EphemeralContainer',
        before: { name: 'a' },
        after: { name: 'a', image: 'i', targetContainerName: 't' },
        is: { added: ['.image', '.targetContainerName'] },
      },
    ]));

  describe('lists', () =>
    run([
      {
        name: 'an atomic list as a whole',
        before: { tolerations: [{ key: 'a' }] },
        after: { tolerations: [{ key: 'a' }, { key: 'b' }] },
        is: { modified: ['.tolerations'] },
      },
      {
        name: 'equal atomic lists',
        before: { tolerations: [{ key: 'a', value: '' }] },
        after: { tolerations: [{ key: 'a' }] },
        is: {},
      },
      {
        name: 'items by key',
        before: { containers: [{ name: 'a', image: '1' }, { name: 'b' }] },
        after: { containers: [{ name: 'b' }, { name: 'a', image: '2' }] },
        is: { modified: ['.containers[name="a"].image'] },
      },
      {
        name: 'items that come and go',
        before: { imagePullSecrets: [{ name: 'a' }] },
        after: { imagePullSecrets: [{ name: 'b' }] },
        is: { removed: ['.imagePullSecrets[name="a"]'], added: ['.imagePullSecrets[name="b"]'] },
      },
      {
        name: 'a list that JSON shows as null is not added',
        after: { containers: [{ name: 'c', image: 'i' }] },
        is: {
          added: [
            '.containers[name="c"]',
            '.containers[name="c"].image',
            '.containers[name="c"].name',
            '.containers[name="c"].resources',
          ],
        },
      },
      {
        name: 'an empty list where JSON shows null',
        type: 'rbac/v1.Role',
        before: {},
        after: { rules: [] },
        is: { modified: ['.rules'] },
      },
      {
        name: 'a key that is left out has its default',
        type: 'core/v1.ServiceSpec',
        before: { ports: [{ port: 80 }] },
        after: { ports: [{ port: 80, protocol: 'TCP' }] },
        is: { added: ['.ports[port=80,protocol="TCP"].protocol'] },
      },
      {
        name: 'a set',
        type: 'meta/v1.ObjectMeta',
        before: { finalizers: ['a', 'b'] },
        after: { finalizers: ['c', 'b'] },
        is: { removed: ['.finalizers[="a"]'], added: ['.finalizers[="c"]'] },
      },
    ]));

  describe('items that occur twice', () =>
    run([
      {
        name: 'are owned as one',
        before: {},
        after: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'a', image: '2' },
          ],
        },
        is: { added: ['.containers[name="a"]'] },
      },
      {
        name: 'are modified as one',
        before: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'a', image: '2' },
          ],
        },
        after: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'a', image: '3' },
          ],
        },
        is: { modified: ['.containers[name="a"]'] },
      },
      {
        name: 'and stay as they were',
        before: { containers: [{ name: 'a' }, { name: 'a' }] },
        after: { containers: [{ name: 'a' }, { name: 'a' }] },
        is: {},
      },
      {
        name: 'take the place of a single one',
        before: { imagePullSecrets: [{ name: 'a' }] },
        after: { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] },
        is: { removed: ['.imagePullSecrets[name="a"]'], added: ['.imagePullSecrets[name="a"]'] },
      },
      {
        name: 'become a single one',
        before: { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] },
        after: { imagePullSecrets: [{ name: 'a' }] },
        is: { removed: ['.imagePullSecrets[name="a"]'], added: ['.imagePullSecrets[name="a"]'] },
      },
    ]));

  it('What changed between objects in normal encoding is found in carried JSON by its content', () => {
    const type = types.of('apps/v1.ControllerRevision');
    const carried = (text: string): JsonObject => ({ data: new RawJson(text).asValue() });
    expect(changes(type, carried('{"a": 1}'), carried('{"a":1}'), 'normalized')).toEqual({});
    expect(changes(type, carried('{"a":1}'), { data: { a: 1 } }, 'normalized')).toEqual({});
    expect(changes(type, carried('{"a":1}'), carried('{"a":2}'), 'normalized')).toEqual({ modified: ['.data'] });
    expect(changes(type, {}, carried('{"a":2}'), 'normalized')).toEqual({ modified: ['.data'] });
  });

  test.each<{ name: string; containers: JsonValue }>([
    { name: 'null', containers: [null] },
    { name: 'no object', containers: ['x'] },
  ])('What changed between objects in normal encoding cannot be told for an item that is $name', ({ containers }) => {
    expect(() => changes(types.of(POD_SPEC), {}, { containers }, 'normalized')).toThrow(TypeMismatch);
  });
});
