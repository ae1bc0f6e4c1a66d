import { describe, expect, test } from 'vitest';
import type { ObjectAttributes } from '../../storage/objects.ts';
import type { ApiRequest } from '../request/request.ts';
import { selectionOf } from './request-selectors.ts';
import type { ServedResource } from '../served/served-resource.ts';

interface Given {
  readonly query?: string;
  readonly namespace?: string;
  /** From the path. */
  readonly name?: string;
  readonly fieldSelectors?: readonly string[];
  readonly isCustom?: boolean;
}

const known = ['metadata.name', 'metadata.namespace'];

function select({ query = '', namespace = 'default', name, fieldSelectors = known, isCustom = false }: Given) {
  const request = {
    query: new URLSearchParams(query),
    info: { namespace, parts: name === undefined ? ['pods'] : ['pods', name] },
  } as unknown as ApiRequest;
  const served = {
    info: { namespaced: true, storage: { fieldSelectors } },
    servedVersion: isCustom ? { custom: {} } : {},
  } as unknown as ServedResource;
  return selectionOf(served, request);
}

const attributes = (name: string, labels: Record<string, string> = {}, fields: Record<string, string> = {}) =>
  ({
    namespace: 'default',
    name,
    labels: new Map(Object.entries(labels)),
    fields: new Map(Object.entries(fields)),
  }) as unknown as ObjectAttributes;

const objects = [
  attributes('a', { app: 'x' }, { 'spec.nodeName': 'n1' }),
  attributes('b', { app: 'y' }, { 'spec.nodeName': 'n1' }),
  attributes('c', {}, { 'spec.nodeName': 'n2' }),
];
const withNode = [...known, 'spec.nodeName'];

describe('a selection', () => {
  test.each<{ name: string; given: Given; selection: object; names: string[] | undefined }>([
    { name: 'of a namespace', given: {}, selection: { namespace: 'default' }, names: undefined },
    { name: 'of all namespaces', given: { namespace: '' }, selection: {}, names: undefined },
    {
      name: 'by an equal label',
      given: { query: 'labelSelector=app%3Dx' },
      selection: { namespace: 'default', labelEquals: expect.anything() as unknown },
      names: ['a'],
    },
    {
      name: 'by a label that is not there',
      given: { query: 'labelSelector=!app' },
      selection: { namespace: 'default' },
      names: ['c'],
    },
    {
      name: 'by a name',
      given: { query: 'fieldSelector=metadata.name%3Db' },
      selection: { namespace: 'default', name: 'b' },
      names: ['b'],
    },
    { name: 'by the name of the path', given: { name: 'c' }, selection: { name: 'c' }, names: ['a', 'b', 'c'] },
    {
      name: 'by a field that is indexed',
      given: { query: 'fieldSelector=spec.nodeName%3Dn1', fieldSelectors: withNode },
      selection: { fieldEquals: new Map([['spec.nodeName', 'n1']]) },
      names: ['a', 'b'],
    },
    {
      name: 'by a field that is unequal',
      given: { query: 'fieldSelector=spec.nodeName!%3Dn1', fieldSelectors: withNode },
      selection: { namespace: 'default' },
      names: ['c'],
    },
    {
      name: 'by label and field',
      given: { query: 'labelSelector=app&fieldSelector=metadata.name!%3Da' },
      selection: { namespace: 'default' },
      names: ['b'],
    },
  ])('The selection of a list: $name', async ({ given, selection, names }) => {
    const result = await select(given);
    expect(result.selection).toMatchObject(selection);
    expect(result.hasSelector).toBe(names !== undefined);
    const { matches } = result.selection;
    if (names === undefined) expect(matches).toBeUndefined();
    else expect(objects.filter((object) => matches!(object)).map(({ name }) => name)).toEqual(names);
  });

  test.each<{ name: string; given: Given; message: string }>([
    {
      name: 'a label selector that cannot be read',
      given: { query: 'labelSelector=a%3D%3D%3D' },
      message: 'found',
    },
    {
      name: 'a field selector that cannot be read',
      given: { query: 'fieldSelector=a' },
      message: 'invalid selector',
    },
    {
      name: 'an unknown field of a kind with the usual ones',
      given: { query: 'fieldSelector=spec.x%3D1' },
      message: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
    {
      name: 'an unknown field of a kind with its own',
      given: { query: 'fieldSelector=spec.x%3D1', fieldSelectors: withNode },
      message: 'field label not supported: spec.x',
    },
    {
      name: 'an unknown field of a custom resource',
      given: { query: 'fieldSelector=spec.x%3D1', isCustom: true },
      message: 'field label not supported: spec.x',
    },
    {
      name: 'another name than that of the path',
      given: { query: 'fieldSelector=metadata.name%3Da', name: 'b' },
      message: "fieldSelector metadata.name doesn't match requested name",
    },
  ])('The selection of a list is answered 400 for $name', async ({ given, message }) => {
    await expect(select(given)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(message) as string,
    });
  });
});
