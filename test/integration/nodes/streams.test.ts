/**
 * Commands in containers, and forwarded ports, against a node agent over TLS.
 *
 * One file because its cases share an API server and a node agent.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Event } from '../../../src/api/gen/types/audit-v1.ts';
import type { Client } from '../../../src/client/client.ts';
import { SpdyConnection } from '../../../src/spdy/connection.ts';
import { AdmissionWebhook, patching } from '../../support/admission-webhook.ts';
import { createKubeletFiles, createNode, createPodOn, type KubeletFiles, TestKubelet } from '../../support/kubelet.ts';
import { type KubeletStreams, kubeletProtocols, serveStreams } from '../../support/kubelet-streams.ts';
import { openRawWebSocket } from '../../support/raw-web-socket.ts';
import { openSpdy } from '../../support/spdy-client.ts';
import type { TestServer } from '../../support/test-server.ts';
import { type ClientServer, startClientServer } from '../client/client-server.ts';

const pods = '/api/v1/namespaces/default/pods';

let files: KubeletFiles;
let kubelet: TestKubelet;
let started: ClientServer;
let server: TestServer;
let client: Client;
let node: KubeletStreams;
let directory: string;
let auditLog: string;

beforeAll(async () => {
  files = await createKubeletFiles();
  kubelet = await TestKubelet.start(files);
  directory = await mkdtemp(path.join(tmpdir(), 'orch-streams-'));
  auditLog = path.join(directory, 'audit.log');
  const policy = path.join(directory, 'policy.yaml');
  await writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
  const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`, '--audit-log-mode=blocking'];
  started = await startClientServer({ flags: [...files.flags, ...audit, '--authorization-mode=RBAC'] });
  ({ server, client } = started);
  await createNode(server, 'n1', kubelet.port);
  await createPodOn(server, 'n1', 'p');
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  node = serveStreams(kubelet);
});

const exec = (...command: string[]) => client.core.v1.pods.namespace('default').exec.connect('p', { command });

const metric = async (line: string): Promise<number> => {
  const metrics = (await server.send('GET', '/metrics')).text;
  return Number(
    metrics
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? 0,
  );
};

describe('commands of clients with WebSockets of version 5, which node agents get over SPDY', () => {
  test('Output, errors and success of a command reach the client', async () => {
    const translated = await metric('apiserver_stream_translator_requests_total{code="200"}');
    await using command = await exec('both');
    expect(await Promise.all([text(command.stdout), text(command.stderr), command.exitCode])).toEqual([
      'out',
      'err',
      0,
    ]);
    expect(kubelet.last).toMatchObject({
      method: 'POST',
      target: '/exec/default/p/c?command=both&error=1&output=1',
      client: 'orch-admin',
    });
    expect(kubelet.last.headers.authorization).toBeUndefined();
    expect(node.protocols).toEqual(['v4.channel.k8s.io']);
    expect(await metric('apiserver_stream_translator_requests_total{code="200"}')).toBe(translated + 1);
  });

  test('The end of the input reaches the command, behind all of it', async () => {
    await using command = await client.core.v1.pods
      .namespace('default')
      .exec.connect('p', { command: ['cat'], stdin: true });
    const sent = Buffer.alloc(3_000_000, 'abc');
    command.stdin.end(sent);
    const got = await text(command.stdout);
    expect([got === sent.toString(), await command.exitCode]).toEqual([true, 0]);
  });

  test('The exit code of a command is no error of the stream', async () => {
    await using command = await exec('exit', '37');
    expect(await command.exitCode).toBe(37);
  });

  test('What the node agent cannot do is told as an internal error', async () => {
    await using command = await exec('fail', 'no runtime');
    await expect(command.exitCode).rejects.toThrow('Internal error occurred: no runtime');
  });

  test('A terminal has one output, and its size reaches the node', async () => {
    await using command = await client.core.v1.pods
      .namespace('default')
      .attach.connect('p', { tty: true, stderr: true, stdin: true });
    await command.close();
    await using other = await client.core.v1.pods
      .namespace('default')
      .exec.connect('p', { command: ['size'], tty: true, stderr: true });
    await other.resize({ width: 80, height: 25 });
    expect(JSON.parse(await text(other.stdout))).toEqual({ Width: 80, Height: 25 });
    expect(kubelet.last.target).toBe('/exec/default/p/c?command=size&error=1&output=1&tty=1');
  });

  test.each([
    { name: 'version 3', protocols: ['v3.channel.k8s.io'], expected: 'error executing remote command: no runtime' },
    { name: 'the first version', protocols: [], expected: 'error executing remote command: no runtime' },
  ])('A node agent that speaks $name says in words how a command ends', async ({ protocols, expected }) => {
    kubelet.upgrade = () => undefined;
    serveStreams(kubelet, protocols.length === 0 ? ['channel.k8s.io'] : protocols);
    await using good = await exec('echo', 'x');
    expect([await text(good.stdout), await good.exitCode]).toEqual(['x', 0]);
    await using bad = await exec('fail', 'no runtime');
    await expect(bad.exitCode).rejects.toThrow(expected);
  });

  test('A client that reads nothing holds the command up, and nothing of it is gathered', async () => {
    await using command = await exec('flood', '512');
    let before = -1;
    while (before !== node.flooded) {
      before = node.flooded;
      for (let i = 0; i < 50; i++) await turn();
      await server.send('GET', '/healthz');
    }
    expect(node.flooded).toBeLessThan(24 * 1024 * 1024);
    let got = 0;
    for await (const bytes of command.stdout as AsyncIterable<Buffer>) got += bytes.length;
    expect([got, await command.exitCode]).toEqual([32 * 1024 * 1024, 0]);
  });

  test('A client that goes ends the connection to the node', async () => {
    const left = once(kubelet.events, 'left');
    const command = await exec('stay');
    await once(command.stdout, 'data');
    await command.close();
    await left;
  });

  test('A node agent that goes is an error for the client', async () => {
    const command = await exec('stay');
    await once(command.stdout, 'data');
    kubelet.breakConnections();
    await expect(command.exitCode).rejects.toThrow('Internal error occurred');
  });

  test.each([
    {
      name: 'refuses in words',
      answer: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 10\r\n\r\nno access\n',
      expected: 'Internal error occurred: unable to upgrade connection: no access',
    },
    {
      name: 'refuses with a Status',
      answer: `HTTP/1.1 404 Not Found\r\nContent-Length: 77\r\n\r\n${JSON.stringify({
        kind: 'Status',
        apiVersion: 'v1',
        message: 'no pod',
        reason: 'NotFound',
        code: 404,
      })}`,
      expected: 'no pod',
    },
    {
      name: 'leads elsewhere',
      answer: 'HTTP/1.1 302 Found\r\nLocation: https://elsewhere.test/x\r\nContent-Length: 0\r\n\r\n',
      expected: 'error sending request: Post "https://elsewhere.test/x": redirect not allowed',
    },
    {
      name: 'agrees to another protocol',
      answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      expected: 'Internal error occurred: unable to upgrade connection: ',
    },
    {
      name: 'speaks no SPDY',
      answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nHTTP/1.1 200 OK\r\n',
      expected: 'Internal error occurred: ',
    },
    { name: 'ends the connection', answer: '', expected: 'error sending request: Post "https://127.0.0.1:' },
  ])('A node agent that $name is told to the client', async ({ answer, expected }) => {
    kubelet.upgrade = (_, socket) => void socket.end(answer);
    await using command = await exec('echo');
    await expect(command.exitCode).rejects.toThrow(expected);
  });
});

describe('commands over the protocol of the client', () => {
  test('SPDY is handed on to the node agent as it is', async () => {
    const spdy = await openSpdy(server, `${pods}/p/exec?command=cat&stdin=1&stdout=1`, [
      'v5.channel.k8s.io',
      ...kubeletProtocols,
    ]);
    expect(spdy.response.headers).toMatchObject({
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
    });
    expect(kubelet.last).toMatchObject({
      method: 'POST',
      target: '/exec/default/p/c?command=cat&input=1&output=1',
      client: 'orch-admin',
      headers: { host: new URL(server.url).host },
    });
    expect(kubelet.last.headers.authorization).toBeUndefined();
    const [error, stdin, stdout] = ['error', 'stdin', 'stdout'].map((streamtype) => spdy.open({ streamtype }));
    stdin!.end('hello');
    expect(await text(stdout!)).toBe('hello');
    expect(JSON.parse(await text(error!))).toMatchObject({ status: 'Success' });
    const left = once(kubelet.events, 'left');
    spdy.connection.close();
    await left;
  });

  test.each([
    { name: 'version 4', offered: ['v4.channel.k8s.io'] },
    { name: 'texts in base64', offered: ['base64.channel.k8s.io'] },
    {
      name: 'an older version, with a token beside it',
      offered: ['v4.channel.k8s.io', 'base64url.bearer.authorization.k8s.io.YWRtaW50b2tlbg'],
    },
  ])('A WebSocket that speaks $name is handed on to the node agent as it is', async ({ offered }) => {
    const sockets = new WebSocketServer({ noServer: true });
    kubelet.upgrade = (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('message', (data: Buffer) => {
          webSocket.send(data);
          webSocket.close(1000);
        });
      });
    const webSocket = new WebSocket(`${server.url}${pods}/p/attach?stdin=1&stdout=1`, [...offered], {
      ca: server.ca,
      headers: offered.length > 1 ? {} : { authorization: 'Bearer admintoken' },
    });
    await once(webSocket, 'open');
    expect(kubelet.last).toMatchObject({ method: 'GET', target: '/attach/default/p/c?input=1&output=1' });
    expect(kubelet.last.headers['sec-websocket-protocol']).toBe(offered[0]);
    webSocket.send(Buffer.from('\x00hello'));
    const [data] = (await once(webSocket, 'message')) as [Buffer];
    expect([webSocket.protocol, data.toString()]).toEqual([offered[0], '\x00hello']);
    expect((await once(webSocket, 'close'))[0]).toBe(1000);
  });

  test.each([
    {
      name: 'refuses',
      answer: 'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nno access',
      expected: '403 no access',
    },
    {
      name: 'leads elsewhere',
      answer: 'HTTP/1.1 302 Found\r\nLocation: https://elsewhere.test/x\r\nContent-Length: 0\r\n\r\n',
      expected: 'invalid upgrade response: status code 302',
    },
    { name: 'ends the connection', answer: '', expected: 'error dialing backend: ' },
  ])('A node agent that $name is told to a client of SPDY', async ({ answer, expected }) => {
    kubelet.upgrade = (_, socket) => void socket.end(answer);
    await expect(openSpdy(server, `${pods}/p/exec?command=cat&stdout=1`, kubeletProtocols)).rejects.toThrow(expected);
  });
});

describe('forwarded ports', () => {
  const wants = ['portforward.k8s.io'];

  test('Ports are forwarded over SPDY, each connection by itself', async () => {
    const spdy = await openSpdy(server, `${pods}/p/portforward?ports=80&ports=81`, wants);
    expect(kubelet.last.target).toBe('/portForward/default/p?port=80%2C81');
    const answers = [80, 1].map(async (port, requestid) => {
      const headers = { port: String(port), requestid: String(requestid) };
      const error = spdy.open({ ...headers, streamtype: 'error' });
      const data = spdy.open({ ...headers, streamtype: 'data' });
      data.end('hello');
      return [await text(data), await text(error)];
    });
    expect(await Promise.all(answers)).toEqual([
      ['port 80: hello', ''],
      ['', 'nothing listens on port 1'],
    ]);
    spdy.connection.close();
  });

  test('A WebSocket carries the SPDY of forwarded ports', async () => {
    const before = await metric('apiserver_stream_tunnel_requests_total{code="101"}');
    const tunnel = await openRawWebSocket(server, `${pods}/p/portforward`, 'SPDY/3.1+portforward.k8s.io');
    expect([tunnel.status, tunnel.protocol]).toEqual([101, 'SPDY/3.1+portforward.k8s.io']);
    expect(kubelet.last).toMatchObject({
      method: 'POST',
      target: '/portForward/default/p',
      headers: { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
    });
    expect(Object.keys(kubelet.last.headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^sec-websocket/)]),
    );
    const spdy = new SpdyConnection(tunnel.stream, { side: 'client' });
    const open = (streamtype: string) =>
      spdy.open(
        new Map([
          ['streamtype', [streamtype]],
          ['port', ['80']],
          ['requestid', ['0']],
        ]),
      );
    const error = open('error');
    const data = open('data');
    const sent = Buffer.alloc(1_000_000, 'x');
    data.end(sent);
    expect((await text(data)).length).toBe(sent.length + 'port 80: '.length);
    expect(await text(error)).toBe('');
    const left = once(kubelet.events, 'left');
    spdy.close();
    await left;
    expect(await metric('apiserver_stream_tunnel_requests_total{code="101"}')).toBe(before + 1);
  });

  test.each([
    {
      name: 'that wants no Kubernetes protocol',
      protocol: 'SPDY/3.1+other',
      answer: '',
      expected: [400, 'unable to upgrade: no tunneling spdy protocols provided\n'],
    },
    {
      name: 'whose node agent refuses',
      protocol: 'SPDY/3.1+portforward.k8s.io',
      answer: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nno access',
      expected: [403, 'no access'],
    },
    {
      name: 'whose node agent speaks something else',
      protocol: 'SPDY/3.1+portforward.k8s.io',
      answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      expected: [500, 'unable to upgrade: missing upgrade headers in response\n'],
    },
  ])('A tunnel $name is refused with the reason', async ({ protocol, answer, expected }) => {
    kubelet.upgrade = (_, socket) => void socket.end(answer);
    const { status, body } = await openRawWebSocket(server, `${pods}/p/portforward`, protocol);
    expect([status, body]).toEqual(expected);
    expect(await metric(`apiserver_stream_tunnel_requests_total{code="${expected[0]}"}`)).toBeGreaterThan(0);
  });
});

describe('requests that do not reach the node', () => {
  const messageOf = async (path: string): Promise<unknown> => {
    const answer = await server.send('GET', path);
    const { code, message } = answer.json<{ code: number; message: string }>();
    return [code, message];
  };

  test.each([
    { name: 'without an upgrade', path: 'p/exec?command=a', expected: [400, 'Upgrade request required'] },
    {
      name: 'for a container that there is not',
      path: 'p/attach?container=x',
      expected: [400, 'container x is not valid for pod p'],
    },
    { name: 'for a pod that there is not', path: 'absent/portforward', expected: [404, 'pods "absent" not found'] },
  ])('A request $name is refused', async ({ path, expected }) => {
    const before = kubelet.received.length;
    expect([await messageOf(`${pods}/${path}`), kubelet.received.length]).toEqual([expected, before]);
  });

  test.each(['exec', 'attach', 'portforward'])('Who may read pods may not use %s, and is told so', async (name) => {
    for (const [method, verb] of [
      ['GET', 'get'],
      ['POST', 'create'],
    ] as const) {
      const answer = await server.send(method, `${pods}/p/${name}`, {
        user: 'alice',
        body: method === 'GET' ? undefined : {},
      });
      expect([answer.status, answer.text]).toEqual([
        403,
        expect.stringContaining(`User \\"alice\\" cannot ${verb} resource \\"pods/${name}\\"`),
      ]);
    }
  });
});

describe('admission of streams', () => {
  const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

  test('Webhooks see what a client wants to run, may change it, and may refuse', async () => {
    await using hooks = await AdmissionWebhook.start();
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/*'] };
    const webhook = hooks.webhook('connect', { rules: [rule], objectSelector: {} });
    const body = { metadata: { name: 'connect' }, webhooks: [webhook] };
    expect((await server.send('POST', configurations, { body })).status).toBe(201);
    hooks.answers.set('connect', ({ request, answer }) => {
      if (request.subResource === 'exec')
        return answer(patching({ op: 'replace', path: '/command', value: ['echo', 'changed'] }));
      answer({ allowed: false, status: { code: 403, message: 'not today' } });
    });
    const attach = `${pods}/p/attach?stdout=1`;
    await expect.poll(() => server.send('GET', attach).then(({ text: said }) => said)).toContain('not today');
    await expect(openSpdy(server, attach, kubeletProtocols)).rejects.toThrow(/^403 .*not today/);
    await using command = await exec('echo', 'original');
    expect([await text(command.stdout), await command.exitCode]).toEqual(['changed', 0]);
    expect(hooks.asked.at(-1)).toMatchObject({
      operation: 'CONNECT',
      requestKind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { resource: 'pods' },
      subResource: 'exec',
      name: 'p',
      object: { kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, stderr: true, command: ['echo', 'original'] },
    });
    await server.send('DELETE', `${configurations}/connect`);
    await expect.poll(() => server.send('GET', attach).then(({ status }) => status)).toBe(400);
  });
});

test('Audit has the begin and the end of a stream, with the verb of its request', async () => {
  await using command = await exec('echo', 'audited');
  await command.exitCode;
  await command.close();
  const spdy = await openSpdy(server, `${pods}/p/exec?command=audited&stdout=1`, kubeletProtocols);
  spdy.connection.destroy();
  const events = async (): Promise<readonly unknown[]> =>
    (await readFile(auditLog, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event)
      .filter(({ requestURI = '' }) => requestURI.includes('audited'))
      .map(({ stage, verb, objectRef, responseStatus }) => [
        verb,
        `${objectRef?.resource}/${objectRef?.subresource}`,
        stage,
        responseStatus?.code,
      ]);
  await expect.poll(events).toHaveLength(6);
  expect(await events()).toEqual([
    ['get', 'pods/exec', 'RequestReceived', undefined],
    ['get', 'pods/exec', 'ResponseStarted', 101],
    ['get', 'pods/exec', 'ResponseComplete', 101],
    ['create', 'pods/exec', 'RequestReceived', undefined],
    ['create', 'pods/exec', 'ResponseStarted', 101],
    ['create', 'pods/exec', 'ResponseComplete', 101],
  ]);
});

test('A server that stops ends its streams on both sides', async () => {
  const other = await startClientServer({ flags: files.flags });
  await createNode(other.server, 'n1', kubelet.port);
  await createPodOn(other.server, 'n1', 'p');
  let left = 0;
  const count = (): void => void left++;
  kubelet.events.on('left', count);
  const command = await other.client.core.v1.pods.namespace('default').exec.connect('p', { command: ['stay'] });
  await once(command.stdout, 'data');
  const spdy = await openSpdy(other.server, `${pods}/p/exec?command=stay&stdout=1`, kubeletProtocols);
  const [, stdout] = ['error', 'stdout'].map((streamtype) => spdy.open({ streamtype }));
  await once(stdout!, 'data');
  await other[Symbol.asyncDispose]();
  await expect(command.exitCode).rejects.toThrow();
  await expect.poll(() => [left, spdy.connection.isClosed]).toEqual([2, true]);
  kubelet.events.off('left', count);
});
