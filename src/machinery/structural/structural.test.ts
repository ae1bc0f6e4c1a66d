import { describe, expect, test } from 'vitest';
import { FieldErrors } from '../field-errors.ts';
import { fieldErrorText } from '../field-error.ts';
import { FieldPath } from '../field-path.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { setDefaults } from './defaulting.ts';
import { formatCheckers } from './formats.ts';
import { checkListTypes } from './list-types.ts';
import { prune } from './pruning.ts';
import { readStructural } from './schema.ts';
import { validateValue } from './validate.ts';
import { schema, object } from './testing/schema.ts';

describe('pruning', () => {
  test.each<{ name: string; properties: JsonObject; spec: unknown; left: unknown; removed: string[] }>([
    {
      name: 'an unknown member',
      properties: { a: { type: 'string' } },
      spec: { a: 'x', odd: 1 },
      left: { a: 'x' },
      removed: ['spec.odd'],
    },
    {
      name: 'in items of a list',
      properties: { l: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } } },
      spec: { l: [{ a: 'x', odd: 1 }] },
      left: { l: [{ a: 'x' }] },
      removed: ['spec.l[0].odd'],
    },
    {
      name: 'in values of a map',
      properties: { m: { type: 'object', additionalProperties: { type: 'object', properties: {} } } },
      spec: { m: { any: { odd: 1 } } },
      left: { m: { any: {} } },
      removed: ['spec.m.any.odd'],
    },
    {
      name: 'nothing where unknown members are preserved',
      properties: { p: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      spec: { p: { any: [{ deep: 1 }] } },
      left: { p: { any: [{ deep: 1 }] } },
      removed: [],
    },
    {
      name: 'below a known member of what is preserved',
      properties: {
        p: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { in: { type: 'object', properties: {} } },
        },
      },
      spec: { p: { odd: 1, in: { odd: 1 } } },
      left: { p: { odd: 1, in: {} } },
      removed: ['spec.p.in.odd'],
    },
    {
      name: 'not what every embedded object has',
      properties: { o: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} } },
      spec: { o: { apiVersion: 'v1', kind: 'X', metadata: {}, odd: 1 } },
      left: { o: { apiVersion: 'v1', kind: 'X', metadata: {} } },
      removed: ['spec.o.odd'],
    },
    {
      name: 'keys that objects inherit are like any other',
      properties: {},
      spec: { constructor: 1, ['__proto__x']: 2 },
      left: {},
      removed: ['spec.__proto__x', 'spec.constructor'],
    },
  ])('Pruning removes $name', ({ properties, spec, left, removed }) => {
    const value = object(spec);
    expect(prune(value, readStructural(schema(properties)))).toEqual(removed);
    expect(value['spec']).toEqual(left);
    expect(value['metadata']).toEqual({ name: 'n' });
  });
});

describe('defaulting', () => {
  const properties: JsonObject = {
    a: { type: 'string', default: 'one' },
    o: { type: 'object', default: {}, properties: { x: { type: 'integer', default: 7 } } },
    l: { type: 'array', items: { type: 'object', properties: { q: { type: 'string', default: 'z' } } } },
    n: { type: 'string', nullable: true, default: 'n' },
    plain: { type: 'string' },
    m: { type: 'object', additionalProperties: { type: 'string', default: 'v' } },
  };
  test.each([
    { name: 'absent members, and members of defaults', spec: {}, filled: { a: 'one', o: { x: 7 }, n: 'n' } },
    {
      name: 'members of items, and values of maps that are null',
      spec: { l: [{}, { q: 'own' }], m: { k: null } },
      filled: { a: 'one', o: { x: 7 }, n: 'n', l: [{ q: 'z' }, { q: 'own' }], m: { k: 'v' } },
    },
    {
      name: 'null that may not be, and keeps null that may',
      spec: { a: null, n: null },
      filled: { a: 'one', o: { x: 7 }, n: null },
    },
    {
      name: 'nothing for a null without default, which goes',
      spec: { plain: null },
      filled: { a: 'one', o: { x: 7 }, n: 'n' },
    },
  ])('Defaulting fills $name', ({ spec, filled }) => {
    const value = object(spec);
    setDefaults(value, readStructural(schema(properties)));
    expect(value['spec']).toEqual(filled);
  });

  test('A default is copied for each object', () => {
    const structural = readStructural(schema(properties));
    const [first, second] = [object({}), object({})];
    for (const value of [first, second]) setDefaults(value, structural);
    ((first['spec'] as JsonObject)['o'] as JsonObject)['x'] = 8;
    expect((second['spec'] as JsonObject)['o']).toEqual({ x: 7 });
  });
});

