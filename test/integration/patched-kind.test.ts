/** What a patch says of the kind of an object. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  expect((await server.send('POST', configMaps, { body: { metadata: { name: 'a' }, data: { a: 'b' } } })).status).toBe(
    201,
  );
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([
  {
    name: 'in a strategic merge changes nothing',
    type: 'strategic-merge-patch',
    body: { apiVersion: 'old.example.com/v1', kind: 'Secret', data: { a: 'c' } },
    status: 200,
    answer: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'c' } },
  },
  {
    name: 'in a merge makes another object of it',
    type: 'merge-patch',
    body: { kind: 'Secret', data: null },
    status: 422,
    answer: { kind: 'Status', message: expect.stringContaining('unknown conversion') as string },
  },
])('A kind $name', async ({ type, body, status, answer }) => {
  const patched = await server.send('PATCH', `${configMaps}/a`, {
    body,
    headers: { 'content-type': `application/${type}+json` },
  });
  expect([patched.status, patched.json()]).toMatchObject([status, answer]);
});
