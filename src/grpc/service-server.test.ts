import { mkdtemp, rm, stat } from 'node:fs/promises';
import http2 from 'node:http2';
import { connect as connectTo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GrpcError } from './grpc-error.ts';
import { createServiceClient } from './service-client.ts';
import { ServiceServer, type ServiceServerLimits } from './service-server.ts';
import { GrpcCode } from './status.ts';

const tables = {
  enums: {},
  messages: { Text: [[1, 'text', 'string']] },
  methods: {
    echo: ['/test.Echo/Echo', 'Text', 'Text'],
    count: ['/test.Echo/Count', 'Text', 'Text'],
    absent: ['/test.Echo/Absent', 'Text', 'Text'],
  },
} as const;

interface Text {
  readonly text?: string;
}

interface Methods {
  echo: [Text, Text];
  count: [Text, Text];
  absent: [Text, Text];
}

async function serve(limits: Partial<ServiceServerLimits> = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-grpc-'));
  const socket = path.join(directory, 'a.sock');
  const signals: AbortSignal[] = [];
  const handlers = {
    echo({ text = '' }: Text): Text {
      if (text === 'refuse') throw new GrpcError(GrpcCode.permissionDenied, 'not for you');
      return { text };
    },
    async *count({ text }: Text, signal: AbortSignal) {
      signals.push(signal);
      for (let number = 0; number < Number(text) && !signal.aborted; number++) {
        yield { text: String(number) };
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
  const server = new ServiceServer(socket, [{ tables, handlers }], limits);
  await server.listen();
  const client = createServiceClient<Methods>(tables, { path: socket, peer: 'the server', timeoutMs: 10_000 });
  onTestFinished(async () => {
    client.close();
    await server.close();
    await rm(directory, { recursive: true });
  });
  return { socket, client, server, signals };
}

test('A call is answered, at a socket that is for its owner only', async () => {
  const { client, socket } = await serve();
  expect(await client.calls.echo({ text: 'hello' })).toEqual({ text: 'hello' });
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
});

test.each([
  {
    name: 'its function refuses',
    call: 'echo',
    text: 'refuse',
    code: GrpcCode.permissionDenied,
    message: 'not for you',
  },
  {
    name: 'it has no function',
    call: 'absent',
    text: '',
    code: GrpcCode.unimplemented,
    message: 'unknown method /test.Echo/Absent',
  },
  {
    name: 'its request is too long',
    call: 'echo',
    text: 'x'.repeat(2000),
    code: GrpcCode.resourceExhausted,
    message: 'a request of more than 1000 bytes',
  },
] as const)('A call is refused when $name, and the connection stays', async ({ call, text, code, message }) => {
  const { client } = await serve({ maxMessageBytes: 1000 });
  await expect(client.calls[call]({ text })).rejects.toMatchObject({ code, message });
  expect(await client.calls.echo({ text: 'again' })).toEqual({ text: 'again' });
});

test('A method answers with several messages', async () => {
  const { client } = await serve();
  const seen: (string | undefined)[] = [];
  await client.stream('count', { text: '3' }, new AbortController().signal, ({ text }) => void seen.push(text));
  expect(seen).toEqual(['0', '1', '2']);
});

test('A stream ends when its caller gives it up, and its function is told', async () => {
  const { client, signals } = await serve();
  const limit = new AbortController();
  const streaming = client.stream('count', { text: '1e9' }, limit.signal, () => limit.abort());
  await expect(streaming).rejects.toMatchObject({ code: GrpcCode.cancelled });
  await expect.poll(() => signals[0]?.aborted).toBe(true);
});

test('A stream rejects with what its reader throws', async () => {
  const { client } = await serve();
  const streaming = client.stream('count', { text: '3' }, new AbortController().signal, () => {
    throw new Error('too many');
  });
  await expect(streaming).rejects.toThrow('too many');
});

test('A stream of a program that ends is an error', async () => {
  const { client, server } = await serve();
  const streaming = client.stream('count', { text: '1e9' }, new AbortController().signal, () => void server.close());
  await expect(streaming).rejects.toMatchObject({ code: GrpcCode.unavailable });
});

test('A request that does not arrive is given up', async () => {
  const { socket } = await serve({ requestMs: 1 });
  const session = http2.connect('http://localhost', { createConnection: () => connectTo(socket) });
  const stream = session.request({ ':method': 'POST', ':path': '/test.Echo/Echo' });
  const answered = new Promise<http2.IncomingHttpHeaders>((resolve) => stream.on('response', resolve));
  stream.on('error', () => undefined).write(Buffer.from([0, 0, 0]));
  expect(await answered).toMatchObject({ 'grpc-status': '4' });
  session.destroy();
});

test('More connections than allowed are closed', async () => {
  const { client, socket } = await serve({ maxConnections: 1 });
  await client.calls.echo({ text: 'first' });
  const second = createServiceClient<Methods>(tables, { path: socket, peer: 'the server', timeoutMs: 10_000 });
  onTestFinished(() => second.close());
  await expect(second.calls.echo({ text: 'second' }, { timeoutMs: 200 })).rejects.toThrow();
  expect(await client.calls.echo({ text: 'third' })).toEqual({ text: 'third' });
});
