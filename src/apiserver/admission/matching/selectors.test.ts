import { expect, test } from 'vitest';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { attributesFor, objectsOf } from '../testing/attributes.ts';
import { createSelectorMatch } from './selectors.ts';

const named = (name: string, labels: Record<string, string> = {}): KubeObject => ({ metadata: { name, labels } });
const cluster = objectsOf(
  { '/namespaces': [named('team', { env: 'test' })] },
  { '/namespaces': [named('team', { env: 'prod' }), named('new', { env: 'test' })] },
);
const inTest = { namespaceSelector: { matchLabels: { env: 'test' } } };
const isBlue = { objectSelector: { matchExpressions: [{ key: 'color', operator: 'In', values: ['blue'] }] } };
const pod = (labels?: Record<string, string>): KubeObject => named('p', labels);

test.each([
  { name: 'no selectors', selectors: {}, of: attributesFor('pods', pod()), matches: true },
  {
    name: 'a selector without requirements, of a namespace that is not there',
    selectors: { namespaceSelector: {} },
    of: attributesFor('pods', pod(), { namespace: 'none' }),
    matches: true,
  },
  {
    name: 'the labels of the namespace, as the cache has them',
    selectors: inTest,
    of: attributesFor('pods', pod()),
    matches: true,
  },
  {
    name: 'the labels of a namespace that the cache does not have yet',
    selectors: inTest,
    of: attributesFor('pods', pod(), { namespace: 'new' }),
    matches: true,
  },
  {
    name: 'other labels of the namespace',
    selectors: { namespaceSelector: { matchLabels: { env: 'prod' } } },
    of: attributesFor('pods', pod()),
    matches: false,
  },
  { name: 'what lies in no namespace', selectors: inTest, of: attributesFor('nodes', named('n')), matches: true },
  {
    name: 'a namespace that is made',
    selectors: inTest,
    of: attributesFor('namespaces', named('x', { env: 'test' })),
    matches: true,
  },
  {
    name: 'a namespace that gets other labels',
    selectors: inTest,
    of: attributesFor('namespaces', named('team', { env: 'prod' }), {
      operation: 'UPDATE',
      oldObject: named('team', { env: 'test' }),
    }),
    matches: false,
  },
  {
    name: 'a namespace that is deleted',
    selectors: inTest,
    of: attributesFor('namespaces', undefined, { operation: 'DELETE', name: 'team', oldObject: named('team') }),
    matches: true,
  },
  {
    name: 'the labels of the object',
    selectors: isBlue,
    of: attributesFor('pods', pod({ color: 'blue' })),
    matches: true,
  },
  {
    name: 'the labels that the object had',
    selectors: isBlue,
    of: attributesFor('pods', pod(), { operation: 'UPDATE', oldObject: pod({ color: 'blue' }) }),
    matches: true,
  },
  {
    name: 'no such labels',
    selectors: isBlue,
    of: attributesFor('pods', pod({ color: 'red' }), { oldObject: pod() }),
    matches: false,
  },
  {
    name: 'no object',
    selectors: { objectSelector: { matchExpressions: [{ key: 'color', operator: 'DoesNotExist' }] } },
    of: attributesFor('pods', undefined),
    matches: false,
  },
  {
    name: 'a Scale, which has no labels',
    selectors: isBlue,
    of: attributesFor('pods', pod({ color: 'blue' }), { kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } }),
    matches: false,
  },
])('Selectors see $name: $matches', async ({ selectors, of, matches }) => {
  expect(await createSelectorMatch(selectors, cluster)(of)).toBe(matches);
});

test('A namespace that is not there is 404', async () => {
  await expect(
    createSelectorMatch(inTest, cluster)(attributesFor('pods', pod(), { namespace: 'none' })),
  ).rejects.toMatchObject({
    code: 404,
    message: 'namespaces "none" not found',
  });
});

test('A selector that cannot be understood is 500 for what it is asked about', async () => {
  const match = createSelectorMatch({ objectSelector: { matchLabels: { x: 'not a value' } } }, cluster);
  await expect(match(attributesFor('pods', pod()))).rejects.toMatchObject({ code: 500 });
});
