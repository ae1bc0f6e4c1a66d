import { once } from 'node:events';
import http from 'node:http';
import net, { type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EvictingQuota } from '../../base/evicting-quota.ts';
import { onBrokenBody } from './broken-bodies.ts';
import { ParserFeed } from './parser-feed.ts';
import { Pipelining } from './pipelining.ts';
import { ProtocolErrors } from './protocol-errors.ts';
import { head, type PlainServer, startPlain } from './testing/plain-server.ts';

interface Served {
  readonly server: PlainServer;
  /** Targets of the requests that were not refused. */
  readonly served: string[];
  /** What readers of bodies were told. */
  readonly broken: string[];
}

/**
 * A server that answers what is not refused; `/slow` when it is told to.
 *
 * @param paced whether requests are parsed one by one; otherwise all that came together
 */
async function start(slow: Promise<unknown> = Promise.resolve(), paced = true): Promise<Served> {
  const server = http.createServer({ requireHostHeader: false });
  const [pipelining, feeds] = [new Pipelining(), new WeakMap<Socket, ParserFeed>()];
  const [served, broken]: [string[], string[]] = [[], []];
  server.on('connection', (socket: Socket) => {
    if (paced) feeds.set(socket, new ParserFeed(socket, () => pipelining.isBusy(socket), new EvictingQuota(1 << 20)));
  });
  const protocolErrors = new ProtocolErrors(server, pipelining, feeds);
  server.on('request', (message, response) => {
    const { socket, url = '' } = message;
    feeds.get(socket)?.parsed(message);
    if (protocolErrors.refuses(message)) return;
    served.push(url);
    pipelining.take(socket, response, () => {
      feeds.get(socket)?.begun();
      if (message.method === 'POST')
        return onBrokenBody(message, (error) => {
          broken.push(error.message);
          response.shouldKeepAlive = false;
          response.end('told');
        });
      void (url === '/slow' ? slow : Promise.resolve()).then(() => response.end('served'));
    });
    response.once('close', () => feeds.get(socket)?.goOn());
  });
  return { server: await startPlain(server), served, broken };
}

const host = 'Host: localhost';
const close = 'Connection: close';
/** Status line and body of the last answer. */
const partsOf = (text: string): (string | undefined)[] => {
  const [lines = '', body] = text.split('\r\n\r\n');
  return [lines.split('\r\n')[0], body];
};

describe('a request is refused with a line of text, and the connection ends', () => {
  const badRequest = '400 Bad Request';
  test.each([
    {
      name: 'another version than 1.x',
      sent: head('GET / HTTP/2.0', host),
      status: `${badRequest}: unsupported protocol version`,
    },
    { name: 'no host', sent: head('GET / HTTP/1.1'), status: `${badRequest}: missing required Host header` },
    {
      name: 'two hosts',
      sent: head('GET / HTTP/1.1', host, 'hOST: other'),
      status: `${badRequest}: too many Host headers`,
    },
    {
      name: 'a host with other characters than a host has',
      sent: head('GET / HTTP/1.1', 'Host: a/b'),
      status: `${badRequest}: malformed Host header`,
    },
    {
      name: 'an encoding before chunks',
      sent: head('POST / HTTP/1.1', host, 'Transfer-Encoding: gzip, chunked'),
      status: '501 Not Implemented',
      text: 'Unsupported transfer encoding',
    },
    { name: 'a broken escape in the path', sent: head('GET /%zz HTTP/1.1', host), status: badRequest },
    { name: 'a target that is no path', sent: head('GET nothing HTTP/1.1', host), status: badRequest },
    {
      name: 'a header name with a space',
      sent: head('GET / HTTP/1.1', host, 'a b: c'),
      status: `${badRequest}: invalid header name`,
    },
    {
      name: 'a header value with a control character',
      sent: head('GET / HTTP/1.1', host, 'a: \x01'),
      status: `${badRequest}: invalid header value`,
    },
    {
      name: 'more headers than fit',
      sent: head('GET / HTTP/1.1', host, `a: ${'x'.repeat(20_000)}`),
      status: '431 Request Header Fields Too Large',
    },
    { name: 'what is no HTTP', sent: head('this is no request'), status: badRequest },
  ])(
    'A request is refused with a line of text, and the connection ends for $name',
    async ({ sent, status, text = status }) => {
      const { server, served } = await start();
      expect(partsOf(await server.converse(sent))).toEqual([`HTTP/1.1 ${status}`, text]);
      expect(served).toEqual([]);
    },
  );

  test('A refused HEAD request is answered without the line of text', async () => {
    const { server } = await start();
    expect(partsOf(await server.converse(head('HEAD / HTTP/1.1')))).toEqual([
      'HTTP/1.1 400 Bad Request: missing required Host header',
      '',
    ]);
  });
});

