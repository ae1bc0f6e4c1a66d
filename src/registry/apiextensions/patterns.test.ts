import { expect, test, vi } from 'vitest';
import { regexCache } from '../../machinery/regex-cache.ts';
import type { JSONSchemaProps } from '../../api/gen/types/apiextensions-v1.ts';
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { definitionOf } from '../resource-definitions.ts';
import type { StrategyContext } from '../strategy.ts';

const text = (pattern: string): JSONSchemaProps => ({ type: 'string', pattern });

const definition = (schema: JSONSchemaProps): KubeObject =>
  ({
    metadata: { name: 'things.example.com' },
    status: { storedVersions: ['v1'], acceptedNames: {} },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        },
      ],
    },
  }) as unknown as KubeObject;

test('The patterns of a definition are compiled before it is judged, a pattern a step', () => {
  const { strategy } = definitionOf('apiextensions.k8s.io', 'customresourcedefinitions');
  const object = definition({
    type: 'object',
    properties: {
      list: { type: 'array', items: text('a') },
      map: { type: 'object', additionalProperties: text('b(') },
    },
    anyOf: [
      {
        properties: { list: { items: { pattern: 'c' } as JSONSchemaProps } } as JSONSchemaProps['properties'],
      } as JSONSchemaProps,
    ],
    not: { properties: { list: { items: { pattern: 'd)' } } } } as unknown as JSONSchemaProps,
  });
  expect([...strategy.prepareInTurns!(object, undefined)]).toHaveLength(4);
  const compile = vi.spyOn(regexCache, 'get');
  const context = { enabled: () => true } as unknown as StrategyContext;
  const judged = strategy.validateInTurns!(object, undefined, strategy.validate!(object, context), context);
  const errors = runToEnd(judged).map(fieldErrorText);
  expect(errors.filter((error) => error.includes('regular expression'))).toEqual([
    expect.stringContaining(
      '[spec].not.properties[list].items.pattern: Invalid value: "d)": must be a valid regular ' +
        "expression, but isn't: error parsing regexp: unexpected ): `d)`",
    ),
    expect.stringContaining(
      '[spec].properties[map].additionalProperties.pattern: Invalid value: "b(": must be a valid regular ' +
        "expression, but isn't: error parsing regexp: missing closing ): `b(`",
    ),
  ]);
  expect(compile).not.toHaveBeenCalled();
});
