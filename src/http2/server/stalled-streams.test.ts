import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting } from '../frames.ts';
import { answer, field, pattern, sendBody, startServer } from '../testing/http2-server.ts';
import { data, ping, windowUpdate } from '../testing/client-frames.ts';
import { get, post } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { RawClient } from '../testing/raw-client.ts';
import { connectNonReading } from '../testing/non-reading-client.ts';
import type { ServerStream } from './stream.ts';

/** Times pass when the test says so. */
function stopTime(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return async (ms) => void (await vi.advanceTimersByTimeAsync(ms));
}

/** The server has read all that was sent before. */
async function heard(client: RawClient, text: string): Promise<void> {
  client.send(ping(text));
  await client.waitFor((frame) => frame.type === FrameType.ping && frame.payload.toString() === text);
}

const credit = (client: RawClient, streamId: number): number =>
  client.heard
    .filter((frame) => frame.type === FrameType.windowUpdate && frame.streamId === streamId)
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);

describe('the body of a request that is answered, whose answer the client does not take', () => {
  const size = 60_000;
  const connectionWindowBytes = 1_048_576;

  test.each([
    { name: 'came before', handler: (stream: ServerStream) => void setTimeout(() => answer(stream), 1) },
    { name: 'comes later', handler: (stream: ServerStream) => answer(stream) },
    {
      name: 'is read, slower than it comes',
      handler: (stream: ServerStream) => (
        stream.read({ onData: () => stream.pause(), onEnd: () => undefined }), setTimeout(() => answer(stream), 1)
      ),
    },
  ])('The body of an answered request is dropped while its client reads nothing: it $name', async ({ handler }) => {
    const server = await startServer((stream) => void handler(stream), { connectionWindowBytes });
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    const ids = Array.from({ length: 90 }, (_, i) => 2 * i + 1);
    for (const id of ids) {
      client.send(post(id), ...Array.from({ length: 6 }, () => data(id, size / 6)));
      await client.answer(id);
      await heard(client, String(id).padStart(8));
    }
    expect(client.heard.some((frame) => frame.type === FrameType.goAway)).toBe(false);
    // All but what is told together with what comes next; and nothing more of the same bodies.
    expect(credit(client, 0)).toBeGreaterThan(ids.length * size - connectionWindowBytes / 2);
    expect(ids.map((id) => credit(client, id)).reduce((sum, bytes) => sum + bytes, 0)).toBe(0);
    expect(server.connections[0]!.activeStreams).toBe(ids.length);
  });

  test('The body of a request whose answer the client does not take ends the stream beyond one window', async () => {
    const server = await startServer((stream) => answer(stream));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    client.send(post(1), ...Array.from({ length: 6 }, () => data(1, 12_000)));
    expect((await client.resetOf(1)).code).toBe(ErrorCode.flowControlError);
  });
});

