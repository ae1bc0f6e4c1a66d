/** CONNECT asks for a tunnel. There is none here, and the request has no path, so that nothing is found under it. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { expect, test } from 'vitest';
import { callServer2 } from '../../support/caller.ts';
import { startTestServer } from '../../support/test-server.ts';

test.each([
  {
    who: 'nobody',
    headers: {},
    status: 403,
    text: 'forbidden: User \\"system:anonymous\\" cannot connect path \\"\\"',
  },
  { who: 'a wrong token', headers: { authorization: 'Bearer x' }, status: 401, text: '"message":"Unauthorized"' },
  { who: 'an administrator', headers: { authorization: 'Bearer admintoken' }, status: 404, text: '404 page not found' },
])('CONNECT over HTTP/2 from $who is answered $status, and the server lives on', async ({ headers, status, text }) => {
  await using server = await startTestServer({ flags: ['--anonymous-auth=true', '--authorization-mode=RBAC'] });
  const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'localhost:443', ...headers });
  const [response] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const chunks = await stream.toArray();
  expect(response[':status']).toBe(status);
  expect(Buffer.concat(chunks as Buffer[]).toString()).toContain(text);
  session.destroy();

  const other = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
  expect((await callServer2(other, '/version', { authorization: 'Bearer admintoken' })).status).toBe(200);
  expect(other.remoteSettings.enableConnectProtocol).toBe(false);
  other.destroy();
});
