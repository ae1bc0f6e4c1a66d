import { expect, test } from 'vitest';
import { startTestServer } from '../../support/test-server.ts';

test('A watch whose time is over before it begins ends at once', async () => {
  await using server = await startTestServer();
  const { status } = await server.send('GET', '/api/v1/namespaces?watch=1&timeoutSeconds=-1');
  expect(status).toBe(200);
});
