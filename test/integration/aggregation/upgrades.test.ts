/** Connections that change their protocol, on their way to the server of another API. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  type FrontProxyFiles,
  localService,
  valuesOf,
} from '../../support/extension-backend.ts';
import { RawConnection } from '../../support/raw-connection.ts';

const things = '/apis/agg.example.com/v1/namespaces/default/things';
const way = `${things}/one/portforward`;

let files: FrontProxyFiles;
let users: ApiUsers;
let backend: ExtensionBackend;
let ca: string;
let connection: RawConnection;
beforeAll(async () => {
  files = await createFrontProxyFiles();
  users = await startApiUsers({ alice: ['devs'], bob: [] }, [
    '--authorization-mode=RBAC',
    '--max-requests-inflight=3',
    '--max-mutating-requests-inflight=3',
    ...files.flags,
  ]);
  ca = Buffer.from(
    /certificate-authority-data: (\S+)/.exec(await readFile(users.kubeconfigPath, 'utf8'))![1]!,
    'base64',
  ).toString();
  await users.create('/api/v1/namespaces/default/services', localService);
  await users.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'things' },
    rules: [{ apiGroups: ['agg.example.com'], resources: ['things', 'things/portforward'], verbs: ['*'] }],
  });
  await users.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'things' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'things' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
  });
  backend = await ExtensionBackend.start({ files, http2: false });
  await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
  await users.until('admin', 'GET', '/apis/agg.example.com/v1', ({ status }) => status === 200);
});
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await users[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});
beforeEach(async () => {
  backend.received.length = 0;
  connection = await RawConnection.open({ url: users.url, ca });
});
afterEach(async () => {
  connection[Symbol.dispose]();
  expect((await users.call('alice', 'GET', things)).status).toBe(200);
});

const request = (method: string, path: string, headers: readonly string[], user = 'alice'): string =>
  `${method} ${path} ` +
  `HTTP/1.1\r\n${['Host: localhost', `Authorization: Bearer token-${user}`, ...headers].join('\r\n')}\r\n\r\n`;
const spdy = [
  'Connection: Upgrade',
  'Upgrade: SPDY/3.1',
  'X-Stream-Protocol-Version: portforward.k8s.io',
  'Content-Length: 0',
];

/** The other side agrees, and says everything again that it hears. */
const echo = (_: IncomingMessage, socket: Socket, head: Buffer): void => {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
      'X-Stream-Protocol-Version: portforward.k8s.io\r\nAudit-Id: theirs\r\n\r\nhello ',
  );
  socket.write(head);
  socket.pipe(socket);
};

/** What comes, until it is as long as is expected. */
const bytes = (text: string): Promise<string> => connection.take(text.length);

describe('the other side agrees', () => {
  beforeEach(() => {
    backend.upgrade = echo;
  });

  test.each(['POST', 'GET'])(
    'Bytes go both ways behind the answer to a %s, also those that came with the request',
    async (method) => {
      connection.write(request(method, `${way}?ports=80`, spdy), 'early ');
      const answer = await connection.answer();
      expect(answer).toMatchObject({
        status: 101,
        headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
      });
      expect(answer.headers['audit-id']).not.toBe('theirs');
      expect(await bytes('hello early ')).toBe('hello early ');
      connection.write('later');
      expect(await bytes('later')).toBe('later');
    },
  );

  test('The aggregated server gets the user, from a front proxy with a certificate, and no credentials', async () => {
    connection.write(
      request(
        'POST',
        way,
        [...spdy, 'X-Remote-User: admin', 'X-Remote-Group: system:masters', 'X-Private: 1'].map((line) =>
          line.replace('Connection: Upgrade', 'Connection: Upgrade, X-Private'),
        ),
      ),
    );
    expect((await connection.answer()).status).toBe(101);
    const [received] = backend.received;
    const seen = (name: string): string[] => valuesOf(received!, name);
    expect([received!.method, received!.target, received!.httpVersion]).toEqual(['POST', way, '1.1']);
    expect([
      seen('connection'),
      seen('upgrade'),
      seen('x-stream-protocol-version'),
      seen('x-remote-user'),
      seen('x-remote-group'),
    ]).toEqual([['Upgrade'], ['SPDY/3.1'], ['portforward.k8s.io'], ['alice'], ['devs', 'system:authenticated']]);
    expect([seen('authorization'), seen('x-private'), seen('host'), seen('x-forwarded-host')]).toEqual([
      [],
      [],
      [`localhost:${backend.port}`],
      [`localhost:${backend.port}`],
    ]);
    expect(received!.client).toBe(new X509Certificate(await readFile(files.clientFiles.certificate)).fingerprint256);
  });

  test('Large data behind an upgrade is passed on unchanged, at the pace of the receiver', async () => {
    connection.write(request('POST', way, spdy));
    expect([(await connection.answer()).status, await bytes('hello ')]).toEqual([101, 'hello ']);
    const much = Buffer.alloc(8 * 1024 * 1024, 'abcdefgh');
    connection.write(much);
    expect((await connection.take(much.length)) === much.toString('latin1')).toBe(true);
  });

  test('Upgraded connections take no place among the requests that are in work here', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => RawConnection.open({ url: users.url, ca })));
    for (const other of others) expect((await other.write(request('POST', way, spdy)).answer()).status).toBe(101);
    expect((await users.call('bob', 'GET', '/version')).status).toBe(200);
    for (const other of others) other[Symbol.dispose]();
  });
});

