/**
 * Malicious requests to upgrade the protocol. None bypasses the filters, none is taken for another request, and the
 * server keeps running. Statuses and texts as seen with kube-apiserver 1.20.
 */
import { describe, expect, test } from 'vitest';
import {
  connection,
  configMaps,
  watch,
  admin,
  alice,
  webSocket,
  spdy,
  h2c,
  request,
  startBeforeTests,
} from '../../support/servers/upgrades.ts';

startBeforeTests();

const without = (name: string): string[] => webSocket.filter((header) => !header.startsWith(`${name}:`));

const offering = (protocols: string): string[] => [...webSocket, `Sec-WebSocket-Protocol: ${protocols}`];

const asToken = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;

describe('is refused, and the connection goes on', () => {
  test.each<{ why: string; path?: string; headers: readonly string[]; method?: string; status: number; text: string }>([
    {
      why: 'a WebSocket without credentials',
      headers: webSocket,
      status: 403,
      text:
        'configmaps \\"first\\" is forbidden: User \\"system:anonymous\\" cannot watch resource \\"configmaps\\" ' +
        'in API group \\"\\" in the namespace \\"default\\"',
    },
    {
      why: 'a WebSocket with a wrong token',
      headers: [...webSocket, 'Authorization: Bearer x'],
      status: 401,
      text: '"message":"Unauthorized","reason":"Unauthorized","code":401',
    },
    {
      why: 'a wrong token among the subprotocols',
      headers: offering(`a, ${asToken('x')}`),
      status: 401,
      text: '"Unauthorized"',
    },
    {
      why: 'a token that is the only subprotocol: there is nothing to speak',
      headers: offering(asToken('admintoken')),
      status: 401,
      text: '"Unauthorized"',
    },
    {
      why: 'two tokens among the subprotocols',
      headers: offering(`a, ${asToken('admintoken')}, ${asToken('admintoken')}`),
      status: 401,
      text: '"Unauthorized"',
    },
    {
      why: 'a WebSocket of a user without the right',
      headers: [...webSocket, alice],
      status: 403,
      text: 'User \\"alice\\" cannot watch resource',
    },
    {
      why: 'impersonation without the right',
      headers: [...webSocket, alice, 'Impersonate-User: admin', 'Impersonate-Group: system:masters'],
      status: 403,
      text: 'cannot impersonate',
    },
    {
      why: 'an object that is not there',
      path: `${configMaps}/nope`,
      headers: [...webSocket, admin],
      status: 404,
      text: 'configmaps \\"nope\\" not found',
    },
    {
      why: 'a watch with a wrong selector',
      path: `${configMaps}?watch=true&fieldSelector=a%3Db`,
      headers: [...webSocket, admin],
      status: 400,
      text: 'is not a known field selector',
    },
    {
      why: 'a watch in YAML',
      headers: [...webSocket, admin, 'Accept: application/yaml'],
      status: 406,
      text: 'only the following media types are accepted',
    },
    {
      why: 'SPDY without credentials',
      headers: spdy,
      path: '/api/v1/namespaces/default/pods/p/exec?command=ls',
      method: 'POST',
      status: 403,
      text: 'cannot create resource \\"pods/exec\\"',
    },
    {
      why: 'SPDY with a wrong token',
      headers: [...spdy, 'Authorization: Bearer x'],
      path: '/api/v1/namespaces/default/pods/p/exec?command=ls',
      method: 'POST',
      status: 401,
      text: '"Unauthorized"',
    },
    {
      why: 'h2c with a wrong token',
      headers: [...h2c, 'Authorization: Bearer x'],
      status: 401,
      text: '"Unauthorized"',
    },
    {
      why: 'CONNECT without credentials',
      path: 'localhost:443',
      headers: [],
      method: 'CONNECT',
      status: 403,
      text: 'cannot connect path \\"\\"',
    },
    {
      why: 'CONNECT: there is no such path',
      path: 'localhost:443',
      headers: [admin],
      method: 'CONNECT',
      status: 404,
      text: '404 page not found',
    },
  ])(
    'An upgrade is refused, and the connection goes on: $why',
    async ({ path = watch, headers, method, status, text }) => {
      const answer = await connection
        .write(request(path, headers, { ...(method === undefined ? {} : { method }) }))
        .answer();
      expect(answer).toMatchObject({ status, body: expect.stringContaining(text) as string });
      expect((await connection.write(request('/version', [admin])).answer()).status).toBe(200);
    },
  );
});

