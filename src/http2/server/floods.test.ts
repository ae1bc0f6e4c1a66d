/** Frames that cost the server something and bring their client nothing, from a client that takes all it is told. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting, frame, uint32 } from '../frames.ts';
import { HeaderBlocks } from '../header-blocks.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import { answer, field, pattern, sendBody, startServer } from '../testing/http2-server.ts';
import { data, headers, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post, request } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { RawClient } from '../testing/raw-client.ts';

const nothing = Buffer.alloc(0);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const isOver = (client: RawClient): boolean =>
  client.heard.some((heard) => heard.type === FrameType.goAway && heard.code !== ErrorCode.noError);

/** Sends until the server has enough. @returns how many were sent */
async function flood(client: RawClient, one: (round: number) => Buffer, most: number): Promise<number> {
  const atOnce = 500;
  for (let sent = 0; sent < most; sent += atOnce) {
    client.send(...Array.from({ length: atOnce }, (_, i) => one(sent + i)));
    await turn();
    if (isOver(client)) return sent;
  }
  client.send(ping('at last!'));
  await client.waitFor((heard) => heard.code === ErrorCode.enhanceYourCalm || heard.payload.toString() === 'at last!');
  return most;
}

describe('a flood of frames that mean nothing ends the connection with ENHANCE_YOUR_CALM', () => {
  const id = (round: number): number => 2 * round + 101;
  test.each<{ name: string; one: (round: number) => Buffer }>([
    {
      name: 'requests, each reset at once',
      one: (round) => Buffer.concat([get(id(round), '/hold'), reset(id(round), ErrorCode.cancel)]),
    },
    {
      name: 'requests, each with a mistake that resets it',
      one: (round) => Buffer.concat([post(id(round), '/hold'), windowUpdate(id(round), 0)]),
    },
    {
      name: 'requests, each with a window beyond all',
      one: (round) => Buffer.concat([post(id(round), '/hold'), windowUpdate(id(round), 0x7fff_ffff)]),
    },
    {
      name: 'malformed requests',
      one: (round) => headers(id(round), [[':method', 'GET']], Flag.endHeaders | Flag.endStream),
    },
    {
      name: 'DATA behind the end of requests',
      one: (round) => Buffer.concat([get(id(round), '/hold'), data(id(round), 'x')]),
    },
    { name: 'empty DATA', one: () => data(1, nothing) },
    { name: 'DATA that is all padding', one: () => data(1, Buffer.from([1, 0]), Flag.padded) },
    { name: 'PRIORITY', one: () => frame(FrameType.priority, 0, 1, Buffer.concat([uint32(0), Buffer.from([0])])) },
    { name: 'WINDOW_UPDATE of the connection', one: () => windowUpdate(0, 1) },
    { name: 'WINDOW_UPDATE of a stream', one: () => windowUpdate(1, 1) },
    {
      name: 'SETTINGS that change the window of every stream',
      one: (round) => settings([Setting.initialWindowSize, 65_535 + (round % 2)]),
    },
    { name: 'RST_STREAM of streams that are over', one: () => reset(3, ErrorCode.cancel) },
    { name: 'frames of an unknown type', one: () => frame(0x42, 0, 0, nothing) },
    { name: 'GOAWAY', one: () => frame(FrameType.goAway, 0, 0, Buffer.alloc(8)) },
  ])('The HTTP/2 server ends a connection with a flood: $name', async ({ one }) => {
    const server = await startServer((stream) => void (field(stream, ':path') === '/hold' || answer(stream)));
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1, '/hold'), get(3), ...Array.from({ length: 40 }, (_, i) => get(5 + 2 * i, '/hold')));
    await client.wholeAnswer(3);
    expect(await flood(client, one, 40_000)).toBeLessThan(30_000);
    await vi.waitFor(() =>
      expect(client.heard.findLast((heard) => heard.type === FrameType.goAway)?.code).toBe(ErrorCode.enhanceYourCalm),
    );
    await client.ended;
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });

  test('SETTINGS cost as much as there are streams to change', async () => {
    const server = await startServer(() => undefined);
    const client = await connectRaw(server.port);
    client.greet();
    client.send(...Array.from({ length: 100 }, (_, i) => get(1 + 2 * i)));
    expect(
      await flood(client, (round) => settings([Setting.initialWindowSize, 65_535 + (round % 2)]), 20_000),
    ).toBeLessThan(1_500);
  });
});

describe('no flood', () => {
  test('A client that takes a large answer in small windows is no flood', async () => {
    const server = await startServer((stream) => sendBody(stream, pattern(3_000_000)));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 100]);
    client.send(get(1), windowUpdate(0, 10_000_000));
    for (let sent = 100; sent < 3_000_000; sent += 100) {
      client.send(windowUpdate(1, 100));
      if (sent % 10_000 === 0) await turn();
    }
    expect((await client.wholeAnswer(1)).body.length).toBe(3_000_000);
  });

  test('Resets and settings now and then are no flood, however many come together', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startServer((stream) => void (field(stream, ':path') === '/' && answer(stream)));
    const client = await connectRaw(server.port);
    client.greet();
    let id = 1;
    for (let i = 0; i < 60; i++, vi.advanceTimersByTime(1_000)) {
      for (let k = 0; k < 50; k++, id += 2) client.send(get(id, '/watch'), reset(id, ErrorCode.cancel));
      client.send(settings([Setting.initialWindowSize, 65_535 + (i % 2)]));
      client.send(ping(String(i).padStart(8)));
      await client.waitFor((heard) => heard.payload.toString() === String(i).padStart(8));
    }
    expect(isOver(client)).toBe(false);
  });
});

test('A header block that comes byte by byte is kept in few pieces', () => {
  const block = encodeHeaders(request('GET', `/${'x'.repeat(3_000)}`));
  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  const blocks = new HeaderBlocks((whole) => Buffer.from(whole), 1_000_000);
  blocks.headers(0, 1, block.subarray(0, 1));
  for (let at = 1; at < block.length - 1; at++) blocks.continuation(0, 1, block.subarray(at, at + 1));
  expect(blocks.continuation(Flag.endHeaders, 1, block.subarray(-1))?.headers).toEqual(block);
  expect(concat.mock.calls.every(([pieces]) => pieces.length < 20)).toBe(true);
});
