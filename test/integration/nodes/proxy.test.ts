/** The subresource `proxy` of nodes, pods and services. */
import { once } from 'node:events';
import https from 'node:https';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import zlib from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKubeletFiles, createNode, createPodOn, type KubeletFiles, TestKubelet } from '../../support/kubelet.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

/** Addresses of the machine itself are not proxied to. */
const address = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const core = '/api/v1/namespaces/default';

let files: KubeletFiles;
let agent: TestKubelet;
let app: TestKubelet;
let server: TestServer;

const send = async (method: string, path: string, body?: object): Promise<void> => {
  const answer = await server.send(method, path, body === undefined ? {} : { body });
  if (answer.status > 299) throw new Error(answer.text);
};

beforeAll(async () => {
  files = await createKubeletFiles();
  agent = await TestKubelet.start(files);
  app = await TestKubelet.start(undefined, address);
  const flags = ['--kubelet-preferred-address-types=ExternalIP,InternalIP', `--kubelet-port=${agent.port}`];
  server = await startTestServer({ flags: [...files.flags, ...flags, '--authorization-mode=RBAC'] });
  // The agent does not say where it listens: --kubelet-port counts.
  await createNode(server, 'n1', 0, [
    { type: 'InternalIP', address: '192.0.2.254' },
    { type: 'ExternalIP', address: '127.0.0.1' },
  ]);
  const ports = [{ containerPort: app.port }];
  await createPodOn(server, 'n1', 'p', { containers: [{ name: 'c', image: 'i', ports }] });
  const podIPs = [{ ip: address ?? '192.0.2.1' }];
  const status = { phase: 'Running', podIP: podIPs[0]!.ip, podIPs };
  const pod = (await server.send('GET', `${core}/pods/p`)).json<object>();
  await send('PUT', `${core}/pods/p/status`, { ...pod, status });
  await send('POST', `${core}/services`, { metadata: { name: 's' }, spec: { ports: [{ name: 'web', port: 80 }] } });
  const targetRef = { kind: 'Pod', namespace: 'default', name: 'p' };
  await send('POST', `${core}/endpoints`, {
    metadata: { name: 's' },
    subsets: [{ addresses: [{ ip: podIPs[0]!.ip, targetRef }], ports: [{ name: 'web', port: app.port }] }],
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await agent[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});
beforeEach(() => {
  app.answer = agent.answer = (_, response) => response.end('answer');
});

const messageOf = async (path: string): Promise<unknown> => {
  const answer = await server.send('GET', path);
  const { code, message } = answer.json<{ code: number; message: string }>();
  return [code, message];
};

describe('proxy of nodes', () => {
  test('A node is reached at the preferred address of its agent, with the certificate of the server', async () => {
    const answer = await server.send('POST', '/api/v1/nodes/n1/proxy/a%20b/../c/?d=e&f', {
      body: { g: 1 },
      headers: { 'x-own': '1', 'x-remote-user': 'root', connection: 'x-hop', 'x-hop': '1' },
    });
    expect([answer.status, answer.text]).toEqual([200, 'answer']);
    expect(agent.last).toMatchObject({
      method: 'POST',
      target: '/c/?d=e&f',
      body: '{"g":1}',
      client: 'orch-admin',
      headers: {
        'x-own': '1',
        'x-forwarded-uri': '/api/v1/nodes/n1/proxy/c/',
        host: new URL(server.url).host,
      },
    });
    expect(Object.keys(agent.last.headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:authorization|x-remote-user|x-hop)$/)]),
    );
  });

  test.each([
    { name: 'an address of the machine on another port', path: 'n1:80', expected: [400, 'address not allowed'] },
    { name: 'a scheme that there is not', path: 'ftp:n1:80', expected: [400, 'invalid node request "ftp:n1:80"'] },
    { name: 'a node that there is not', path: 'n2', expected: [404, 'nodes "n2" not found'] },
  ])('A request to $name is refused', async ({ path, expected }) => {
    expect(await messageOf(`/api/v1/nodes/${path}/proxy/`)).toEqual(expected);
  });

  test('A path without a last slash is completed, because relative links would lead elsewhere', async () => {
    const answer = await server.send('GET', '/api/v1/nodes/n1/proxy?a=b');
    expect([answer.status, answer.headers['location']]).toEqual([301, '/api/v1/nodes/n1/proxy/?a=b']);
  });

  test('The right to read nodes is none to reach them', async () => {
    const answer = await server.send('GET', '/api/v1/nodes/n1/proxy/', { user: 'alice' });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('nodes/proxy')]);
  });
});