describe('is ignored, as a server may, and the request answered as if it had not been said', () => {
  test.each<{ why: string; path?: string; headers: readonly string[]; text?: string }>([
    { why: 'h2c', headers: h2c },
    { why: 'SPDY where nothing streams', headers: spdy },
    { why: 'a WebSocket where nothing streams', headers: webSocket },
    { why: 'an unknown protocol', headers: ['Connection: upgrade', 'Upgrade: a/1, b/2'] },
    { why: 'an Upgrade header that Connection does not name', headers: ['Upgrade: websocket'] },
    { why: 'a Connection header without Upgrade', headers: ['Connection: upgrade'] },
    { why: 'a WebSocket for one object', path: `${configMaps}/first`, headers: webSocket, text: 'hidden' },
  ])(
    'An upgrade is ignored, as a server may, and the request is answered without it: $why',
    async ({ path = '/healthz/ping', headers, text = 'ok' }) => {
      for (let i = 0; i < 3; i++)
        expect(await connection.write(request(path, [...headers, admin])).answer()).toMatchObject({
          status: 200,
          body: expect.stringContaining(text) as string,
        });
    },
  );

  const map = JSON.stringify({ metadata: { generateName: 'made-' } });
  test.each([
    { why: 'a WebSocket', headers: webSocket },
    { why: 'h2c', headers: h2c },
    { why: 'SPDY', headers: spdy },
  ])(
    'An upgrade is ignored: $why on a POST, whose body is read as its length says, and the next request is served',
    async ({ headers }) => {
      const post = request(
        configMaps,
        [...headers, admin, 'Content-Type: application/json', `Content-Length: ${map.length}`],
        { method: 'POST', body: map },
      );
      const inPieces = request(
        configMaps,
        [...headers, admin, 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Trailer: X-More'],
        { method: 'POST', body: `${map.length.toString(16)}\r\n${map}\r\n0\r\nX-More: yes\r\n\r\n` },
      );
      connection.write(post + inPieces + request('/version', [admin]));
      expect([
        (await connection.answer()).status,
        (await connection.answer()).status,
        (await connection.answer()).status,
      ]).toEqual([201, 201, 200]);
    },
  );

  test('Each of many that come at once gets its answer, in order', async () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/healthz/${i % 2 === 0 ? 'ping' : 'none'}`);
    connection.write(
      paths.map((path, i) => request(path, [...(i % 3 === 0 ? h2c : i % 3 === 1 ? webSocket : []), admin])).join(''),
    );
    for (const path of paths)
      expect([path, (await connection.answer()).status]).toEqual([path, path.endsWith('ping') ? 200 : 404]);
  });

  test('A hundred on one connection leave nothing behind on it', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    for (let i = 0; i < 50; i++) {
      expect((await connection.write(request('/healthz/ping', [...h2c, admin])).answer()).status).toBe(200);
      expect((await connection.write(request(watch, webSocket)).answer()).status).toBe(403);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});

describe('a WebSocket that is not asked for as it must be is refused, and the connection ends', () => {
  test.each<{ why: string; headers: readonly string[]; status: number; body?: string }>([
    { why: 'no key', headers: without('Sec-WebSocket-Key'), status: 400, body: 'mismatch challenge/response' },
    {
      why: 'no version',
      headers: without('Sec-WebSocket-Version'),
      status: 400,
      body: 'missing or bad WebSocket Version',
    },
    {
      why: 'a version from before the RFC',
      headers: [...without('Sec-WebSocket-Version'), 'Sec-WebSocket-Version: 8'],
      status: 400,
      body: 'missing or bad WebSocket Version',
    },
    { why: 'no origin', headers: without('Origin'), status: 403 },
    { why: 'an origin that is none', headers: [...without('Origin'), 'Origin: null'], status: 403 },
    { why: 'two subprotocols: one is as good as the other', headers: offering('a, b'), status: 400 },
    {
      why: 'a body: it would be read as messages',
      headers: [...webSocket, 'Content-Length: 5'],
      status: 400,
      body: 'not websocket protocol',
    },
    {
      why: 'a body in chunks',
      headers: [...webSocket, 'Transfer-Encoding: chunked'],
      status: 400,
      body: 'not websocket protocol',
    },
  ])(
    'A WebSocket that is not asked for as it must be is refused, and the connection ends: $why',
    async ({ headers, status, body = '' }) => {
      // What could be taken for a second request.
      connection.write(request(watch, [...headers, admin]), request('/version', [admin]));
      expect(await connection.answer()).toMatchObject({ status, body });
      expect(await connection.rest()).not.toContain('gitVersion');
    },
  );
});
