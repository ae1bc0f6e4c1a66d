/**
 * Malicious requests to upgrade the protocol. None bypasses the filters, none is taken for another request, and the
 * server keeps running. Statuses and texts as seen with kube-apiserver 1.20.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RawConnection } from '../../support/raw-connection.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
let connection: RawConnection;
const configMaps = '/api/v1/namespaces/default/configmaps';
const watch = `${configMaps}?watch=true&fieldSelector=metadata.name%3Dfirst`;
beforeAll(async () => {
  server = await startTestServer({ flags: ['--anonymous-auth=true', '--authorization-mode=RBAC'] });
  expect(
    (await server.send('POST', configMaps, { body: { metadata: { name: 'first' }, data: { secret: 'hidden' } } }))
      .status,
  ).toBe(201);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  connection = await RawConnection.open(server);
});
afterEach(async () => {
  connection[Symbol.dispose]();
  expect((await server.send('GET', `${configMaps}/first`)).status).toBe(200);
});

const admin = 'Authorization: Bearer admintoken';
const alice = 'Authorization: Bearer alicetoken';
const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Version: 13',
  'Origin: https://localhost',
];
const spdy = ['Connection: Upgrade', 'Upgrade: SPDY/3.1'];
const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const request = (path: string, headers: readonly string[], { method = 'GET', body = '' } = {}): string =>
  `${method} ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n${body}`;
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
  ])('$why', async ({ path = watch, headers, method, status, text }) => {
    const answer = await connection
      .write(request(path, headers, { ...(method === undefined ? {} : { method }) }))
      .answer();
    expect(answer).toMatchObject({ status, body: expect.stringContaining(text) as string });
    expect((await connection.write(request('/version', [admin])).answer()).status).toBe(200);
  });
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
  ])('$why', async ({ path = '/healthz/ping', headers, text = 'ok' }) => {
    for (let i = 0; i < 3; i++)
      expect(await connection.write(request(path, [...headers, admin])).answer()).toMatchObject({
        status: 200,
        body: expect.stringContaining(text) as string,
      });
  });

  const map = JSON.stringify({ metadata: { generateName: 'made-' } });
  test.each([
    { why: 'a WebSocket', headers: webSocket },
    { why: 'h2c', headers: h2c },
    { why: 'SPDY', headers: spdy },
  ])('$why on a POST, whose body is read as its length says, and the next request is served', async ({ headers }) => {
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
  });

  test('each of many that come at once gets its answer, in order', async () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/healthz/${i % 2 === 0 ? 'ping' : 'none'}`);
    connection.write(
      paths.map((path, i) => request(path, [...(i % 3 === 0 ? h2c : i % 3 === 1 ? webSocket : []), admin])).join(''),
    );
    for (const path of paths)
      expect([path, (await connection.answer()).status]).toEqual([path, path.endsWith('ping') ? 200 : 404]);
  });

  test('a hundred on one connection leave nothing behind on it', async () => {
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
  ])('$why', async ({ headers, status, body = '' }) => {
    // What could be taken for a second request.
    connection.write(request(watch, [...headers, admin]), request('/version', [admin]));
    expect(await connection.answer()).toMatchObject({ status, body });
    expect(await connection.rest()).not.toContain('gitVersion');
  });
});

describe('a way into a container', () => {
  const pods = '/api/v1/namespaces/default/pods';
  beforeAll(async () => {
    expect((await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'n1' } } })).status).toBe(201);
    for (const [name, nodeName] of [
      ['p', 'n1'],
      ['lost', 'n2'],
      ['waiting', undefined],
    ] as const) {
      expect(
        (
          await server.send('POST', pods, {
            body: {
              metadata: { name },
              spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
            },
          })
        ).status,
      ).toBe(201);
    }
  });

  const ways: { by: string; headers: readonly string[]; method: string }[] = [
    { by: 'WebSocket', headers: [...webSocket, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'], method: 'GET' },
    {
      by: 'SPDY',
      headers: [...spdy, 'X-Stream-Protocol-Version: v4.channel.k8s.io', 'Content-Length: 0'],
      method: 'POST',
    },
  ];
  test.each(
    ways.flatMap((way) => [
      { ...way, path: 'p/exec?command=ls&stdout=true', status: 503, text: 'no connection to node \\"n1\\"' },
      { ...way, path: 'p/attach?stdout=true', status: 503, text: 'no connection to node \\"n1\\"' },
      { ...way, path: 'p/portforward', status: 503, text: 'no connection to node \\"n1\\"' },
      { ...way, path: 'p/exec?command=ls&container=x', status: 400, text: 'container x is not valid for pod p' },
      { ...way, path: 'p/exec?command=ls&dryRun=All', status: 400, text: 'dryRun is not supported' },
      { ...way, path: 'p/proxy/', status: 400, text: 'address not allowed' },
      { ...way, path: 'lost/exec?command=ls', status: 404, text: 'nodes \\"n2\\" not found' },
      { ...way, path: 'waiting/exec?command=ls', status: 400, text: 'pod waiting does not have a host assigned' },
      { ...way, path: 'absent/exec?command=ls', status: 404, text: 'pods \\"absent\\" not found' },
    ]),
  )(
    '$path by $by is answered $status, as far as is known without the node',
    async ({ path, headers, method, status, text }) => {
      connection.write(request(`${pods}/${path}`, [...headers, admin], { method }));
      expect(await connection.answer()).toMatchObject({ status, body: expect.stringContaining(text) as string });
      expect((await connection.write(request('/version', [admin])).answer()).status).toBe(200);
    },
  );

  test.each(['exec?command=ls', 'attach', 'portforward'])(
    '%s as plain HTTP is told to ask for another protocol',
    async (path) => {
      connection.write(request(`${pods}/p/${path}`, [admin]));
      expect(await connection.answer()).toMatchObject({
        status: 400,
        body: expect.stringContaining('"message":"Upgrade request required"') as string,
      });
    },
  );

  test('the right to run commands is asked for by the method that was sent', async () => {
    for (const [verb, { headers, method }] of [
      ['get', ways[0]!],
      ['create', ways[1]!],
    ] as const) {
      connection.write(request(`${pods}/p/exec?command=ls`, [...headers, alice], { method }));
      expect(await connection.answer()).toMatchObject({
        status: 403,
        body: expect.stringContaining(`cannot ${verb} resource \\"pods/exec\\"`) as string,
      });
    }
  });
});

describe('behind the opening of a WebSocket', () => {
  test('a second HTTP request on a WebSocket ends the connection with a protocol error and no response', async () => {
    connection.write(request(watch, [...webSocket, admin]) + request(`${configMaps}/first`, [admin]));
    expect((await connection.answer()).status).toBe(101);
    const rest = await connection.rest();
    expect(rest).toContain('\x88\x02\x03\xea');
    expect(rest).not.toContain('HTTP/1.1');
  });

  test('the same behind a refused one is answered by itself, with its own credentials', async () => {
    connection.write(
      request(watch, [...webSocket, admin.replace('admin', 'x')]) +
        request(`${configMaps}/first`, []) +
        request(`${configMaps}/first`, [admin]),
    );
    expect([
      (await connection.answer()).status,
      (await connection.answer()).status,
      (await connection.answer()).status,
    ]).toEqual([401, 403, 200]);
  });

  test('a message longer than any client has to send ends it', async () => {
    connection.write(request(watch, [...webSocket, admin]));
    expect((await connection.answer()).status).toBe(101);
    const frame = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x00, 0x20, 0, 0, 1, 2, 3, 4]);
    expect(await connection.write(frame).rest()).toContain('\x88\x02\x03\xf1');
  });

  test('a message that is not masked ends it', async () => {
    connection.write(request(watch, [...webSocket, admin]));
    expect((await connection.answer()).status).toBe(101);
    expect(await connection.write(Buffer.from([0x81, 0x01, 0x61])).rest()).toContain('\x88\x02\x03\xea');
  });
});

describe('never gets an answer from behind the filters', () => {
  test('more headers than a request may have', async () => {
    connection.write(request(watch, [...webSocket, admin, `X-Big: ${'x'.repeat(1_100_000)}`]));
    expect(await connection.rest()).not.toMatch(/101|hidden/);
  });

  test('a length and chunks, of which one must be a lie', async () => {
    connection.write(
      request(watch, [...webSocket, admin, 'Content-Length: 5', 'Transfer-Encoding: chunked'], { body: '0\r\n\r\n' }),
      request('/version', [admin]),
    );
    expect(await connection.rest()).not.toMatch(/101|hidden|gitVersion/);
  });

  test('an expectation that no server knows', async () => {
    connection.write(request('/version', [...h2c, admin, 'Expect: the-best']));
    expect((await connection.answer()).status).toBe(417);
    await connection.closed;
  });

  test('a WebSocket request without a Host header is refused', async () => {
    connection.write(`GET ${watch} HTTP/1.1\r\n${[...webSocket, admin].join('\r\n')}\r\n\r\n`);
    expect(await connection.rest()).toMatch(/^HTTP\/1.1 400 /);
  });
});
