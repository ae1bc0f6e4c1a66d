/**
 * Slashes more than there should be: kube-apiserver 1.20 was asked for the same and answered with the same statuses.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  ['//', 404],
  ['//version', 404],
  ['//api/v1/nodes', 404],
  ['/api//v1/nodes', 404],
  ['/api/v1//nodes', 404],
  ['/apis//apps/v1/deployments', 404],
  ['/apis/apps//v1/deployments', 404],
  ['/openapi//v2', 404],
  ['/api/v1/namespaces//default/pods', 404],
  ['/api/v1/namespaces/default//pods', 404],
  ['/api/v1/namespaces/default/pods//log', 400],
  ['/api/v1/namespaces/default/pods/x//log', 404],
  ['/version/', 200],
  ['/api/v1//', 200],
  ['/apis/apps//', 200],
  ['/api/v1/nodes/', 200],
  ['/api/v1/nodes//', 200],
  ['/api/v1/namespaces//', 200],
  ['/api/v1/namespaces/default/pods//', 200],
])('GET %s is answered %i', async (path, status) => {
  expect((await server.send('GET', path)).status).toBe(status);
});
