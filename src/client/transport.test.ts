import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTransport, type HttpTransport } from './transport.ts';

/** A server that writes these bytes to each request, and a client of it. */
async function connected(answer: string | undefined): Promise<{ client: HttpTransport; sockets: net.Socket[] }> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => void (answer !== undefined && socket.write(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  onTestFinished(async () => {
    await client.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { client, sockets };
}

const clientOf = (url: string, more: Partial<Parameters<typeof createTransport>[0]> = {}): HttpTransport =>
  createTransport({
    url,
    ca: undefined,
    serverName: undefined,
    skipVerify: false,
    certificate: undefined,
    key: undefined,
    authorization: () => Promise.resolve(undefined),
    ...more,
  });

const http = (headers: string, body = ''): string => `HTTP/1.1 ${headers}\r\n\r\n${body}`;

test('An interim answer is not taken for the answer', async () => {
  const hints = http('103 Early Hints\r\nLink: </a>');
  const answer = `${hints}${http('200 OK\r\nContent-Length: 2\r\nContent-Type: text/x', 'ok')}`;
  const { client } = await connected(answer);
  expect(await client.post('{}', { maxAnswerBytes: 100 })).toEqual({
    status: 200,
    contentType: 'text/x',
    retryAfter: undefined,
    text: 'ok',
  });
});

test('A redirection is an answer like any other, and is not followed', async () => {
  const { client, sockets } = await connected(http('307 Temporary Redirect\r\nLocation: /b\r\nContent-Length: 0'));
  expect(await client.post('{}', { maxAnswerBytes: 100 })).toMatchObject({ status: 307, text: '' });
  expect(sockets).toHaveLength(1);
});

test('A connection whose answer is too long is closed, and the answer has no text', async () => {
  const { client, sockets } = await connected(http('200 OK\r\nContent-Length: 1000000000', 'x'.repeat(200)));
  expect(await client.post('{}', { maxAnswerBytes: 100 })).toMatchObject({ status: 200, text: undefined });
  if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close');
});

test('A call that waits for its connection ends when its time is over', async () => {
  const client = clientOf('http://127.0.0.1:1/', { address: () => new Promise(() => undefined) });
  await expect(client.post('{}', { maxAnswerBytes: 100, timeoutMs: 5 })).rejects.toThrow('due to timeout');
  await client.destroy();
});

test('A client that is closed ends what is under way with the reason of its end', async () => {
  const { client } = await connected(undefined);
  const refused = expect(client.post('{}', { maxAnswerBytes: 100 })).rejects.toThrow('the server is stopping');
  await client.destroy(new Error('the server is stopping'));
  await refused;
});