describe.runIf(address !== undefined)('proxy of pods and services', () => {
  test.each([
    { name: 'the first port of a pod', path: () => 'pods/p/proxy/x' },
    { name: 'a port of a pod', path: () => `pods/http:p:${app.port}/proxy/x` },
    { name: 'the only port of a service by its name', path: () => 'services/s:web/proxy/x' },
    { name: 'the number of a port of a service', path: () => 'services/http:s:80/proxy/x' },
  ])('A request to $name goes there', async ({ path }) => {
    const before = app.received.length;
    const answer = await server.send('GET', `${core}/${path()}`);
    expect([answer.status, answer.text, app.received.length - before]).toEqual([200, 'answer', 1]);
    expect(app.last).toMatchObject({ method: 'GET', target: '/x', client: undefined });
  });

  test.each([
    { name: 'a number that is no port', path: 's:81', expected: [503, 'no service port 81 found for service "s"'] },
    { name: 'a name that is no port', path: 's:x', expected: [503, 'no endpoints available for service "s:x"'] },
    { name: 'a scheme that there is not', path: 'x:s:80', expected: [400, 'invalid service request "x:s:80"'] },
  ])('A request to a service with $name is refused', async ({ path, expected }) => {
    expect(await messageOf(`${core}/services/${path}/proxy/`)).toEqual(expected);
  });

  test('Links of a page and redirects lead through the proxy, and the server does not follow them', async () => {
    app.answer = ({ url = '' }, response) => {
      if (url === '/moved') return void response.writeHead(302, { location: '/there' }).end();
      const page = '<a href="/a">x</a>';
      const isPacked = url === '/gzip';
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      });
      response.end(isPacked ? zlib.gzipSync(page) : page);
    };
    const proxy = `${core}/services/s:web/proxy`;
    const before = app.received.length;
    const moved = await server.send('GET', `${proxy}/moved`);
    expect([moved.status, moved.headers['location'], app.received.length - before]).toEqual([302, `${proxy}/there`, 1]);
    expect((await server.send('GET', `${proxy}/page`)).text).toBe(`<a href="${proxy}/a">x</a>`);
    const packed = (await server.send('GET', `${proxy}/gzip`)).bytes;
    expect(zlib.gunzipSync(packed).toString()).toBe(`<a href="${proxy}/a">x</a>`);
  });

  test('A server that is not there is said to be unavailable', async () => {
    expect(await messageOf(`${core}/pods/p:1/proxy/`)).toEqual([
      503,
      `error trying to reach service: dial tcp ${address}:1: connect: connection refused`,
    ]);
  });

  test('A connection that changes its protocol is handed on both ways, and ends on both sides', async () => {
    app.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ');
      socket.pipe(socket);
    };
    const request = https.request(`${server.url}${core}/pods/p/proxy/chat?a=b`, {
      ca: server.ca,
      headers: { authorization: 'Bearer admintoken', connection: 'Upgrade', upgrade: 'echo' },
    });
    request.end();
    const [, socket] = (await once(request, 'upgrade')) as [unknown, Duplex, Buffer];
    expect(app.last).toMatchObject({ target: '/chat?a=b', headers: { upgrade: 'echo' } });
    const gone = once(app.events, 'gone');
    socket.write('world');
    let got = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) if ((got += chunk.toString()).length >= 11) break;
    expect(got.slice(-5)).toBe('world');
    await gone;
  });
});
