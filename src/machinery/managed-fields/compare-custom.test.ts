import { describe, expect, it, test } from 'vitest';
import { type JsonObject } from '../value.ts';
import { createCustomType } from './structural-types.ts';
import { types, changes, type Row } from './testing/changes.ts';

describe('what changed between custom resources', () => {
  const objectMeta = types.of('meta/v1.ObjectMeta');
  const schema: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          count: { type: 'integer' },
          either: { 'x-kubernetes-int-or-string': true },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          list: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          keyed: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
            items: {
              type: 'object',
              properties: {
                port: { type: 'integer' },
                protocol: { type: 'string', default: 'TCP' },
                v: { type: 'string' },
              },
            },
          },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    },
  };
  const type = createCustomType(schema, { objectMeta });

  test.each<{ name: string; before: JsonObject; after: JsonObject; is: Row['is'] }>([
    {
      name: 'zero and null are values',
      before: {},
      after: { count: 0, text: null },
      is: { added: ['.spec.count', '.spec.text'] },
    },
    { name: 'an empty object is a value', before: { map: {} }, after: {}, is: { removed: ['.spec.map'] } },
    { name: 'null and empty differ', before: { map: null }, after: { map: {} }, is: { modified: ['.spec.map'] } },
    { name: 'a text or a number', before: { either: 1 }, after: { either: '1' }, is: { modified: ['.spec.either'] } },
    {
      name: 'an atomic object',
      before: { whole: { a: '1' } },
      after: { whole: { a: '2' } },
      is: { modified: ['.spec.whole'] },
    },
    {
      name: 'members of what has no schema',
      before: { free: { a: { b: 1 }, l: [1] } },
      after: { free: { a: { b: 2 }, l: [2] } },
      is: { modified: ['.spec.free.a.b', '.spec.free.l'] },
    },
    {
      name: 'an object in the place of a text',
      before: { free: { a: 'x' } },
      after: { free: { a: { b: 1 } } },
      is: { modified: ['.spec.free.a'], added: ['.spec.free.a.b'] },
    },
    {
      name: 'a list without list type',
      before: { list: ['a'] },
      after: { list: ['b'] },
      is: { modified: ['.spec.list'] },
    },
    { name: 'a set', before: { set: ['a'] }, after: { set: ['b', 'a'] }, is: { added: ['.spec.set[="b"]'] } },
    {
      name: 'keys with defaults',
      before: { keyed: [{ port: 1 }] },
      after: { keyed: [{ port: 1, protocol: 'TCP', v: 'x' }] },
      is: { added: ['.spec.keyed[port=1,protocol="TCP"].protocol', '.spec.keyed[port=1,protocol="TCP"].v'] },
    },
    {
      name: 'the metadata of an embedded object',
      before: {},
      after: { template: { metadata: { finalizers: ['a'] }, odd: 1 } },
      is: {
        added: [
          '.spec.template',
          '.spec.template.metadata',
          '.spec.template.metadata.finalizers',
          '.spec.template.metadata.finalizers[="a"]',
          '.spec.template.odd',
        ],
      },
    },
  ])('What changed between custom resources: $name', ({ before, after, is }) => {
    expect(changes(type, { spec: before }, { spec: after }, 'json')).toEqual(is);
  });

  it('What changed between custom resources is told member by member without a schema', () => {
    const untyped = createCustomType(undefined, { objectMeta });
    expect(
      changes(untyped, { spec: { a: 1, b: { c: [1] } } }, { spec: { b: { c: [2] } }, other: 'x' }, 'json'),
    ).toEqual({ removed: ['.spec.a'], modified: ['.spec.b.c'], added: ['.other'] });
  });
});
