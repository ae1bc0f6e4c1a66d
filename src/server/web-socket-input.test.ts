/** What clients say on WebSockets whose answer has an input. */
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startWebSockets } from './testing/web-socket-server.ts';

describe('the input of a WebSocket', () => {
  test('Each message is one write, and the end of the WebSocket is the end of the input', async () => {
    const messages: string[] = [];
    const input = new Writable({ write: (chunk: Buffer, _, done) => void (messages.push(chunk.toString()), done()) });
    const { connect } = await startWebSockets({ input });
    const client = connect();
    await client.opened;
    client.socket.send('a');
    client.socket.send(Buffer.alloc(0));
    client.socket.send(Buffer.from('b'.repeat(100_000)));
    const finished = once(input, 'finish');
    client.socket.close();
    await finished;
    expect(messages.map((text) => text.slice(0, 3))).toEqual(['a', '', 'bbb']);
  });

  test('A client waits while the input is full, and its messages are not gathered', async () => {
    const input = new PassThrough({ highWaterMark: 1024 });
    const { connect, begun, finish } = await startWebSockets({ input });
    const client = connect();
    await client.opened;
    for (let i = 0; i < 1000; i++) client.socket.send(Buffer.alloc(32 * 1024, 'x'));
    const { socket } = await begun;
    await once(input, 'readable');
    await new Promise((resolve) => setImmediate(resolve));
    const { bytesRead } = socket;
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(socket.bytesRead).toBe(bytesRead);
    expect(input.readableLength + input.writableLength).toBeLessThan(256 * 1024);
    let got = 0;
    for await (const chunk of input as AsyncIterable<Buffer>) if ((got += chunk.length) === 1000 * 32 * 1024) break;
    expect(got).toBe(1000 * 32 * 1024);
    finish();
  });

  test('A client that goes while its input is full is noticed, because it is pinged then', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const input = new PassThrough({ highWaterMark: 1024 });
    const { connect, begun } = await startWebSockets({ input });
    const client = connect();
    await client.opened;
    for (let i = 0; i < 1000; i++) client.socket.send(Buffer.alloc(32 * 1024));
    const { sink } = await begun;
    await once(input, 'readable');
    const told = new Promise<void>((resolve) => sink.onClose(resolve));
    let pinged = 0;
    client.socket.on('ping', () => pinged++);
    vi.advanceTimersByTime(10_000);
    await once(client.socket, 'ping');
    expect(vi.getTimerCount()).toBe(1);
    client.connection.resetAndDestroy();
    while (!sink.closed) {
      vi.advanceTimersByTime(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await told;
    expect([pinged, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('A message of more than 1 MiB ends a WebSocket that has an input', async () => {
    const input = new PassThrough();
    const { connect } = await startWebSockets({ input: input.resume() });
    const client = connect();
    await client.opened;
    client.socket.send(Buffer.alloc(1024 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  test('An input that is destroyed does not keep a client from saying goodbye', async () => {
    const input = new PassThrough({ highWaterMark: 1 });
    const { connect, finish } = await startWebSockets({ input });
    const client = connect();
    await client.opened;
    client.socket.send(Buffer.alloc(1000));
    client.socket.send(Buffer.alloc(1000));
    await once(input, 'readable');
    input.destroy();
    finish();
    expect(await client.closed).toBe(1000);
  });
});
