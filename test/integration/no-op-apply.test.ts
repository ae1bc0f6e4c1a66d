import { afterEach, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../src/machinery/object-meta.ts';
import { startTestServer } from '../support/test-server.ts';

afterEach(() => void vi.useRealTimers());

const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** What is empty is not stored, and so is no change, whenever it is applied again. */
test.each([
  { name: 'the same data', first: { data: { k: 'v' } }, second: { data: { k: 'v' } } },
  { name: 'data that is empty where there was none', first: { data: null }, second: { data: {} } },
  {
    name: 'labels and data that are empty',
    first: { metadata: { name: 'a', labels: {} }, data: {} },
    second: { metadata: { name: 'a', labels: {} }, data: {} },
  },
])('An apply that is repeated a minute later writes nothing: $name', async ({ first, second }) => {
  await using server = await startTestServer();
  const apply = async (more: object): Promise<KubeObject> =>
    (
      await server.send('PATCH', '/api/v1/namespaces/default/configmaps/a?fieldManager=m', {
        body: { ...named, ...more },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
    ).json<KubeObject>();
  const before = await apply(first);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  const after = await apply(second);
  expect(before.metadata?.resourceVersion).toMatch(/^\d+$/);
  expect(after).toEqual(before);
});
