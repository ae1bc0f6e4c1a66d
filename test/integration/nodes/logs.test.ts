/** Logs of containers, and how node agents are reached. */
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKubeletFiles, createNode, createPodOn, type KubeletFiles, TestKubelet } from '../../support/kubelet.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/test-server.ts';

let files: KubeletFiles;
let kubelet: TestKubelet;
let server: TestServer;

beforeAll(async () => {
  files = await createKubeletFiles();
  kubelet = await TestKubelet.start(files);
  server = await startTestServer({ flags: [...files.flags, '--kubelet-timeout=300ms'] });
  await createNode(server, 'n1', kubelet.port);
  await createPodOn(server, 'n1', 'p');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

const pod = '/api/v1/namespaces/default/pods/p';
const messageOf = (answer: Answer): unknown => {
  const { code, reason, message } = answer.json<{ code: number; reason?: string; message: string }>();
  return [code, reason, message];
};

test('A log is what the node agent sends, with the options that the client gave', async () => {
  kubelet.answer = (_, response) => response.end('line 1\nline 2\n');
  const query = 'tailLines=2&timestamps=true&previous=1&sinceTime=2024-01-01T02:00:00%2B02:00&limitBytes=99&follow=0';
  const answer = await server.send('GET', `${pod}/log?${query}`);
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/plain', 'line 1\nline 2\n']);
  expect(kubelet.last).toMatchObject({
    method: 'GET',
    target:
      '/containerLogs/default/p/c?limitBytes=99&previous=true&sinceTime=2024-01-01T00%3A00%3A00Z&tailLines=2' +
      '&timestamps=true',
    client: 'orch-admin',
  });
  expect(kubelet.last.headers.authorization).toBeUndefined();
});

test('A log that is followed arrives line by line, and ends at the node when the client goes', async () => {
  let next: (line: string) => void = () => undefined;
  kubelet.answer = (_, response) => {
    response.write('line 1\n');
    next = (line) => void response.write(line);
    response.once('close', () => kubelet.events.emit('ended'));
  };
  const ended = once(kubelet.events, 'ended');
  const request = https.get(`${server.url}${pod}/log?follow=true`, {
    ca: server.ca,
    headers: { authorization: 'Bearer admintoken' },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(String((await once(response, 'data'))[0])).toBe('line 1\n');
  next('line 2\n');
  expect(String((await once(response, 'data'))[0])).toBe('line 2\n');
  request.on('error', () => undefined).destroy();
  await ended;
});

test('A client that does not read a log holds the node agent up, and nothing of it is gathered', async () => {
  let written = 0;
  kubelet.answer = (_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = (): void => {
      while (written < 512 * chunk.length) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  };
  const request = https.get(`${server.url}${pod}/log?follow=true`, {
    ca: server.ca,
    headers: { authorization: 'Bearer admintoken' },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  let before = -1;
  // Until nothing moves any more.
  while (before !== written) {
    before = written;
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    await server.send('GET', '/healthz');
  }
  expect(written).toBeLessThan(24 * 1024 * 1024);
  let got = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) got += chunk.length;
  expect(got).toBe(32 * 1024 * 1024);
});

test.each([
  {
    name: 'a bad request',
    status: 400,
    text: 'container "c" in pod "p" is waiting to start: ContainerCreating',
    expected: [400, 'BadRequest', 'container "c" in pod "p" is waiting to start: ContainerCreating'],
  },
  {
    name: 'a fault',
    status: 500,
    text: 'no runtime',
    expected: [500, 'InternalError', 'Internal error occurred: no runtime'],
  },
  {
    name: 'an unknown pod',
    status: 404,
    text: 'pod "p" does not exist',
    expected: [404, 'NotFound', 'the server could not find the requested resource ( pods/log p)'],
  },
])('A node agent that answers with $name is quoted to the client', async ({ status, text, expected }) => {
  kubelet.answer = (_, response) => response.writeHead(status).end(text);
  expect(messageOf(await server.send('GET', `${pod}/log`))).toEqual(expected);
});

test('A node agent cannot send the server elsewhere', async () => {
  kubelet.answer = (_, response) => response.writeHead(302, { location: 'https://elsewhere.test/x' }).end();
  const before = kubelet.received.length;
  expect(messageOf(await server.send('GET', `${pod}/log`))).toEqual([
    500,
    undefined,
    'Get "https://elsewhere.test/x": redirects forbidden',
  ]);
  expect(kubelet.received.length).toBe(before + 1);
});

test('Options of a log that are not valid are refused as fields of PodLogOptions', async () => {
  const answer = await server.send('GET', `${pod}/log?tailLines=-1&sinceSeconds=0&limitBytes=0&stream=Stdout`);
  expect(messageOf(answer)).toEqual([
    422,
    'Invalid',
    'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: ' +
      'Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0, stream: ' +
      'Forbidden: may not be specified]',
  ]);
});

test('A node agent with the certificate of another authority is refused, unless the client does not mind', async () => {
  await using others = await createKubeletFiles();
  await using impostor = await TestKubelet.start(others);
  await createNode(server, 'impostor', impostor.port);
  await createPodOn(server, 'impostor', 'fooled');
  const log = '/api/v1/namespaces/default/pods/fooled/log';
  const refused = await server.send('GET', log);
  expect(refused.status).toBe(500);
  expect(refused.text).toContain('certificate signed by unknown authority');
  expect(impostor.received).toEqual([]);
  expect((await server.send('GET', `${log}?insecureSkipTLSVerifyBackend=true`)).text).toBe('answer');
  const metrics = (await server.send('GET', '/metrics')).text;
  expect(metrics).toContain('kube_apiserver_pod_logs_backend_tls_failure_total 1');
  expect(metrics).toContain('kube_apiserver_pod_logs_insecure_backend_total{usage="skip_tls_allowed"} 1');
});

test('A node agent that does not finish its handshake is given up after --kubelet-timeout', async () => {
  const silent = net.createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await createNode(server, 'silent', port);
  await createPodOn(server, 'silent', 'unheard');
  const answer = await server.send('GET', '/api/v1/namespaces/default/pods/unheard/log');
  expect(messageOf(answer)).toEqual([
    500,
    undefined,
    `Get "https://127.0.0.1:${port}/containerLogs/default/unheard/c": dial tcp 127.0.0.1:${port}: i/o timeout`,
  ]);
  silent.close();
});
