/** A server behind an APIService that does not answer, and the effect on other requests. */
import { expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  localService,
} from '../../support/extension-backend.ts';

const things = '/apis/agg.example.com/v1/things';

test('Requests that wait for it take no place of those that are in work here, and end in time', async () => {
  await using files = await createFrontProxyFiles();
  await using backend = await ExtensionBackend.start({ files });
  await using users = await startApiUsers({ alice: [] }, [
    '--authorization-mode=AlwaysAllow',
    '--max-requests-inflight=2',
    '--max-mutating-requests-inflight=2',
    '--request-timeout=4s',
    ...files.flags,
  ]);
  await users.create('/api/v1/namespaces/default/services', localService);
  await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
  await users.until('alice', 'GET', '/apis/agg.example.com/v1', ({ status }) => status === 200);
  backend.answer = () => undefined;
  const waiting = Array.from({ length: 20 }, (_, i) =>
    users.call('alice', i % 2 === 0 ? 'GET' : 'DELETE', `${things}/n${i}`),
  );
  await Promise.all(Array.from({ length: 20 }, (_, i) => backend.until(({ target }) => target === `${things}/n${i}`)));
  expect((await users.call('alice', 'GET', '/api/v1/namespaces/default/pods')).status).toBe(200);
  expect((await users.call('alice', 'DELETE', '/api/v1/namespaces/default/configmaps/x')).status).toBe(404);
  // This answer is text, as upstream's is.
  for (const answer of await Promise.all(waiting))
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([
      504,
      expect.objectContaining({ reason: 'Timeout' }),
    ]);
});

test('A discovery that hangs makes the API unavailable, and holds up no other', async () => {
  await using files = await createFrontProxyFiles();
  await using backend = await ExtensionBackend.start({ files });
  await using hanging = await ExtensionBackend.start({ files });
  await using users = await startApiUsers({}, files.flags);
  hanging.own = {};
  hanging.answer = () => undefined;
  await users.create('/api/v1/namespaces/default/services', localService);
  for (let i = 0; i < 10; i++)
    await users.create(
      apiServicesPath,
      apiService({ group: `g${i}.example.com`, port: hanging.port, spec: { caBundle: files.caBundle } }),
    );
  await hanging.until(({ target }) => target === '/apis/g9.example.com/v1');
  await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
  await users.until('admin', 'GET', '/apis/agg.example.com/v1', ({ status }) => status === 200);
  expect(
    (await users.call('admin', 'GET', `${apiServicesPath}/v1.g9.example.com`)).body.status.conditions,
  ).toBeUndefined();
  const { body } = await users.until(
    'admin',
    'GET',
    `${apiServicesPath}/v1.g9.example.com`,
    (answer) => answer.body.status.conditions !== undefined,
  );
  const url = `https://localhost:${hanging.port}/apis/g9.example.com/v1`;
  expect(body.status.conditions[0]).toMatchObject({
    status: 'False',
    reason: 'FailedDiscoveryCheck',
    message: `failing or missing response from ${url}: Get "${url}": context deadline exceeded`,
  });
});
