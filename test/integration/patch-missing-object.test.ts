/** A patch of an object that is not there: no kind is created by it, not even one that a PUT creates. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  { resource: 'configmaps', path: '/api/v1/namespaces/default/configmaps', type: 'merge-patch', body: {} },
  { resource: 'services', path: '/api/v1/namespaces/default/services', type: 'strategic-merge-patch', body: {} },
  { resource: 'services', path: '/api/v1/namespaces/default/services', type: 'json-patch', body: [] },
  {
    resource: 'leases.coordination.k8s.io',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    type: 'merge-patch',
    body: {},
  },
])('$type of $resource is answered 404', async ({ resource, path, type, body }) => {
  const answer = await server.send('PATCH', `${path}/nobody`, {
    body,
    headers: { 'content-type': `application/${type}+json` },
  });
  expect([answer.status, answer.json()]).toMatchObject([
    404,
    { reason: 'NotFound', message: `${resource} "nobody" not found` },
  ]);
});
