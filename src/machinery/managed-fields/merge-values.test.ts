import { describe, expect, it, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../../test/support/random.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { fieldSetOf, removeFields, withNamedParents } from './extract.ts';
import { FieldSet } from './field-set.ts';
import { parseFields } from './fields-v1.ts';
import { mergeValues } from './merge-values.ts';
import { reconcileWithType } from './reconcile.ts';
import { createCustomType } from './structural-types.ts';
import { TypeMismatch } from './typed-value.ts';
import { validateConfiguration } from './validate.ts';

const types = createBuiltInTypes(schemas);
const podSpec = types.of('core/v1.PodSpec');
const meta = types.of('meta/v1.ObjectMeta');
const named = (...names: string[]) => names.map((name) => ({ name }));
const containers = (...names: string[]): JsonObject => ({ containers: named(...names) });

describe('merging a configuration into the live object', () => {
  test.each<{ name: string; type?: typeof podSpec; live: JsonObject; config: JsonObject; result: JsonObject }>([
    {
      name: 'takes what the configuration says and keeps the rest',
      live: { hostname: 'a', nodeName: 'n' },
      config: { hostname: 'b' },
      result: { hostname: 'b', nodeName: 'n' },
    },
    {
      name: 'merges structs',
      live: { securityContext: { runAsUser: 1 } },
      config: { securityContext: { fsGroup: 2 } },
      result: { securityContext: { runAsUser: 1, fsGroup: 2 } },
    },
    {
      name: 'merges maps',
      type: meta,
      live: { labels: { a: '1', b: '2' } },
      config: { labels: { b: '3' } },
      result: { labels: { a: '1', b: '3' } },
    },
    {
      name: 'replaces atomic lists',
      live: { tolerations: [{ key: 'a' }] },
      config: { tolerations: [{ key: 'b' }] },
      result: { tolerations: [{ key: 'b' }] },
    },
    {
      name: 'replaces atomic maps',
      type: types.of('core/v1.ServiceSpec'),
      live: { selector: { a: '1' } },
      config: { selector: { b: '2' } },
      result: { selector: { b: '2' } },
    },
    { name: 'sets null', live: { hostname: 'a' }, config: { hostname: null }, result: { hostname: null } },
    {
      name: 'keeps what null cannot empty',
      type: meta,
      live: { labels: { a: '1' } },
      config: { labels: null },
      result: { labels: { a: '1' } },
    },
    {
      name: 'takes an empty map where there is none',
      type: meta,
      live: {},
      config: { labels: {} },
      result: { labels: {} },
    },
    {
      name: 'merges items by key',
      live: { containers: [{ name: 'a', image: '1', tty: true }] },
      config: { containers: [{ name: 'a', image: '2' }] },
      result: { containers: [{ name: 'a', image: '2', tty: true }] },
    },
    {
      name: 'adds new items at the end',
      live: containers('a', 'b'),
      config: containers('x'),
      result: containers('a', 'b', 'x'),
    },
    {
      name: 'keeps live items before the shared item after them',
      live: containers('l1', 's', 'l2'),
      config: containers('c1', 's', 'c2'),
      result: containers('l1', 'c1', 's', 'l2', 'c2'),
    },
    {
      name: 'takes the order of the configuration for shared items',
      live: containers('a', 'b', 'c', 'd'),
      config: containers('d', 'a'),
      result: containers('b', 'c', 'd', 'a'),
    },
    {
      name: 'merges sets',
      type: meta,
      live: { finalizers: ['a', 'b'] },
      config: { finalizers: ['c', 'a'] },
      result: { finalizers: ['c', 'a', 'b'] },
    },
    {
      name: 'does not merge into items that occur twice',
      live: { containers: [{ name: 'a', image: '1' }, { name: 'a', tty: true }, { name: 'b' }] },
      config: { containers: [{ name: 'a', stdin: true }] },
      result: { containers: [{ name: 'a', stdin: true }, { name: 'b' }] },
    },
  ])('Merging a configuration into the live object: $name', ({ type = podSpec, live, config, result }) => {
    expect(mergeValues(type, live, config)).toEqual(result);
  });

  it('A configuration merged into the live object has every item of both once, in its own order', () => {
    const random = randomSource(99);
    for (let round = 0; round < 500; round++) {
      const [live, config] = [randomNames(random), randomNames(random)];
      const merged = (
        (mergeValues(podSpec, containers(...live), containers(...config)) as JsonObject)['containers'] as {
          name: string;
        }[]
      ).map(({ name }) => name);
      expect(merged.toSorted()).toEqual([...new Set([...live, ...config])].sort());
      expect(merged.filter((name) => config.includes(name))).toEqual(config);
    }
  });
});

const randomNames = (random: RandomSource): string[] => [
  ...new Set(Array.from({ length: 1 + randomInt(random, 6) }, () => pick(random, ['a', 'b', 'c', 'd', 'e', 'f', 'g']))),
];

describe('the fields of a configuration', () => {
  test.each<{ name: string; type?: typeof podSpec; config: JsonObject; fields: JsonObject }>([
    {
      name: 'leaves',
      config: { hostname: 'a', tolerations: [{ key: 'x' }] },
      fields: { 'f:hostname': {}, 'f:tolerations': {} },
    },
    {
      name: 'not the struct they lie in',
      config: { securityContext: { runAsUser: 1 } },
      fields: { 'f:securityContext': { 'f:runAsUser': {} } },
    },
    { name: 'an empty struct', config: { securityContext: {} }, fields: { 'f:securityContext': {} } },
    { name: 'null', type: meta, config: { labels: null, name: null }, fields: { 'f:labels': {}, 'f:name': {} } },
    {
      name: 'keys of a map, not the map',
      type: meta,
      config: { labels: { a: '1' } },
      fields: { 'f:labels': { 'f:a': {} } },
    },
    {
      name: 'items and their fields',
      config: { containers: [{ name: 'a', image: 'i' }] },
      fields: { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
    },
    {
      name: 'items of a set',
      type: meta,
      config: { finalizers: ['b', 'a'] },
      fields: { 'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} } },
    },
    { name: 'nothing for an empty keyed list', config: { containers: [] }, fields: {} },
    {
      name: 'objects in a map, and what is in them',
      type: createCustomType(undefined, { objectMeta: meta }),
      config: { a: { b: { c: 1 } } },
      fields: { 'f:a': { '.': {}, 'f:b': { '.': {}, 'f:c': {} } } },
    },
  ])('The fields of a configuration are $name', ({ type = podSpec, config, fields }) => {
    expect(fieldSetOf(type, config).equals(parseFields(fields))).toBe(true);
  });

  test.each<{ name: string; value: JsonObject; remove: JsonObject; rest: JsonValue }>([
    { name: 'fields', value: { hostname: 'a', nodeName: 'n' }, remove: { 'f:hostname': {} }, rest: { nodeName: 'n' } },
    {
      name: 'items',
      value: containers('a', 'b'),
      remove: { 'f:containers': { 'k:{"name":"a"}': {} } },
      rest: containers('b'),
    },
    {
      name: 'fields of items',
      value: { containers: [{ name: 'a', image: 'i' }] },
      remove: { 'f:containers': { 'k:{"name":"a"}': { 'f:image': {} } } },
      rest: containers('a'),
    },
    {
      name: 'all members, which leaves null',
      value: { securityContext: { runAsUser: 1 } },
      remove: { 'f:securityContext': { 'f:runAsUser': {} } },
      rest: { securityContext: null },
    },
    { name: 'everything', value: { hostname: 'a' }, remove: { 'f:hostname': {} }, rest: null },
    { name: 'nothing', value: { hostname: 'a' }, remove: { 'f:nodeName': {} }, rest: { hostname: 'a' } },
  ])('The fields of a configuration can be removed: $name', ({ value, remove, rest }) => {
    expect(removeFields(podSpec, value, parseFields(remove))).toEqual(rest);
  });

  it('Removed members of a configuration remove the struct too when they are its last ones', () => {
    const fields = parseFields({
      'f:securityContext': { 'f:runAsUser': {} },
      'f:containers': { 'k:{"name":"a"}': { 'f:resources': { 'f:limits': { 'f:cpu': {} } } } },
    });
    const expected = parseFields({
      'f:securityContext': { '.': {}, 'f:runAsUser': {} },
      'f:containers': {
        '.': {},
        'k:{"name":"a"}': { 'f:resources': { '.': {}, 'f:limits': { '.': {}, 'f:cpu': {} } } },
      },
    });
    expect(withNamedParents(podSpec, fields).equals(expected)).toBe(true);
    expect(withNamedParents(podSpec, expected)).toBe(expected);
  });
});

describe('a configuration that does not fit its type', () => {
  test.each<{ name: string; type?: typeof podSpec; config: JsonValue; message: string }>([
    { name: 'an unknown field', config: { odd: 1 }, message: '.odd: field not declared in schema' },
    {
      name: 'an unknown field in an item',
      config: { containers: [{ name: 'c', odd: 1 }] },
      message: '.containers[name="c"].odd: field not declared in schema',
    },
    { name: 'no map', config: { securityContext: 'x' }, message: '.securityContext: expected map, got &{x}' },
    {
      name: 'a list as map',
      config: { securityContext: [1, { a: null }] },
      message: '.securityContext: expected map, got &{[1 map[a:<nil>]]}',
    },
    { name: 'no list', config: { containers: { a: true } }, message: '.containers: expected list, got &{map[a:true]}' },
    {
      name: 'no text',
      config: { hostname: { a: [1.5, 'x', null] } },
      message:
        '.hostname: expected string, got &value.valueUnstructured{Value:map[string]interface ' +
        '{}{"a":[]interface {}{1.5, "x", interface {}(nil)}}}',
    },
    {
      name: 'no number',
      config: { priority: 'high' },
      message: '.priority: expected numeric (int or float), got string',
    },
    { name: 'no boolean', config: { hostPID: 'yes' }, message: '.hostPID: expected boolean, got &{yes}' },
    {
      name: 'no scalar',
      type: types.of('core/v1.ServicePort'),
      config: { targetPort: {} },
      message: '.targetPort: expected any scalar, got &{map[]}',
    },
    {
      name: 'the same item twice',
      config: containers('c', 'c'),
      message: '.containers: duplicate entries for key [name="c"]',
    },
    {
      name: 'the same value twice',
      type: meta,
      config: { finalizers: ['a', 'a'] },
      message: '.finalizers: duplicate entries for key [="a"]',
    },
    {
      name: 'null as item',
      config: { containers: [null] },
      message: '.containers: element 0: associative list with keys may not have a null element',
    },
    {
      name: 'an object in a set',
      type: meta,
      config: { finalizers: [{}] },
      message: ".finalizers: element 0: associative list without keys has an element that's a map type",
    },
    {
      name: 'a wrong item of an atomic list',
      config: { tolerations: [{ key: 1 }] },
      message: '.tolerations[0].key: expected string, got &value.valueUnstructured{Value:1}',
    },
    {
      name: 'several problems',
      config: { hostname: 1, priority: 'x' },
      message:
        'errors:\n  .hostname: expected string, got &value.valueUnstructured{Value:1}\n  .priority: expected ' +
        'numeric (int or float), got string',
    },
  ])('A configuration that does not fit its type is told about $name', ({ type = podSpec, config, message }) => {
    expect(() => validateConfiguration(type, config)).toThrow(new TypeMismatch(message));
  });

  test.each<{ name: string; type?: typeof podSpec; config: JsonValue }>([
    { name: 'null anywhere', config: { containers: null, hostname: null, securityContext: null } },
    {
      name: 'numbers and texts for quantities and ports',
      type: types.of('core/v1.Container'),
      config: {
        name: 'c',
        resources: { limits: { cpu: 1, memory: '1Gi' } },
        livenessProbe: { httpGet: { port: 'http' } },
      },
    },
    {
      name: 'keys of a list by their defaults',
      type: types.of('core/v1.ServiceSpec'),
      config: { ports: [{}, { port: 1 }] },
    },
    {
      name: 'anything in a raw extension',
      type: types.of('apps/v1.ControllerRevision'),
      config: { data: { a: [{ b: null }] } },
    },
  ])('A configuration that does not fit its type is not one with $name', ({ type = podSpec, config }) => {
    expect(() => validateConfiguration(type, config)).not.toThrow();
  });
});

describe('ownership recorded under an older schema', () => {
  const before = parseFields({
    'f:selector': { '.': {}, 'f:matchLabels': { 'f:a': {} } },
    'f:template': { 'f:spec': { 'f:tolerations': { 'k:{"key":"x"}': {} } } },
    'f:replicas': {},
    'f:odd': { 'f:x': {} },
  });

  it('Ownership recorded under an older schema is that of the whole where a struct or list has become atomic', () => {
    const after = parseFields({
      'f:selector': {},
      'f:template': { 'f:spec': { 'f:tolerations': {} } },
      'f:replicas': {},
      'f:odd': { 'f:x': {} },
    });
    expect(reconcileWithType(types.of('apps/v1.DeploymentSpec'), before).equals(after)).toBe(true);
  });

  it('Ownership recorded under an older schema stays as it is otherwise', () => {
    const set = FieldSet.ofFields(['template', 'spec', 'hostname'], ['replicas']);
    expect(reconcileWithType(types.of('apps/v1.DeploymentSpec'), set)).toBe(set);
    expect(reconcileWithType(createCustomType(undefined, { objectMeta: meta }), before)).toBe(before);
  });
});
