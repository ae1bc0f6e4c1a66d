import { describe, expect, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, connectionPreface, frame } from '../frames.ts';
import { startServer } from '../testing/http2-server.ts';
import { data, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { RawClient } from '../testing/raw-client.ts';
import type { ServerConnectionOptions } from './connection-options.ts';
import type { ServerStream } from './stream.ts';
import { streamIds, nothing, sized } from '../testing/rules/stream-ids.ts';
import { streamRows } from '../testing/rules/streams.ts';
import { controlRows } from '../testing/rules/control.ts';
import { requestRows } from '../testing/rules/requests.ts';
import { serve } from '../testing/held-requests.ts';

const codeNames: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(ErrorCode).map(([name, code]) => [code, name]),
);

async function prepare(
  options: Partial<ServerConnectionOptions> = {},
): Promise<{ client: RawClient; streams: ServerStream[]; closes: number[] }> {
  const streams: ServerStream[] = [];
  const closes: number[] = [];
  const server = await startServer((stream) => {
    streams.push(stream);
    stream.onClose(() => closes.push(stream.id));
    serve(stream);
  }, options);
  const client = await connectRaw(server.port);
  client.greet();
  client.send(
    post(streamIds.open, '/hold'),
    get(streamIds.halfClosed, '/hold'),
    get(streamIds.answered),
    post(streamIds.cancelled, '/hold'),
    reset(streamIds.cancelled, ErrorCode.cancel),
    post(streamIds.brokenOff, '/reset'),
  );
  await client.resetOf(streamIds.brokenOff);
  return { client, streams, closes };
}

/**
 * What the server said to `frames`: an error, answers, or nothing. A request behind them shows that the connection
 * still serves.
 */
async function reaction(client: RawClient, frames: readonly Buffer[]): Promise<string> {
  const before = client.heard.length;
  client.send(...frames, get(streamIds.probe));
  const last = await client.waitFor(
    ({ type, streamId }) => type === FrameType.goAway || (type === FrameType.headers && streamId === streamIds.probe),
  );
  if (last.type === FrameType.goAway) {
    await client.ended;
    return `connection ${codeNames[last.code!]}`;
  }
  const said = client.heard.slice(before, client.heard.indexOf(last)).flatMap(({ type, streamId, code, fields }) => {
    if (type === FrameType.rstStream) return [`stream ${streamId} ${codeNames[code!]}`];
    return type === FrameType.headers ? [`stream ${streamId} ${fields!.get(':status')}`] : [];
  });
  return said.join(', ') || 'nothing';
}

const { open, next } = streamIds;

describe('HTTP/2 server connection with a client that breaks the rules, RFC 9113', () => {
  test.each([...streamRows, ...controlRows, ...requestRows])(
    'A client that breaks RFC 9113: $name',
    async ({ send, expected, options }) => {
      const { client, streams, closes } = await prepare(options);
      const said = await reaction(client, send);
      expect(said).toBe(expected);
      const open = said.startsWith('connection') ? streams : streams.filter((stream) => stream.closed);
      await vi.waitFor(() =>
        expect(closes.toSorted((a, b) => a - b)).toEqual(open.map((stream) => stream.id).toSorted((a, b) => a - b)),
      );
      expect(open.every((stream) => stream.closed)).toBe(true);
    },
  );

  test.each([
    { name: 'HTTP/1.1', bytes: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n') },
    { name: 'almost the preface', bytes: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r!') },
    { name: 'TLS', bytes: Buffer.from('16030100ba010000b6', 'hex') },
  ])('A beginning that is none, $name', async ({ bytes }) => {
    const handler = vi.fn();
    const client = await connectRaw((await startServer(handler)).port);
    client.send(bytes);
    await client.ended;
    expect(client.heard.filter((heard) => heard.type === FrameType.goAway).map((heard) => heard.code)).toEqual([
      ErrorCode.protocolError,
    ]);
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    { name: 'PING', first: ping() },
    { name: 'a request', first: get(1) },
    { name: 'WINDOW_UPDATE', first: windowUpdate(0, 1) },
    { name: 'an unknown frame', first: frame(0x42, 0, 0, nothing) },
    // Section 3.4: the client's own, not its answer to ours.
    { name: 'an acknowledgement', first: frame(FrameType.settings, Flag.ack, 0, nothing) },
  ])('A first frame that is $name instead of SETTINGS', async ({ first }) => {
    const client = await connectRaw((await startServer(serve)).port);
    client.send(connectionPreface, first, settings(), get(99));
    expect((await client.goAway()).code).toBe(ErrorCode.protocolError);
    await client.ended;
  });

  test('The last stream that was looked at is named with the error', async () => {
    const { client } = await prepare();
    client.send(get(next), sized(FrameType.ping, 0, 7));
    expect(await client.goAway()).toMatchObject({ lastStreamId: next, code: ErrorCode.frameSizeError });
  });

  test('An error is heard although much was under way', async () => {
    const { client } = await prepare();
    client.send(sized(FrameType.ping, 0, 7), ...Array.from({ length: 100 }, () => data(open, 16_384)));
    expect((await client.goAway()).code).toBe(ErrorCode.frameSizeError);
    await client.ended;
  });
});
