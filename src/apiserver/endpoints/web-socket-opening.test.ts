/** What a client has to send for a watch over a WebSocket, and how it is refused otherwise. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryExchange } from '../../../test/support/memory-exchange.ts';
import { startEndpoints } from './testing/endpoints-server.ts';
import { openWatch } from './testing/open-watch.ts';

const target = '/api/v1/namespaces/x/configmaps?watch=true';
const opening = {
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-version': '13',
  origin: 'https://example.com',
};
const headersOf = (more: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries({ ...opening, ...more }).filter((header): header is [string, string] => header[1] !== undefined);
const token = 'base64url.bearer.authorization.k8s.io.dG9rZW4';

describe('a watch becomes a WebSocket', () => {
  test.each<{ name: string; headers?: Record<string, string>; protocol?: string; isText?: boolean }>([
    { name: 'without a subprotocol' },
    { name: 'of the one subprotocol that is offered', headers: { 'sec-websocket-protocol': 'a' }, protocol: 'a' },
    { name: 'where the client offers its token alone', headers: { 'sec-websocket-protocol': token } },
    {
      name: 'of the subprotocol that is offered beside the token',
      headers: { 'sec-websocket-protocol': `${token}, a` },
      protocol: 'a',
    },
    { name: 'for a page that is a path', headers: { origin: '/page' } },
    {
      name: 'of binary messages for protobuf',
      headers: { accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
      isText: false,
    },
  ])('A watch becomes a WebSocket: $name', async ({ headers = {}, protocol, isText = true }) => {
    const watch = await openWatch(await startEndpoints(), target, headersOf(headers), 'websocket');
    onTestFinished(() => watch.leave());
    expect(watch.answer).toMatchObject({ status: 101, webSocket: { protocol, isText } });
  });

  test('A watch becomes a WebSocket whose messages are one event each, without the length of a frame', async () => {
    const server = await startEndpoints();
    for (const name of ['a', 'b']) await server.done('POST', target.split('?')[0]!, { metadata: { name } });
    const lengths: number[] = [];
    for (const upgrade of ['websocket', undefined] as const) {
      const accept = 'application/vnd.kubernetes.protobuf;stream=watch';
      const watch = await openWatch(server, `${target}&timeoutSeconds=-1`, headersOf({ accept }), upgrade);
      await watch.ended;
      lengths.push(watch.written.length, Buffer.concat(watch.written).length);
    }
    const [messages, messageBytes, , frameBytes] = lengths;
    expect(messages).toBe(2);
    expect(frameBytes! - messageBytes!).toBe(2 * 4);
  });
});

describe('a WebSocket is refused', () => {
  const text = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
  test.each<{
    name: string;
    headers?: Record<string, string | undefined>;
    status: number;
    body?: string;
    more?: object;
  }>([
    {
      name: 'without a key',
      headers: { 'sec-websocket-key': undefined },
      status: 400,
      body: 'mismatch challenge/response',
    },
    {
      name: 'with a key of another length',
      headers: { 'sec-websocket-key': 'AAAA' },
      status: 400,
      body: 'mismatch challenge/response',
    },
    {
      name: 'in another version, and the client is told which',
      headers: { 'sec-websocket-version': '8' },
      status: 400,
      body: 'missing or bad WebSocket Version',
      more: { 'sec-websocket-version': '13' },
    },
    { name: 'without an origin', headers: { origin: undefined }, status: 403 },
    { name: 'for an origin that is no address', headers: { origin: 'null' }, status: 403 },
    { name: 'with two subprotocols', headers: { 'sec-websocket-protocol': 'a, b' }, status: 400 },
    { name: 'with a subprotocol that is no token', headers: { 'sec-websocket-protocol': 'a/b' }, status: 400 },
  ])('A WebSocket is refused: $name', async ({ headers = {}, status, body = '', more = {} }) => {
    const server = await startEndpoints();
    const answer = await server.handle(
      memoryExchange(
        { method: 'GET', target, headers: headersOf(headers) },
        { upgrade: 'websocket', canBecomeWebSocket: true },
      ),
    );
    expect(answer).toEqual({ status, headers: { ...text, ...more }, body });
  });

  test('A WebSocket is refused on a connection that cannot become one', async () => {
    const exchange = memoryExchange({ method: 'GET', target, headers: headersOf({}) }, { upgrade: 'websocket' });
    const answer = await (await startEndpoints()).handle(exchange);
    expect(answer).toEqual({ status: 400, headers: text, body: 'not websocket protocol' });
  });
});
