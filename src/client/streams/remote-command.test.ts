import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import { StatusError } from '../../machinery/status.ts';
import { createClient } from '../client.ts';
import type { ClientConfig } from '../client-config.ts';
import { ConnectionError } from '../transport/message.ts';
import type { AttachOptions, RemoteCommand } from './remote-command.ts';
import { StreamServer, type StreamServerOptions } from './testing/stream-server.ts';

const v5 = 'v5.channel.k8s.io';
const v4 = 'v4.channel.k8s.io';

async function execOn(
  server: StreamServerOptions,
  options: AttachOptions = {},
  config: Partial<ClientConfig> = {},
): Promise<RemoteCommand> {
  const started = await StreamServer.start({ protocols: [v5, v4], ...server });
  onTestFinished(() => started[Symbol.asyncDispose]());
  const client = createClient({ url: started.url, ...config });
  onTestFinished(() => client.close());
  return client.core.v1.pods
    .namespace('default')
    .exec.connect('web', { command: ['sh', '-c', 'echo a b'], ...options });
}

const frame = (channel: number, content: string): Buffer => Buffer.concat([Buffer.of(channel), Buffer.from(content)]);

/** What a node sends of a command, and its end. */
const says =
  (...frames: readonly Buffer[]) =>
  (socket: WebSocket): void => {
    for (const one of frames) socket.send(one);
    socket.close(1000);
  };

const success = frame(3, '{"status":"Success"}');
const exitCode = (code: string): Buffer =>
  frame(
    3,
    JSON.stringify({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: `command terminated with exit code ${code}`,
      details: { causes: [{ reason: 'ExitCode', message: code }] },
    }),
  );

