import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { MemoryQuota, type Reservation } from '../../base/memory-quota.ts';
import { BodyTooLarge, ClientGone, TooManyBodies } from '../exchange.ts';
import { breakBody } from './broken-bodies.ts';
import { asksForUpgrade, Http1Exchange, isRead } from './exchange.ts';
import { head, type PlainClient, startPlain } from './testing/plain-server.ts';

interface Asked {
  readonly exchange: Http1Exchange;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: PlainClient;
}

/** What a server makes of these bytes of a client. */
async function ask(sent: string, reservation?: Reservation): Promise<Asked> {
  const server = http.createServer({ requireHostHeader: false });
  const arrived = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
    for (const event of ['request', 'checkContinue'])
      server.on(event, (message: IncomingMessage, response: ServerResponse) => resolve([message, response]));
  });
  const client = (await (await startPlain(server)).dial()).say(sent);
  const [message, response] = await arrived;
  const exchange = new Http1Exchange(message, {
    response,
    upgrade: asksForUpgrade(message),
    ...(reservation === undefined ? {} : { reservation }),
  });
  return { exchange, message, response, client };
}

const get = (...lines: readonly string[]): string => head('GET /a HTTP/1.1', ...lines);
const post = (...lines: readonly string[]): string => head('POST /a HTTP/1.1', ...lines);
const chunked = post('Transfer-Encoding: chunked');

describe('the target of an exchange', () => {
  test.each([
    { name: 'is path and query as sent', target: '/a%20b?c=d&c', expected: '/a%20b?c=d&c' },
    { name: 'is that of a whole URL', target: 'http://host:1/a?b=http://c/d', expected: '/a?b=http://c/d' },
    { name: 'has no path where the URL has none', target: 'https://host?a', expected: '?a' },
    { name: 'keeps a URL in its path', target: '/proxy/http://host/a', expected: '/proxy/http://host/a' },
    { name: 'may be the server', method: 'OPTIONS', target: '*', expected: '*' },
  ])('The target of an exchange: $name', async ({ method = 'GET', target, expected }) => {
    const { exchange } = await ask(head(`${method} ${target} HTTP/1.1`));
    expect([exchange.method, exchange.target, exchange.httpVersion]).toEqual([method, expected, '1.1']);
  });
});

describe('the protocol that an exchange asks for', () => {
  test.each([
    { name: 'none', headers: {}, expected: undefined },
    { name: 'that of the header, where the connection says so', connection: 'keep-alive, Upgrade', expected: 'SPDY' },
    { name: 'none where the connection does not say so', connection: 'close', expected: undefined },
    { name: 'one without a name where the header is missing', connection: 'upgrade', upgrade: '', expected: '' },
  ])('The protocol that an exchange asks for is $name', ({ connection, upgrade = 'SPDY', expected }) => {
    const headers = { ...(connection && { connection }), ...(upgrade && { upgrade }) };
    expect(asksForUpgrade({ headers } as IncomingMessage)).toBe(expected);
  });

  test('The protocol that an exchange asks for is told in lower case', () => {
    expect(new Http1Exchange({ url: '/' } as IncomingMessage, { upgrade: 'SPDY/3.1' }).upgrade).toBe('spdy/3.1');
  });
});

describe('headers of an exchange', () => {
  test('Headers of an exchange are found by their names in lower case, the values of repeated ones apart', async () => {
    const { exchange } = await ask(get('Accept: a', 'X-Group: one', 'x-group: two, three', 'Empty:'));
    expect(exchange.headerNames()).toEqual(['accept', 'x-group', 'empty']);
    expect(exchange.headerValues('x-group')).toEqual(['one', 'two, three']);
    expect(['accept', 'empty', 'none'].map((name) => exchange.header(name))).toEqual(['a', '', undefined]);
    expect(exchange.headerValues('none')).toEqual([]);
  });

  test('Headers of an exchange are forgotten but for those that the record of a long answer tells', async () => {
    const { exchange, message } = await ask(get('User-Agent: kubectl', 'Authorization: Bearer secret', 'Accept: a'));
    exchange.forgetHeaders();
    expect(exchange.headerNames()).toEqual(['user-agent', 'accept']);
    expect([exchange.header('user-agent'), exchange.headerValues('accept')]).toEqual(['kubectl', ['a']]);
    expect([exchange.header('authorization'), exchange.headerValues('authorization')]).toEqual([undefined, []]);
    expect([message.headers, message.rawHeaders]).toEqual([{}, []]);
  });
});

