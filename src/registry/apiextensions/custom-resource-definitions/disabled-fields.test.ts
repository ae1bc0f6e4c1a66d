import { expect, test } from 'vitest';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../api/gen/types/apiextensions-v1.ts';
import { dropDisabledFields } from './disabled-fields.ts';

const rule = (optionalOldSelf?: boolean): JSONSchemaProps => ({
  'x-kubernetes-validations': [{ rule: 'true', ...(optionalOldSelf === undefined ? {} : { optionalOldSelf }) }],
});
const definition = (schema: JSONSchemaProps, colors = ['.spec.color']): CustomResourceDefinition => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    names: {},
    versions: [{ schema: { openAPIV3Schema: schema }, selectableFields: colors.map((jsonPath) => ({ jsonPath })) }],
  },
  status: { acceptedNames: {} },
});
const textOf = (object: CustomResourceDefinition): string => JSON.stringify(object);

const nested = (): Readonly<Record<string, JSONSchemaProps>> => ({
  'a member': { properties: { a: rule(true) } },
  'an item': { items: rule(true) },
  'any member': { additionalProperties: rule(true) },
  'an alternative': { anyOf: [{ properties: { b: rule(false) } }] },
});

test.each(Object.entries(nested()))('A rule of %s loses optionalOldSelf while its gate is off', (_, schema) => {
  const object = definition(schema);
  dropDisabledFields(object, undefined, { enabled: (gate) => gate !== 'CRDValidationRatcheting' });
  expect(textOf(object)).not.toContain('optionalOldSelf');
  expect(textOf(object)).toContain('.spec.color');
});

test('Selectable fields are dropped while their gate is off, and rules stay', () => {
  const object = definition(nested()['a member']!);
  dropDisabledFields(object, undefined, { enabled: (gate) => gate !== 'CustomResourceFieldSelectors' });
  expect(textOf(object)).not.toContain('.spec.color');
  expect(textOf(object)).toContain('optionalOldSelf');
});

test('A definition that has such fields already may keep and change them', () => {
  const off = { enabled: () => false };
  const object = definition(nested()['an item']!, ['.spec.size']);
  dropDisabledFields(object, definition(nested()['a member']!), off);
  expect(textOf(object)).toContain('optionalOldSelf');
  expect(textOf(object)).toContain('.spec.size');
  dropDisabledFields(object, definition(rule(), []), off);
  expect(textOf(object)).not.toMatch(/optionalOldSelf|\.spec\.size/);
});