describe('an answer that cannot be sent', () => {
  const stallMs = 1_000;

  test('An answer that cannot be sent ends after a time; those without anything to send do not', async () => {
    const pass = stopTime();
    const streams = new Map<string, ServerStream>();
    const server = await startServer(
      (stream) => {
        const path = field(stream, ':path')!;
        streams.set(path, stream);
        stream.respond(200, []);
        if (path === '/idle') return;
        if (path === '/slow' || path === '/stuck') stream.write(pattern(1_000));
        else answer(stream);
      },
      { stallMs },
    );
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    client.send(get(1, '/stuck'), get(3, '/idle'), get(5, '/slow'), get(7, '/answered'));
    await heard(client, 'all here');
    for (let i = 0; i < 10; i++) {
      await pass(stallMs / 2);
      client.send(windowUpdate(5, 1));
      await heard(client, `ping ${i}..`);
    }
    expect(
      client.heard.filter((frame) => frame.type === FrameType.rstStream).map(({ streamId, code }) => [streamId, code]),
    ).toEqual([
      [1, ErrorCode.cancel],
      [7, ErrorCode.cancel],
    ]);
    expect([...streams].map(([path, { closed }]) => [path, closed])).toEqual([
      ['/stuck', true],
      ['/idle', false],
      ['/slow', false],
      ['/answered', true],
    ]);
    expect(server.connections[0]!.activeStreams).toBe(2);
  });

  test('An answer that cannot be sent has all of its time from its last byte on', async () => {
    const pass = stopTime();
    const server = await startServer((stream) => sendBody(stream, pattern(100)), { stallMs });
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 10]);
    client.send(get(1));
    await heard(client, 'all here');
    for (let sent = 10; sent < 100; sent += 10) {
      await pass(stallMs - 1);
      client.send(windowUpdate(1, 10));
      await heard(client, `ping ${sent}..`.slice(0, 8).padEnd(8));
    }
    expect((await client.wholeAnswer(1)).body).toEqual(pattern(100));
  });

  test('An answer that cannot be sent because the window of the connection is closed ends as well', async () => {
    const pass = stopTime();
    const server = await startServer((stream) => sendBody(stream, pattern(100_000)), { stallMs });
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 1_000_000]);
    client.send(get(1), get(3));
    await heard(client, 'all here');
    await pass(2 * stallMs);
    await pass(2 * stallMs);
    expect((await client.resetOf(1)).code).toBe(ErrorCode.cancel);
    expect((await client.resetOf(3)).code).toBe(ErrorCode.cancel);
    expect(server.connections[0]!.activeStreams).toBe(0);
  });

  test('An answer that cannot be sent because the client reads nothing any more ends with its connection', async () => {
    const pass = stopTime();
    const { socket, connection } = connectNonReading((stream) => answer(stream), { stallMs, idleMs: 1e9 });
    socket.push(get(1));
    await pass(stallMs / 2);
    expect(socket.destroyed).toBe(false);
    await pass(2 * stallMs);
    expect([socket.destroyed, connection.activeStreams]).toEqual([true, 0]);
  });

  test('An answer that is read now and then goes on', async () => {
    const pass = stopTime();
    const { socket } = connectNonReading((stream) => sendBody(stream, pattern(10_000_000)), { stallMs, idleMs: 1e9 });
    socket.push(get(1));
    for (let i = 0; i < 500 && socket.taken < 10_000_000; i++) {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      await pass(stallMs - 1);
      socket.listenOnce();
    }
    expect([socket.destroyed, socket.taken > 10_000_000]).toEqual([false, true]);
  });
});

describe('a connection that was told to go', () => {
  const leaveMs = 5_000;

  test('A connection that was told to go ends after a time, whatever its streams do', async () => {
    const pass = stopTime();
    const server = await startServer((stream) => stream.respond(200, []), { leaveMs });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(get(1), post(3));
    await client.answer(3);
    server.connections[0]!.leave();
    expect((await client.goAway()).code).toBe(ErrorCode.noError);
    await pass(leaveMs - 1);
    await heard(client, 'in time.');
    expect(server.connections[0]!.activeStreams).toBe(2);
    await pass(1);
    await client.ended;
    expect(server.connections[0]!.activeStreams).toBe(0);
  });

  test('A connection that was told to go ends at once when its streams are over', async () => {
    const server = await startServer((stream) => answer(stream), { leaveMs });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(get(1));
    expect((await client.wholeAnswer(1)).status).toBe('200');
    server.connections[0]!.leave();
    await client.ended;
  });
});

test('What is dropped of a body ends with the stream, and the stream with its answer', async () => {
  const server = await startServer((stream) => answer(stream));
  const client = await connectRaw(server.port);
  client.greet();
  client.send(post(1), data(1, 10_000), data(1, 'x', Flag.endStream));
  expect((await client.wholeAnswer(1)).status).toBe('200');
  expect((await client.resetOf(1)).code).toBe(ErrorCode.noError);
  await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
});
