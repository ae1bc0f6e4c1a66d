/** Watches as messages of a WebSocket, with an independent client. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { WatchEvent } from '../../support/api-client.ts';
import { AuditedServer } from '../../support/audited-server.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** A client that keeps what it gets. */
class Watcher {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  /** The code with which the server ended the connection. */
  readonly closed: Promise<number>;
  readonly #opened: Promise<unknown>;
  #heard: () => void = () => undefined;
  #isClosed = false;

  constructor(
    { url, ca }: { readonly url: string; readonly ca: string },
    path: string,
    {
      protocols = [],
      headers = {},
      origin = url,
    }: {
      readonly protocols?: string[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly origin?: string;
    } = {},
  ) {
    this.socket = new WebSocket(url.replace('https:', 'wss:') + path, protocols, { ca, origin, headers });
    this.#opened = once(this.socket, 'open');
    this.#opened.catch(() => undefined);
    this.socket.on('message', (data: Buffer, isBinary) => {
      this.messages.push({ data, isBinary });
      this.#heard();
    });
    this.closed = new Promise((resolve) =>
      this.socket.once('close', (code) => {
        this.#isClosed = true;
        this.#heard();
        resolve(code);
      }),
    );
  }

  async open(): Promise<this> {
    await this.#opened;
    return this;
  }

  /** The first messages, when there are so many. */
  async first(count: number): Promise<readonly Message[]> {
    while (this.messages.length < count) {
      if (this.#isClosed) throw new Error(`the socket was closed after ${this.messages.length} messages`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
    return this.messages.slice(0, count);
  }

  async events(count: number): Promise<WatchEvent[]> {
    return (await this.first(count)).map(({ data }) => JSON.parse(data.toString()) as WatchEvent);
  }
}

const admin = { authorization: 'Bearer admintoken' };
const configMaps = '/api/v1/namespaces/default/configmaps';
const shortly = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`);

describe('a watch over a WebSocket', () => {
  let server: TestServer;
  const watchers: Watcher[] = [];
  beforeAll(async () => {
    server = await startTestServer({ flags: ['--authorization-mode=RBAC'] });
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
    ])
      expect((await create(name!, { app: app! })).status).toBe(201);
  });
  afterEach(() => watchers.splice(0).forEach(({ socket }) => socket.terminate()));
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    server.send('POST', configMaps, { body: { metadata: { name, labels }, data: { k: 'v' } } });
  const open = (query: string, options: ConstructorParameters<typeof Watcher>[2] = {}): Promise<Watcher> => {
    const watcher = new Watcher(server, `${configMaps}?watch=true${query}`, {
      ...options,
      headers: { ...admin, ...options.headers },
    });
    watchers.push(watcher);
    return watcher.open();
  };
  const metric = async (name: string): Promise<number> => {
    const lines = (await server.send('GET', '/metrics')).text
      .split('\n')
      .filter(
        (line) =>
          line.startsWith(`${name}{`) && line.includes('resource="configmaps"') && line.includes('verb="WATCH"'),
      );
    return lines
      .filter((line) => name !== 'apiserver_request_total' || line.includes('code="0"'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };

  test('A watch over a WebSocket sends each event as a text message, the line that it is over HTTP', async () => {
    const watcher = await open('&timeoutSeconds=600');
    const [a, b] = await watcher.first(2);
    expect([a!.isBinary, b!.isBinary]).toEqual([false, false]);
    const { metadata, ...rest } = (await server.send('GET', `${configMaps}/a`)).json<{ metadata: object }>();
    expect(a!.data.toString().endsWith('}\n')).toBe(true);
    expect(JSON.parse(a!.data.toString())).toEqual({ type: 'ADDED', object: { ...rest, metadata } });
    await create('c');
    await server.send('PATCH', `${configMaps}/c`, {
      body: { data: { k: 'w' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await server.send('DELETE', `${configMaps}/c`);
    expect(shortly(await watcher.events(5))).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'MODIFIED c', 'DELETED c']);
  });

  test('A watch over a WebSocket in protobuf sends binary messages, without their framed length', async () => {
    const accept = 'application/vnd.kubernetes.protobuf';
    const [message] = await (await open('&fieldSelector=metadata.name%3Da', { headers: { accept } })).first(1);
    const http = await server.send('GET', `${configMaps}?watch=true&fieldSelector=metadata.name%3Da&timeoutSeconds=1`, {
      headers: { accept },
    });
    expect(message!.isBinary).toBe(true);
    expect(message!.data).toEqual(http.bytes.subarray(4, 4 + http.bytes.readUInt32BE(0)));
  });

  test('A table is one, with its columns in the first message', async () => {
    const events = await (
      await open('', { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
    ).events(2);
    expect(
      events.map(({ object }) => [
        object.kind,
        object['columnDefinitions'] !== null && object['columnDefinitions'] !== undefined,
      ]),
    ).toEqual([
      ['Table', true],
      ['Table', false],
    ]);
  });

  test.each([
    { by: 'labels', query: '&labelSelector=app%3Dy' },
    { by: 'fields', query: '&fieldSelector=metadata.name%3Db' },
  ])('Sees what is selected by $by, and nothing else', async ({ query }) => {
    const watcher = await open(query);
    await create('d', { app: 'x' });
    await server.send('DELETE', `${configMaps}/d`);
    await server.send('PATCH', `${configMaps}/b`, {
      body: { data: { k: query } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(shortly(await watcher.events(2))).toEqual(['ADDED b', 'MODIFIED b']);
  });

  test('A watch over a WebSocket goes on from a version', async () => {
    const { metadata } = (await server.send('GET', configMaps)).json<{ metadata: { resourceVersion: string } }>();
    const watcher = await open(`&resourceVersion=${metadata.resourceVersion}`);
    await create('e');
    await server.send('DELETE', `${configMaps}/e`);
    expect(shortly(await watcher.events(2))).toEqual(['ADDED e', 'DELETED e']);
  });

  test('A watch over a WebSocket of a version that is gone says so in a message and ends', async () => {
    const old = (await create('f')).json<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion;
    await create('g');
    for (const name of ['f', 'g']) await server.send('DELETE', `${configMaps}/${name}`);
    await server.store.compact(await server.store.currentRevision());
    // Of a resource that was not requested before, because its cache would be open.
    const watcher = new Watcher(server, `/api/v1/namespaces/default/podtemplates?watch=true&resourceVersion=${old}`, {
      headers: admin,
    });
    const [event] = await watcher.events(1);
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(await watcher.closed).toBe(1000);
  });

  test('A watch over a WebSocket ends with code 1000 after its timeout, behind the bookmark', async () => {
    const watcher = await open('&timeoutSeconds=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3Da');
    expect(await watcher.closed).toBe(1000);
    expect((await watcher.events(watcher.messages.length)).map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
  });

  test.each<{ how: string; leave: (socket: WebSocket) => void }>([
    { how: 'says goodbye', leave: (socket) => socket.close(1000) },
    { how: 'is just gone', leave: (socket) => socket.terminate() },
  ])('A watch over a WebSocket ends when its client $how', async ({ leave }) => {
    // Those of the tests before.
    await expect.poll(() => metric('apiserver_longrunning_requests')).toBe(0);
    const watcher = await open('');
    expect(await metric('apiserver_longrunning_requests')).toBe(1);
    leave(watcher.socket);
    await watcher.closed;
    await expect.poll(() => metric('apiserver_longrunning_requests')).toBe(0);
  });

  test('A watch over a WebSocket counts as the reference counts it, with no code', async () => {
    const before = await metric('apiserver_request_total');
    await open('');
    expect(await metric('apiserver_request_total')).toBe(before + 1);
  });

  test('A watch over a WebSocket answers pings, and does not mind what it is told', async () => {
    const watcher = await open('');
    watcher.socket.send('hello');
    watcher.socket.send(Buffer.alloc(1000));
    watcher.socket.ping('are you there');
    const [data] = (await once(watcher.socket, 'pong')) as [Buffer];
    expect(data.toString()).toBe('are you there');
  });

  test('A watch over a WebSocket speaks the one offered subprotocol, and takes a token from another', async () => {
    expect((await open('', { protocols: ['abc'] })).socket.protocol).toBe('abc');
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('admintoken').toString('base64url')}`;
    const watcher = new Watcher(server, `${configMaps}?watch=true`, { protocols: ['abc', token] });
    watchers.push(watcher);
    await watcher.open();
    expect(watcher.socket.protocol).toBe('abc');
    expect(shortly(await watcher.events(2))).toEqual(['ADDED a', 'ADDED b']);
    // With another credential as well, the token is still none to be told back.
    expect((await open('', { protocols: [token, 'abc'] })).socket.protocol).toBe('abc');
  });
});