test('A WebSocket, with the subprotocol that the other side chose and not the token', async () => {
  const server = new WebSocketServer({ noServer: true });
  backend.upgrade = (message, socket, head) =>
    server.handleUpgrade(message, socket, head, (webSocket) =>
      webSocket.on('message', (data: Buffer) => webSocket.send(`heard ${String(data)}`)),
    );
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('token-alice').toString('base64url')}`;
  const client = new WebSocket(`${users.url.replace('https', 'wss')}${way}`, [token, 'v5.channel.k8s.io'], { ca });
  await once(client, 'open');
  expect(client.protocol).toBe('v5.channel.k8s.io');
  client.send('me');
  expect(String(((await once(client, 'message')) as [Buffer])[0])).toBe('heard me');
  expect(valuesOf(backend.received[0]!, 'sec-websocket-protocol')).toEqual(['v5.channel.k8s.io']);
  client.close(1000);
  expect(((await once(client, 'close')) as [number])[0]).toBe(1000);
});

test('A WebSocket for a page of another origin goes to no other server', async () => {
  const before = backend.received.length;
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('token-alice').toString('base64url')}`;
  const client = new WebSocket(`${users.url.replace('https', 'wss')}${way}`, [token, 'v5.channel.k8s.io'], {
    ca,
    origin: 'https://evil.example.com',
  });
  expect(String(((await once(client, 'error')) as [Error])[0])).toContain('403');
  expect(backend.received.length).toBe(before);
});

describe('the end of one side', () => {
  test('The end of the client is the end of the other side of an upgrade, behind what was said', async () => {
    let heard = '';
    const ended = new Promise<void>(
      (resolve) =>
        (backend.upgrade = (_, socket) => {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
          socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).once('close', resolve);
        }),
    );
    connection.write(request('POST', way, spdy));
    expect((await connection.answer()).status).toBe(101);
    connection.write('goodbye').end();
    await ended;
    expect(heard).toBe('goodbye');
  });

  test('The end of the other side of an upgrade is the end of the client, behind what was said', async () => {
    backend.upgrade = (_, socket) =>
      void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\ngoodbye');
    connection.write(request('POST', way, spdy));
    expect([(await connection.answer()).status, await connection.rest()]).toEqual([101, 'goodbye']);
  });

  test('An other side that breaks ends the client', async () => {
    backend.upgrade = (message, socket, head) => {
      echo(message, socket, head);
      socket.once('data', () => backend.drop());
    };
    connection.write(request('POST', way, spdy));
    expect((await connection.answer()).status).toBe(101);
    connection.write('x');
    await connection.closed;
  });
});

describe('what does not change its protocol', () => {
  test.each([
    {
      why: 'a user without the right',
      user: 'bob',
      status: 403,
      body: 'things.agg.example.com \\"one\\" is forbidden',
    },
    { why: 'an unknown caller', user: 'nobody', status: 401, body: 'Unauthorized' },
  ])('An upgrade is refused here, and the other side hears nothing of it: $why', async ({ user, status, body }) => {
    backend.upgrade = echo;
    connection.write(request('POST', way, spdy, user), request('GET', '/version', []));
    expect(await connection.answer()).toMatchObject({ status, body: expect.stringContaining(body) as string });
    expect((await connection.answer()).status).toBe(200);
    expect(backend.received).toEqual([]);
  });

  test('An error of the other side comes as it is, and what comes behind is the next request', async () => {
    backend.upgrade = (_, socket) =>
      void socket.end(
        'HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone',
      );
    connection.write(request('POST', way, spdy), request('GET', '/version', []));
    expect(await connection.answer()).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: 'none',
    });
    expect((await connection.answer()).status).toBe(200);
  });

  test('Any answer but 101 does not change the protocol', async () => {
    backend.upgrade = (_, socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine');
    expect(await connection.write(request('POST', way, spdy)).answer()).toMatchObject({
      status: 503,
      body: 'invalid upgrade response: status code 200\n',
    });
  });

  test('An other side that hangs up without an answer', async () => {
    backend.upgrade = (_, socket) => void socket.destroy();
    expect(await connection.write(request('POST', way, spdy)).answer()).toMatchObject({
      status: 503,
      body: 'error dialing backend: EOF\n',
    });
  });

  test('The wish of a request with a body is ignored, as a server may', async () => {
    connection.write(
      request('POST', things, [
        'Connection: Upgrade',
        'Upgrade: h2c',
        'Content-Type: application/json',
        'Content-Length: 2',
      ]),
      '{}',
    );
    expect((await connection.answer()).status).toBe(200);
    expect(backend.received.map((received) => [received.body, valuesOf(received, 'upgrade')])).toEqual([['{}', []]]);
  });
});