describe('validation of a change (KEP-4008)', () => {
  const keyed = schema({
    n: { type: 'integer', minimum: 5 },
    l: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', minimum: 5 } } },
    },
    a: { type: 'array', items: { type: 'integer', minimum: 5 } },
  });
  test.each<{ name: string; old: JsonValue; next: JsonValue; fields: string[] }>([
    { name: 'what was wrong before and stayed is let be', old: { n: 1 }, next: { n: 1, l: [] }, fields: [] },
    { name: 'what changed is judged', old: { n: 1 }, next: { n: 2 }, fields: ['spec.n'] },
    {
      name: 'items are found by their keys',
      old: {
        l: [
          { k: 'a', v: 1 },
          { k: 'b', v: 9 },
        ],
      },
      next: {
        l: [
          { k: 'b', v: 8 },
          { k: 'a', v: 1 },
        ],
      },
      fields: [],
    },
    {
      name: 'items without keys are all new',
      old: { a: [1, 2] },
      next: { a: [1, 2, 9] },
      fields: ['spec.a[0]', 'spec.a[1]'],
    },
  ])('Validation of a changed custom resource (KEP-4008): $name', ({ old, next, fields }) => {
    expect(validateValue(object(next), keyed, object(old)).map(({ field }) => field)).toEqual(fields);
  });
});

describe('sets and maps', () => {
  const lists = readStructural(
    schema({
      s: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      m: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        items: {
          type: 'object',
          properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
        },
      },
    }),
  );
  test.each([
    { name: 'an item twice', spec: { s: ['x', 'y', 'x'] }, errors: ['spec.s[2]: Duplicate value: "x"'] },
    {
      name: 'keys twice, one of them by default',
      spec: { m: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      errors: ['spec.m[1]: Duplicate value: map[string]interface {}{"port":1, "protocol":"TCP"}'],
    },
    {
      name: 'an item three times, which is told once',
      spec: { s: ['x', 'x', 'x'] },
      errors: ['spec.s[1]: Duplicate value: "x"'],
    },
    {
      name: 'an item of a map that is no object, beside which nothing is told',
      spec: { m: [{ port: 1 }, { port: 1 }, 'x'] },
      errors: ['spec.m[2]: Invalid value: "x": must be an object for an array of list-type map'],
    },
    { name: 'keys that differ', spec: { m: [{ port: 1 }, { port: 1, protocol: 'UDP' }] }, errors: [] },
  ])('Sets and maps of a structural schema: $name', ({ spec, errors }) => {
    const found = new FieldErrors();
    checkListTypes(object(spec), lists, FieldPath.root, found);
    expect(found.map(fieldErrorText)).toEqual(errors);
  });
});

describe('formats', () => {
  test.each<[format: string, valid: string[], invalid: string[]]>([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-1-1']],
    ['date-time', ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00.5+02:00'], ['2001-01-01', '2001-01-01T25:00:00Z']],
    ['duration', ['5m', '1h30m', '5 days', '0'], ['x', '5', '']],
    ['ipv4', ['1.2.3.4'], ['1.2.3', '::1']],
    ['ipv6', ['::1'], ['1.2.3.4']],
    ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
    ['uuid', ['6ba7b810-9dad-11d1-80b4-00c04fd430c8'], ['x', '6ba7b810']],
    ['uuid4', ['f47ac10b-58cc-4372-a567-0e02b2c3d479'], ['6ba7b810-9dad-11d1-80b4-00c04fd430c8']],
    ['byte', ['eA==', ''], ['%', 'eA=']],
    ['uri', ['https://example.com/x', '/x'], ['no uri', 'x']],
    ['email', ['a@example.com'], ['a', '@b']],
    ['hostname', ['a.example.com'], ['-a', 'a..b', '']],
    ['mac', ['00:00:5e:00:53:01', '0000.5e00.5301'], ['00:00']],
    ['hexcolor', ['#ffF', '00ff00'], ['#ff']],
    ['rgbcolor', ['rgb(0, 128,255)'], ['rgb(0,0,256)']],
    ['isbn', ['0-321-14653-0', '9780321751041'], ['0-321-14653-1']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['ssn', ['111-22-3333'], ['1-2-3']],
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f']],
  ])('Formats of a structural schema: %s', (format, valid, invalid) => {
    const check = formatCheckers.get(format)!;
    expect(valid.filter((text) => !check(text))).toEqual([]);
    expect(invalid.filter(check)).toEqual([]);
  });
});