describe('Commands in containers', () => {
  test('A command, its container and its streams are asked for by the query', async () => {
    let asked: string | undefined;
    const command = await execOn(
      { onSocket: (socket, request) => ((asked = request.url), says(success)(socket)) },
      { container: 'app', stdin: true },
    );
    await command.exitCode;
    expect(asked).toBe(
      '/api/v1/namespaces/default/pods/web/exec?' +
        'command=sh&command=-c&command=echo+a+b&container=app&stdin=true&stdout=true&stderr=true',
    );
  });

  test('A terminal has one output', async () => {
    let asked: string | undefined;
    const command = await execOn(
      { onSocket: (socket, request) => ((asked = request.url), says(success)(socket)) },
      { tty: true },
    );
    await command.exitCode;
    expect(new URL(asked!, 'http://x').search).toMatch(/&stdout=true&tty=true$/);
  });

  test('Output and errors are streams of their own, which end with the command', async () => {
    const command = await execOn({
      onSocket: says(frame(1, 'a'), frame(2, 'e'), frame(1, 'b'), frame(2, ''), success),
    });
    expect(await Promise.all([text(command.stdout), text(command.stderr), command.exitCode])).toEqual(['ab', 'e', 0]);
  });

  test.each([
    ['A status with the exit code 3', [exitCode('3')], 3],
    ['A status of success', [success], 0],
  ])('The exit code is that of the command: %s', async (_, frames, expected) => {
    const command = await execOn({ onSocket: says(...frames) });
    expect(await command.exitCode).toBe(expected);
  });

  test.each([
    [
      'A command that cannot be run',
      frame(3, '{"kind":"Status","status":"Failure","code":500,"reason":"InternalError","message":"no sh"}'),
      new StatusError(500, 'InternalError', 'no sh'),
    ],
    [
      'A status without a kind, as kube-apiserver sends it',
      frame(3, '{"metadata":{},"status":"Failure","code":500,"reason":"InternalError","message":"no sh"}'),
      new StatusError(500, 'InternalError', 'no sh'),
    ],
    [
      'A status that is no JSON',
      frame(3, 'broken'),
      new StatusError(500, '', 'the server answered with status 500: broken'),
    ],
    [
      'A connection that ends without a status',
      frame(1, 'a'),
      new ConnectionError('the connection ended without the status of the command'),
    ],
  ])('The exit code rejects with the reason: %s', async (_, sent, error) => {
    const command = await execOn({ onSocket: says(sent) });
    await expect(command.exitCode).rejects.toEqual(error);
  });

  test('Streams and exit code fail when the connection breaks', async () => {
    const command = await execOn({ onSocket: (socket) => socket.terminate() });
    await expect(text(command.stdout)).rejects.toBeInstanceOf(ConnectionError);
    await expect(command.exitCode).rejects.toBeInstanceOf(ConnectionError);
  });

  test.each([
    ['ends at the server too with subprotocol v5', [v5], ['0ab', '255.0']],
    ['has no end with subprotocol v4', [v4], ['0ab']],
  ])('Input %s', async (_, protocols, expected) => {
    const received: string[] = [];
    const command = await execOn(
      {
        protocols,
        onSocket: (socket) =>
          socket.on('message', (data) => {
            const [channel, ...rest] = data as Buffer;
            received.push(channel === 255 ? `255.${rest.join()}` : `${channel}${Buffer.from(rest).toString()}`);
            if (received.length === expected.length) says(success)(socket);
          }),
      },
      { stdin: true },
    );
    command.stdin.end('ab');
    await command.exitCode;
    expect(received).toEqual(expected);
  });

  test('A long input is divided into messages of 32 KiB', async () => {
    const sizes: number[] = [];
    const command = await execOn(
      {
        onSocket: (socket) =>
          socket.on('message', (data) => {
            sizes.push((data as Buffer).length - 1);
            if (sizes.length === 4) says(success)(socket);
          }),
      },
      { stdin: true },
    );
    command.stdin.end(Buffer.alloc(80_000));
    await command.exitCode;
    expect(sizes).toEqual([32_768, 32_768, 14_464, 1]);
  });

  test('The size of a terminal is sent as JSON', async () => {
    let received: Buffer | undefined;
    const command = await execOn(
      { onSocket: (socket) => socket.on('message', (data) => ((received = data as Buffer), says(success)(socket))) },
      { tty: true },
    );
    await command.resize({ width: 80, height: 24 });
    await command.exitCode;
    expect(received!.toString()).toBe('\x04{"Width":80,"Height":24}');
  });

  test('Output that is not read makes the server wait', async () => {
    const total = 64;
    const pieceBytes = 1024 * 1024;
    const command = await execOn({
      onSocket: (socket) => {
        for (let i = 0; i < total; i++) socket.send(Buffer.alloc(pieceBytes, 1));
        says(success)(socket);
      },
    });
    await once(command.stdout, 'readable');
    expect(command.stdout.readableLength).toBeLessThan(4 * pieceBytes);
    let bytes = 0;
    for await (const piece of command.stdout as AsyncIterable<Buffer>) bytes += piece.length;
    expect(bytes).toBe(total * (pieceBytes - 1));
    expect(await command.exitCode).toBe(0);
  });

  test('A command whose output was destroyed still ends', async () => {
    const command = await execOn({
      onSocket: (socket) => {
        for (let i = 0; i < 64; i++) socket.send(Buffer.alloc(65_536, 2));
        says(success)(socket);
      },
    });
    command.stderr.destroy();
    expect(await command.exitCode).toBe(0);
  });

  test('A refusal rejects with the Status of the server', async () => {
    const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden', message: 'no' });
    await expect(execOn({ refuse: () => ({ status: 403, body }) })).rejects.toEqual(
      new StatusError(403, 'Forbidden', 'no'),
    );
  });

  test('Refused credentials are replaced once', async () => {
    const shown: (string | undefined)[] = [];
    let token = 'Bearer old';
    const command = await execOn(
      {
        refuse: ({ headers }) => {
          shown.push(headers.authorization);
          return headers.authorization === 'Bearer new' ? undefined : { status: 401, body: '' };
        },
        onSocket: says(success),
      },
      {},
      {
        authorization: () => Promise.resolve(token),
        onUnauthorized: () => Promise.resolve(((token = 'Bearer new'), true)),
      },
    );
    expect(await command.exitCode).toBe(0);
    expect(shown).toEqual(['Bearer old', 'Bearer new']);
  });

  test('A closed command ends its connection', async () => {
    let ended: Promise<unknown> | undefined;
    const command = await execOn({ onSocket: (socket) => (ended = once(socket, 'close')) });
    await command.close();
    await ended;
    await expect(command.exitCode).rejects.toBeInstanceOf(ConnectionError);
  });

  test('A signal ends the opening of a connection', async () => {
    const abort = new AbortController();
    abort.abort(new Error('not needed'));
    await expect(execOn({}, { signal: abort.signal })).rejects.toThrow('not needed');
  });
});
