import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Client, createClient } from '../client.ts';
import { StreamServer, type StreamServerOptions } from './testing/stream-server.ts';

async function clientOf(options: StreamServerOptions): Promise<Client> {
  const server = await StreamServer.start({ protocols: ['v4.channel.k8s.io'], ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const client = createClient({ url: server.url });
  onTestFinished(() => client.close());
  return client;
}

const port = Buffer.of(80, 0);
const frame = (channel: number, content: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.of(channel), Buffer.from(content)]);

describe('Forwarded ports', () => {
  const connect = async (options: StreamServerOptions): Promise<Duplex> =>
    (await clientOf(options)).core.v1.pods.namespace('default').portforward.connect('web', 80);

  test('Bytes go both ways, without the port before them', async () => {
    let asked: string | undefined;
    const stream = await connect({
      onSocket: (socket, { url }) => {
        asked = url;
        socket.send(frame(0, port));
        socket.send(frame(1, port));
        socket.on('message', (data) => {
          socket.send(frame(0, `echo ${(data as Buffer).subarray(1).toString()}`));
          socket.close(1000);
        });
      },
    });
    stream.write('hello');
    expect(await text(stream)).toBe('echo hello');
    expect(asked).toBe('/api/v1/namespaces/default/pods/web/portforward?ports=80');
  });

  test('A port that does not answer fails with the error of the node', async () => {
    const stream = await connect({
      onSocket: (socket) => {
        socket.send(frame(0, port));
        socket.send(frame(1, port));
        socket.send(frame(1, 'connection refused'));
        socket.close(1000);
      },
    });
    await expect(text(stream)).rejects.toThrow('connection refused');
  });

  test('A destroyed connection ends at the server', async () => {
    let ended: Promise<unknown> | undefined;
    const stream = await connect({ onSocket: (socket) => (ended = once(socket, 'close')) });
    stream.destroy();
    await ended;
  });
});

describe('Logs', () => {
  test('A log is read whole, with its options in the query', async () => {
    let asked: string | undefined;
    const client = await clientOf({ onRequest: ({ url }) => ((asked = url), 'one\ntwo\n') });
    const { log } = client.core.v1.pods.namespace('default');
    expect(await log.read('web', { container: 'app', previous: true, tailLines: 0 })).toBe('one\ntwo\n');
    expect(asked).toBe('/api/v1/namespaces/default/pods/web/log?container=app&previous=true&tailLines=0');
  });

  test('A log is followed in pieces', async () => {
    let asked: string | undefined;
    const client = await clientOf({ onRequest: ({ url }) => ((asked = url), 'one\n') });
    const pieces: string[] = [];
    for await (const piece of client.core.v1.pods.namespace('default').log.follow('web'))
      pieces.push(Buffer.from(piece).toString());
    expect(pieces.join('')).toBe('one\n');
    expect(asked).toBe('/api/v1/namespaces/default/pods/web/log?follow=true');
  });
});

describe('Proxies', () => {
  test('A request goes to the path behind the service', async () => {
    let asked: string | undefined;
    const client = await clientOf({ onRequest: ({ method, url }) => ((asked = `${method} ${url}`), 'ok') });
    const { proxy } = client.core.v1.services.namespace('default');
    const answer = await proxy.request('https:web:8443', { method: 'PUT', path: '/a/b?c=d' });
    answer.end();
    expect(asked).toBe('PUT /api/v1/namespaces/default/services/https%3Aweb%3A8443/proxy/a/b?c=d');
  });

  test('A path without a slash at its beginning is refused', async () => {
    const client = await clientOf({});
    expect(() => client.core.v1.nodes.proxy.request('node', { path: 'metrics' })).toThrow(
      'does not begin with a slash',
    );
  });
});
