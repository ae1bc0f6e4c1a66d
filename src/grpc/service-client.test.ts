import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { GrpcError } from './grpc-error.ts';
import { createServiceClient, type ServiceTables } from './service-client.ts';
import { GrpcCode } from './status.ts';
import { serveAt } from './testing/service-server.ts';

const tables: ServiceTables = {
  enums: {},
  messages: { Word: [[1, 'text', 'string']] },
  methods: { echo: ['/test.Echo/Echo', 'Word', 'Word'] },
};

interface Methods {
  echo: [request: { readonly text?: string }, response: { readonly text?: string }];
}

async function socketIn(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/orch-service-`);
  onTestFinished(() => rm(directory, { recursive: true }));
  return `${directory}/s.sock`;
}

function clientAt(path: string) {
  const client = createServiceClient<Methods>(tables, { path, peer: 'the test', timeoutMs: 60_000 });
  onTestFinished(() => client.close());
  return client.calls;
}

test('A call has the answer of the program, or its error', async () => {
  const socket = await socketIn();
  const server = await serveAt(socket, [
    {
      tables,
      handlers: {
        echo: ({ text }: { text: string }) =>
          text === 'bad' ? Promise.reject(new GrpcError(GrpcCode.invalidArgument, 'no such word')) : { text },
      },
    },
  ]);
  onTestFinished(() => server.close());
  const { echo } = clientAt(socket);
  expect(await echo({ text: 'hello' })).toEqual({ text: 'hello' });
  await expect(echo({ text: 'bad' })).rejects.toMatchObject({ code: GrpcCode.invalidArgument });
});

test('A program that announces a gigabyte is an error of the call, and nothing is kept of it', async () => {
  const socket = await socketIn();
  const sessions: http2.ServerHttp2Session[] = [];
  const server = http2.createServer();
  server.on('session', (session) => void sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(1 << 30, 1);
    stream.write(prefix);
  });
  server.listen(socket);
  await once(server, 'listening');
  onTestFinished(async () => {
    sessions.forEach((session) => session.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  await expect(clientAt(socket).echo({ text: 'hello' })).rejects.toMatchObject({ code: GrpcCode.resourceExhausted });
});

test('A program that is not there is an error at once', async () => {
  await expect(clientAt(await socketIn()).echo({})).rejects.toMatchObject({ code: GrpcCode.unavailable });
});
