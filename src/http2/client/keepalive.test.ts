import { describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { Exchange, connectTo, post, startRawPeer } from '../testing/http2-peer.ts';
import { Flag, FrameType, frame } from '../frames.ts';

describe('HTTP/2 keepalive', () => {
  const ping = (heard: { type: number; flags: number }[]): number =>
    heard.filter((one) => one.type === FrameType.ping && one.flags === 0).length;

  test('HTTP/2 keepalive ends a connection whose peer no longer answers', async () => {
    const clock = new FakeClock();
    const peer = await startRawPeer();
    const connection = await connectTo(peer.port, { clock, keepaliveMs: 1_000, keepaliveTimeoutMs: 500 });
    const exchange = new Exchange();
    connection.open(post, exchange);
    await clock.advance(2_000);
    await vi.waitFor(() => expect(ping(peer.heard)).toBe(1));
    expect(exchange.closes).toBe(0);
    await clock.advance(500);
    expect(await exchange.closed).toMatchObject({ message: 'the peer did not answer a ping within 500 ms' });
  });

  test('HTTP/2 keepalive leaves a connection alone that answers, or is not used', async () => {
    const clock = new FakeClock();
    const peer = await startRawPeer();
    const connection = await connectTo(peer.port, { clock, keepaliveMs: 1_000, keepaliveTimeoutMs: 500 });
    await clock.advance(10_000);
    expect(ping(peer.heard)).toBe(0);
    connection.open(post, new Exchange());
    await clock.advance(1_000);
    await vi.waitFor(() => expect(ping(peer.heard)).toBe(1));
    peer.send(frame(FrameType.ping, Flag.ack, 0, peer.heard.find((one) => one.type === FrameType.ping)!.payload));
    // A second question can only be asked when the first was answered.
    await vi.waitFor(() => {
      connection.probe();
      expect(ping(peer.heard)).toBe(2);
    });
    expect(connection.draining).toBe(false);
  });

  test('A probe finds a dead peer at once, and takes anything that arrives for a sign of life', async () => {
    const clock = new FakeClock();
    const peer = await startRawPeer();
    const connection = await connectTo(peer.port, { clock, keepaliveTimeoutMs: 500 });
    connection.probe();
    connection.probe();
    await vi.waitFor(() => expect(ping(peer.heard)).toBe(1));
    const settings = frame(FrameType.settings, 0, 0, Buffer.alloc(0));
    peer.send(settings);
    const acks = (): number =>
      peer.heard.filter((one) => one.type === FrameType.settings && one.flags === Flag.ack).length;
    await vi.waitFor(() => expect(acks()).toBe(2));
    await clock.advance(500);
    expect(connection.draining).toBe(false);
    connection.probe();
    await clock.advance(500);
    expect(connection.draining).toBe(true);
  });
});