describe('a page of another origin', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ flags: ['--cors-allowed-origins=^https://ui\\.example\\.com$'] });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    { name: 'that is not listed', origin: 'https://evil.example.com' },
    { name: 'that has this host in its name', origin: 'https://localhost.evil.example.com' },
    { name: 'that has no name', origin: 'null' },
  ])('A page of another origin opens no WebSocket with credentials: one $name', async ({ origin }) => {
    await expect(new Watcher(server, `${configMaps}?watch=true`, { headers: admin, origin }).open()).rejects.toThrow(
      'Unexpected server response: 403',
    );
  });

  test('A page of another origin opens a WebSocket when it is listed', async () => {
    const watcher = await new Watcher(server, `${configMaps}?watch=true`, {
      headers: admin,
      origin: 'https://ui.example.com',
    }).open();
    watcher.socket.terminate();
  });
});

test('A server that stops tells its watchers that it goes away', async () => {
  const server = await startTestServer();
  const watcher = await new Watcher(server, `${configMaps}?watch=true`, { headers: admin }).open();
  await server[Symbol.asyncDispose]();
  expect(await watcher.closed).toBe(1001);
});

test('Audit records when a watch begins and when it ends, and not the token that was a subprotocol', async () => {
  await using server = await AuditedServer.start({
    policy: 'rules: [{ level: RequestResponse }]',
    flags: ['--audit-log-path=DIRECTORY/audit.log', '--audit-log-mode=blocking'],
  });
  const { url, kubeconfig } = server.controlPlane;
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!, 'base64').toString();
  const token = Buffer.from('jane-token').toString('base64url');
  const headers = { 'audit-id': 'the-watch' };
  const watcher = await new Watcher({ url, ca }, `${configMaps}?watch=true`, {
    protocols: [`base64url.bearer.authorization.k8s.io.${token}`, 'abc'],
    headers,
  }).open();
  watcher.socket.close();
  await expect.poll(async () => (await server.eventsOf('the-watch')).length).toBe(3);
  const events = await server.eventsOf('the-watch');
  expect(
    events.map(({ stage, verb, responseStatus, user }) => [stage, verb, responseStatus?.code, user.username]),
  ).toEqual([
    ['RequestReceived', 'watch', undefined, 'jane'],
    ['ResponseStarted', 'watch', 101, 'jane'],
    ['ResponseComplete', 'watch', 101, 'jane'],
  ]);
  expect(await server.lines()).not.toContainEqual(expect.stringMatching(new RegExp(`jane-token|${token}`)));
});