describe('a request is not refused', () => {
  test.each([
    { name: 'HTTP/1.0 without a host', sent: head('GET / HTTP/1.0'), target: '/' },
    { name: 'an empty host', sent: head('GET / HTTP/1.1', 'Host:', close), target: '/' },
    { name: 'an IPv6 host with a port', sent: head('GET / HTTP/1.1', 'Host: [::1]:6443', close), target: '/' },
    { name: 'the whole URL', sent: head('GET http://a/b HTTP/1.1', host, close), target: 'http://a/b' },
    { name: 'a question to the server', sent: head('OPTIONS * HTTP/1.1', host, close), target: '*' },
    { name: 'a broken escape in the query', sent: head('GET /?a=%zz HTTP/1.1', host, close), target: '/?a=%zz' },
  ])('A request is not refused for $name', async ({ sent, target }) => {
    const { server, served } = await start();
    expect((await server.converse(sent)).split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect(served).toEqual([target]);
  });
});

describe('on a connection with other requests', () => {
  test('A refusal comes behind the answers to what came before', async () => {
    let goOn = (): void => undefined;
    const { server } = await start(new Promise<void>((resolve) => (goOn = resolve)));
    const client = (await server.dial()).say(head('GET /slow HTTP/1.1', host) + head('GET / HTTP/1.1'));
    goOn();
    expect((await client.all()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  test('Nothing behind a refusal is served', async () => {
    const { server, served } = await start();
    const text = await server.converse(head('GET / HTTP/1.1') + head('GET /behind HTTP/1.1', host));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(served).toEqual([]);
  });

  test.each([
    { name: 'another request', behind: head('GET /behind HTTP/1.1', host) },
    { name: 'another one that is refused', behind: head('GET /behind HTTP/1.1') },
    { name: 'what is no HTTP', behind: 'no request\r\n\r\n' },
  ])('A request behind a refusal that was parsed with it gets no answer: $name', async ({ behind }) => {
    const { server, served } = await start(undefined, false);
    const text = await server.converse(head('GET / HTTP/1.1') + behind);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(served).toEqual([]);
  });

  test('A client that goes on sending behind a refusal is disconnected after five seconds', async () => {
    const { server } = await start();
    const socket = net.connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const [connection] = (await once(server.listener, 'connection')) as [Socket];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    socket.on('error', () => undefined).resume();
    const answered = once(socket, 'end');
    socket.write(head('GET / HTTP/1.1'));
    await answered;
    const more = once(connection, 'data');
    socket.write('more');
    await more;
    vi.advanceTimersByTime(4999);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(connection.destroyed).toBe(true);
  });

  test('A body that breaks is told to the reader of its request, who answers', async () => {
    const { server, broken } = await start();
    const text = await server.converse(`${head('POST / HTTP/1.1', host, 'Transfer-Encoding: chunked')}zz\r\n`);
    expect(text.split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect(broken).toEqual(['invalid byte in chunk length']);
  });

  test('A client that leaves within a head gets no answer', async () => {
    const { server } = await start();
    const client = await server.dial();
    client.socket.end('GET / HTTP/1.1\r\nHo');
    expect(await client.all()).toBe('');
  });
});
