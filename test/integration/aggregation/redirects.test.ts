import { expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  localService,
} from '../../support/extension-backend.ts';

const base = '/apis/agg.example.com/v1';

test.each([
  {
    name: 'is passed on with --aggregator-reject-forwarding-redirect=false',
    flags: ['--aggregator-reject-forwarding-redirect=false'],
    status: 302,
    location: 'https://192.0.2.1/',
  },
  { name: 'is refused usually', flags: [], status: 502, location: undefined },
])('A redirect of the server behind $name', async ({ flags, status, location }) => {
  await using files = await createFrontProxyFiles();
  await using users = await startApiUsers({}, [...files.flags, ...flags]);
  await using backend = await ExtensionBackend.start({ files, http2: false });
  await users.create('/api/v1/namespaces/default/services', localService);
  await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
  await users.until('admin', 'GET', base, (answer) => answer.status === 200);
  backend.answer = (_, response) => void response.writeHead(302, { location: 'https://192.0.2.1/' }).end();
  const answer = await users.call('admin', 'GET', `${base}/namespaces/default/things`);
  expect([answer.status, answer.headers['location']]).toEqual([status, location]);
});
