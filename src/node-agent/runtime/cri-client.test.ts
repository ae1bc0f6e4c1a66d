import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import protobuf from 'protobufjs';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { runtimeErrorText } from './container-runtime.ts';
import { createCriClient, socketPath, timeLimit } from './cri-client.ts';

const { root } = protobuf.parse(await readFile(new URL('./cri.proto', import.meta.url), 'utf8'));

/** A runtime that answers each call with these bytes and this status. */
async function startRuntime(
  answer: (body: Buffer, call: string) => { readonly bytes?: Buffer; readonly status?: number } | undefined,
  imageEndpoint?: string,
) {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-cri-'));
  const socket = path.join(directory, 'cri.sock');
  const sessions: http2.ServerHttp2Session[] = [];
  const server = http2.createServer();
  server.on('session', (session) => void sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const given = answer(Buffer.concat(chunks).subarray(5), headers[':path']!);
      if (given === undefined) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': String(given.status ?? 0), 'grpc-message': 'its words' }),
      );
      stream.end(given.bytes);
    });
  });
  server.listen(socket);
  await once(server, 'listening');
  const client = createCriClient({ endpoint: `unix://${socket}`, imageEndpoint, requestTimeoutMs: 60_000 });
  onTestFinished(async () => {
    client.close();
    sessions.forEach((session) => session.destroy());
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return client.runtime;
}

function grpcMessage(type: string, value: object): Buffer {
  const message = root.lookupType(`runtime.v1.${type}`);
  const bytes = message.encode(message.fromObject(value)).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

test('A call sends what the protocol says, and reads the answer', async () => {
  const asked: unknown[] = [];
  const runtime = await startRuntime((body, call) => {
    const request = root.lookupType('runtime.v1.ExecSyncRequest');
    asked.push(call, request.toObject(request.decode(body), { longs: Number }));
    return { bytes: grpcMessage('ExecSyncResponse', { stdout: Buffer.from('hi'), exitCode: 3 }) };
  });
  expect(await runtime.execSync({ containerId: 'c', cmd: ['a', 'b'], timeout: 7 })).toEqual({
    stdout: Buffer.from('hi'),
    exitCode: 3,
  });
  expect(asked).toEqual(['/runtime.v1.RuntimeService/ExecSync', { containerId: 'c', cmd: ['a', 'b'], timeout: 7 }]);
});

test('Images are asked for at the socket of the image service, where it has one of its own', async () => {
  const asked: string[] = [];
  const answer = (_: Buffer, call: string) => (asked.push(call), { bytes: grpcMessage('VersionResponse', {}) });
  const runtime = await startRuntime(answer, 'unix:///none.sock');
  await runtime.version({});
  await expect(runtime.listImages({})).rejects.toMatchObject({ code: GrpcCode.unavailable });
  expect(asked).toEqual(['/runtime.v1.RuntimeService/Version']);
});

test('An error of a runtime has its code and words, as upstream shows them', async () => {
  const runtime = await startRuntime(() => ({ status: GrpcCode.notFound }));
  const error: unknown = await runtime.startContainer({ containerId: 'x' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: GrpcCode.notFound, message: 'its words' });
  expect(runtimeErrorText(error)).toBe('rpc error: code = NotFound desc = its words');
});

test('An answer of a gigabyte is an error of its call, and the next call goes on', async () => {
  const runtime = await startRuntime((_, call) =>
    call.endsWith('/Version')
      ? { bytes: grpcMessage('VersionResponse', { runtimeName: 'r' }) }
      : { bytes: Buffer.from([0, 0x40, 0, 0, 0, 1, 2, 3]) },
  );
  await expect(runtime.listContainers({})).rejects.toMatchObject({
    code: GrpcCode.resourceExhausted,
    message: 'an answer of 1073741824 bytes, more than the limit of 16777216',
  });
  expect(await runtime.version({})).toEqual({ runtimeName: 'r' });
});

test('An answer that is no protobuf is an error of its call', async () => {
  const runtime = await startRuntime(() => ({ bytes: Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f]) }));
  await expect(runtime.listImages({})).rejects.toMatchObject({ code: GrpcCode.internal });
});

test('A runtime that does not answer costs the call its time and no more', async () => {
  const runtime = await startRuntime(() => undefined);
  await expect(runtime.listPodSandbox({}, { timeoutMs: 1 })).rejects.toMatchObject({
    code: GrpcCode.deadlineExceeded,
  });
});

test.each([
  { name: 'an ordinary call', method: 'listContainers', request: {}, limitMs: 1000 },
  { name: 'a new sandbox', method: 'runPodSandbox', request: {}, limitMs: 2000 },
  { name: 'a stop with its grace', method: 'stopContainer', request: { timeout: 30 }, limitMs: 31_000 },
  { name: 'a command with its limit', method: 'execSync', request: { timeout: 5n }, limitMs: 6000 },
  { name: 'a pull', method: 'pullImage', request: {}, limitMs: Infinity },
] as const)('The time of $name is as upstream has it', ({ method, request, limitMs }) => {
  expect(timeLimit(method, request, 1000)).toBe(limitMs);
});

test('An endpoint is a Unix socket', () => {
  expect(socketPath('unix:///run/a.sock')).toBe('/run/a.sock');
  expect(socketPath('/run/a.sock')).toBe('/run/a.sock');
  expect(() => socketPath('tcp://localhost:1')).toThrow('Unix socket');
});

test('A runtime that is not there is an error at once, without waiting for it', async () => {
  const { runtime, close } = createCriClient({
    endpoint: 'unix:///none.sock',
    requestTimeoutMs: 120_000,
    clock: new FakeClock(),
  });
  await expect(runtime.version({})).rejects.toThrow('/none.sock');
  close();
});
