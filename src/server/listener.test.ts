import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testTls, startTransport, type TestTransport } from '../../test/support/transport.ts';
import type { Exchange } from './exchange.ts';
import { listen, type TransportOptions } from './listener.ts';

const seen = (exchange: Exchange): string => `${exchange.method} ${exchange.target}`;
const echo: TransportOptions['handle'] = (exchange) =>
  Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, body: seen(exchange) });

async function start(more: Partial<TransportOptions> = {}): Promise<TestTransport> {
  const transport = await startTransport({ handle: echo, ...more });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  return transport;
}

interface Answered {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

async function http1(
  { url, ca }: TestTransport,
  { path = '/', method = 'GET', agent = false as false | https.Agent } = {},
): Promise<Answered> {
  const request = https.request(url, { path, method, ca, agent }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  const { connection } = response.headers;
  return { status: response.statusCode, connection, text: Buffer.concat(chunks).toString() };
}

async function overHttp2({ url, ca }: TestTransport, headers: http2.OutgoingHttpHeaders): Promise<Answered> {
  const session = http2.connect(url, { ca });
  onTestFinished(() => session.destroy());
  const stream = session.request(headers);
  const [answer] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
  const text = Buffer.concat((await stream.toArray()) as Buffer[]).toString();
  return { status: answer[':status'], connection: undefined, text };
}

/** Given once, and waited for. */
function signal(): { give: () => void; given: Promise<void> } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { give: () => give(), given };
}

describe('a TLS port with two protocols', () => {
  test.each([
    { name: 'HTTP/1.1', ask: (transport: TestTransport) => http1(transport, { path: '/a?b=c' }) },
    { name: 'HTTP/2', ask: (transport: TestTransport) => overHttp2(transport, { ':path': '/a?b=c' }) },
  ])('A request over $name reaches the one handler', async ({ ask }) =>
    expect(await ask(await start())).toMatchObject({ status: 200, text: 'GET /a?b=c' }),
  );

  test.each([
    { offered: ['h2', 'http/1.1'], spoken: 'h2' },
    { offered: ['http/1.1'], spoken: 'http/1.1' },
    { offered: ['http/1.1', 'h2'], spoken: 'h2' },
  ])('A client that offers $offered speaks $spoken', async ({ offered, spoken }) => {
    const { port, ca } = await start();
    const socket = tls.connect({ port, host: '127.0.0.1', ca, ALPNProtocols: offered });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(spoken);
  });

  test('OPTIONS of the whole server is answered without the handler', async () => {
    const asked: string[] = [];
    const transport = await start({
      handle: (exchange) => {
        asked.push(seen(exchange));
        return echo(exchange);
      },
    });
    expect(await http1(transport, { method: 'OPTIONS', path: '*' })).toMatchObject({ status: 200, text: '' });
    expect(await http1(transport, { method: 'OPTIONS', path: '/' })).toMatchObject({ text: 'OPTIONS /' });
    expect(asked).toEqual(['OPTIONS /']);
  });
});

describe('a client that does not speak TLS', () => {
  test('A client that speaks HTTP without TLS is told so, and the failed handshake is counted', async () => {
    let failed = 0;
    const { port } = await start({ onHandshakeError: () => failed++ });
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const text = ((await socket.toArray()) as string[]).join('');
    expect(text).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
    expect(failed).toBe(1);
  });

  test('A client that sends noise is disconnected without an answer, and the server goes on', async () => {
    const transport = await start();
    const socket = net.connect(transport.port, '127.0.0.1').on('error', () => undefined);
    socket.write(Buffer.alloc(64, 0xff));
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    await once(socket, 'close');
    // A TLS alert is all that may come.
    expect(Buffer.concat(received).toString('latin1')).not.toContain('HTTP');
    expect((await http1(transport)).status).toBe(200);
  });
});

describe('a listener that leaves', () => {
  const open = async (handle: TransportOptions['handle'] = echo) => {
    const transport = await listen({ address: '127.0.0.1', port: 0, maxStreamsPerConnection: 0, tls: testTls, handle });
    onTestFinished(() => transport.close(0));
    const { ca } = await start();
    return { transport, at: { url: `https://127.0.0.1:${transport.port}`, port: transport.port, ca } as TestTransport };
  };

  test('A request in work over HTTP/1.1 is answered, and its connection ends', async () => {
    const begun = signal();
    const released = signal();
    const { transport, at } = await open(async (exchange) => {
      begun.give();
      await released.given;
      return echo(exchange);
    });
    const agent = new https.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const asked = http1(at, { agent });
    await begun.given;
    transport.leave();
    released.give();
    expect(await asked).toMatchObject({ status: 200, connection: 'close' });
    await transport.close(60_000);
  });

  test('A client of HTTP/2 gets GOAWAY, and new connections are refused', async () => {
    const { transport, at } = await open();
    const session = http2.connect(at.url, { ca: at.ca });
    await once(session, 'connect');
    const gone = once(session, 'goaway');
    transport.leave();
    const [code] = (await gone) as [number];
    expect(code).toBe(http2.constants.NGHTTP2_NO_ERROR);
    const late = net.connect(transport.port, '127.0.0.1');
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    await transport.close(60_000);
  });

  test('A request that does not end is cut off after the grace period', async () => {
    const begun = signal();
    const { transport, at } = await open(() => {
      begun.give();
      return new Promise(() => undefined);
    });
    const failed = expect(http1(at)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await begun.given;
    await transport.close(0);
    await failed;
  });
});