describe('a body', () => {
  const five = '5\r\nhello\r\n';
  test.each([
    { name: 'with a length', sent: `${post('Content-Length: 5')}hello` },
    { name: 'in chunks', sent: `${chunked}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n` },
    { name: 'that is as long as it may be', sent: `${chunked}${five}0\r\n\r\n`, limit: 5 },
    { name: 'that is not sent', sent: get(), body: '' },
  ])('An HTTP/1.1 body is read to its end: $name', async ({ sent, limit = 100, body = 'hello' }) => {
    const { exchange, message } = await ask(sent);
    expect((await exchange.readBody(limit)).toString()).toBe(body);
    expect(isRead(message)).toBe(true);
  });

  test.each([
    { name: 'that is announced as too long', sent: post('Content-Length: 6') },
    { name: 'that becomes too long, before its end', sent: `${chunked}6\r\nhello!\r\n` },
  ])('An HTTP/1.1 body is refused: $name', async ({ sent }) => {
    const { exchange, message } = await ask(sent);
    await expect(exchange.readBody(5)).rejects.toEqual(new BodyTooLarge(5));
    expect(isRead(message)).toBe(false);
  });

  test('A request body for which there is no memory is refused', async () => {
    const quota = new MemoryQuota({ totalBytes: 4, smallBytes: 4 });
    const { exchange } = await ask(`${chunked}${five}`, quota.open());
    await expect(exchange.readBody(100)).rejects.toThrow(TooManyBodies);
    expect(quota.reserved).toBe(0);
  });

  test('A request body that its client leaves unfinished is told as such', async () => {
    const { exchange, client } = await ask(`${chunked}${five}`);
    const reading = exchange.readBody(100);
    client.socket.destroy();
    await expect(reading).rejects.toThrow(ClientGone);
  });

  test('A request body that breaks is told with what is wrong with it', async () => {
    const { exchange, message } = await ask(`${chunked}${five}`);
    const reading = exchange.readBody(100);
    breakBody(message, { code: 'HPE_STRICT' });
    await expect(reading).rejects.toThrow('malformed chunked encoding');
  });

  test.each<{ name: string; read: (exchange: Http1Exchange) => Promise<unknown> }>([
    { name: 'read', read: (exchange) => exchange.readBody(100) },
    { name: 'forwarded', read: (exchange) => text(exchange.bodyStream()!) },
  ])('An HTTP/1.1 body whose client waits is asked for when it is $name', async ({ read }) => {
    const { exchange, client } = await ask(post('Content-Length: 5', 'Expect: 100-Continue'));
    const reading = read(exchange);
    await client.hears('HTTP/1.1 100 Continue');
    client.say('hello');
    expect(String(await reading)).toBe('hello');
  });
});

describe('the stream of a body', () => {
  test.each([
    { name: 'no body', sent: get(), body: undefined },
    { name: 'a length of nothing', sent: post('Content-Length: 0'), body: undefined },
    { name: 'a length', sent: `${post('Content-Length: 5')}hello`, body: 'hello' },
    { name: 'chunks, even if they hold nothing', sent: `${chunked}0\r\n\r\n`, body: '' },
  ])('The stream of a body for $name', async ({ sent, body }) => {
    const stream = (await ask(sent)).exchange.bodyStream();
    expect(stream === undefined ? undefined : await text(stream)).toBe(body);
  });

  test('The stream of a body does not end as if the body were whole where it breaks', async () => {
    const { exchange, message } = await ask(`${chunked}5\r\nhello\r\n`);
    const reading = text(exchange.bodyStream()!);
    breakBody(message, { code: 'HPE_STRICT' });
    await expect(reading).rejects.toThrow();
  });
});

describe('the end of an exchange is told', () => {
  const told = (exchange: Http1Exchange): Promise<void> => new Promise((resolve) => exchange.onClose(resolve));

  test('The end of an exchange is told when it is answered', async () => {
    const { exchange, response } = await ask(get());
    const closed = told(exchange);
    response.end();
    await closed;
    expect(response.writableFinished).toBe(true);
  });

  test('The end of an exchange is told when its client has left, also to one that asks later', async () => {
    const { exchange, response, client } = await ask(get());
    const closed = told(exchange);
    client.socket.destroy();
    await closed;
    expect(response.writableFinished).toBe(false);
    await told(exchange);
  });
});

test('An exchange knows its connection and the address of its client, and no certificate without TLS', async () => {
  const { exchange, message } = await ask(get());
  expect(exchange.connection).toBe(message.socket);
  expect([exchange.remoteAddress, exchange.peerCertificate()]).toEqual(['127.0.0.1', undefined]);
});
