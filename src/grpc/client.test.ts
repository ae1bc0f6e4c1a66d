import http2 from 'node:http2';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Method } from './call.ts';
import { GrpcCode } from './status.ts';
import { GrpcClient } from './client.ts';

const method: Method<string> = { path: '/test.Service/Ask', decode: (reader) => reader.string() };
const endless = new AbortController().signal;
/** An empty message, and one of three bytes that is a string. */
const question = Buffer.from([0, 0, 0, 0, 0]);
const answer = Buffer.from([0, 0, 0, 0, 3, 2, 0x68, 0x69]);

/** A program at this socket; each call is handed to the test. */
async function listenAt(socket: string, onCall: (stream: http2.ServerHttp2Stream) => void) {
  const server = http2.createServer();
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('session', (session) => void sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream) => onCall(stream.on('error', () => undefined)));
  server.listen(socket.startsWith('@') ? `\0${socket.slice(1)}` : socket);
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    sessions.forEach((session) => session.destroy());
    await closed;
  };
  onTestFinished(stop);
  return { stop, sessions };
}

const say = (stream: http2.ServerHttp2Stream): void => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(answer);
};

async function socketPath(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-unix-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return path.join(directory, 'a.sock');
}

function clientOf(socket: string): GrpcClient {
  const client = new GrpcClient({ address: { path: socket }, peer: 'the program' });
  onTestFinished(() => client.close());
  return client;
}

test('A call waits until the program is there, and one connection serves all', async () => {
  const socket = await socketPath();
  const asking = clientOf(socket).call(method, question, endless);
  const { sessions } = await listenAt(socket, say);
  expect(await asking).toBe('hi');
  expect(sessions.length).toBe(1);
});

test('A program that comes back is found again', async () => {
  const socket = await socketPath();
  const client = clientOf(socket);
  const first = await listenAt(socket, say);
  expect(await Promise.all([client.call(method, question, endless), client.call(method, question, endless)])).toEqual([
    'hi',
    'hi',
  ]);
  expect(first.sessions.length).toBe(1);
  await first.stop();
  await listenAt(socket, say);
  expect(await client.call(method, question, endless)).toBe('hi');
});

test('A call whose connection breaks is not sent again: the program may have done it', async () => {
  const socket = await socketPath();
  let calls = 0;
  await listenAt(socket, (stream) => {
    calls++;
    stream.session!.destroy();
  });
  await expect(clientOf(socket).call(method, question, endless)).rejects.toMatchObject({
    name: 'GrpcError',
    code: GrpcCode.unavailable,
    message: expect.stringMatching(/^connection to the program: /),
  });
  expect(calls).toBe(1);
});

test('An exceeded time limit is reported as such, with the reason why the program was not reached', async () => {
  const socket = await socketPath();
  const limit = new AbortController();
  const asking = clientOf(socket).call(method, question, limit.signal);
  limit.abort(new DOMException('', 'TimeoutError'));
  await expect(asking).rejects.toMatchObject({
    code: GrpcCode.deadlineExceeded,
    message: expect.stringMatching(/^the program did not answer in time/),
  });
});

test('A client that is closed ends its calls', async () => {
  const socket = await socketPath();
  let arrived = (): void => undefined;
  const there = new Promise<void>((resolve) => (arrived = resolve));
  await listenAt(socket, () => arrived());
  const client = clientOf(socket);
  const asking = expect(client.call(method, question, endless)).rejects.toMatchObject({
    code: GrpcCode.cancelled,
    message: 'the client of the program is closed',
  });
  await there;
  client.close();
  await asking;
});

test.runIf(process.platform === 'linux')('A name after @ lies in the abstract namespace', async () => {
  const name = `@orch-test-${process.pid}-${Date.now()}`;
  await listenAt(name, say);
  expect(await clientOf(name).call(method, question, endless)).toBe('hi');
});
