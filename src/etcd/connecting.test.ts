import { describe, expect, test, vi } from 'vitest';
import net from 'node:net';
import type { Dialer } from '../base/dialer.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { EtcdClient } from './client.ts';
import { GrpcCode } from '../grpc/status.ts';
import { startGrpcPeer, statusMessage } from './testing/grpc-peer.ts';
import type { PeerCall } from './testing/grpc-peer.ts';
import { startRawPeer } from '../http2/testing/http2-peer.ts';
import { openClient, startScript, answer } from './testing/scripted-peer.ts';

describe('connecting', () => {
  test('Connecting to etcd fails with the reason of each endpoint', async () => {
    const client = openClient(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
    await expect(client.range({ key: 'a' })).rejects.toMatchObject({
      code: GrpcCode.unavailable,
      unprocessed: true,
      message:
        'no etcd endpoint answers: http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; http://127.0.0.1:2: ' +
        'connect ECONNREFUSED 127.0.0.1:2',
    });
  });

  test('Connecting to etcd goes the way of the dialer, and fails with its reason', async () => {
    const peer = await startScript(answer);
    const asked: string[] = [];
    const dial: Dialer = ({ host, port }) => {
      asked.push(`${host}:${port}`);
      if (host === 'closed.example') return Promise.reject(new Error('the tunnel is closed'));
      return Promise.resolve(net.connect(Number(new URL(peer.url).port), '127.0.0.1'));
    };
    expect((await openClient(['http://etcd.example:2379'], { dial }).range({ key: 'a' })).revision).toBe(42);
    await expect(openClient(['http://closed.example:2379'], { dial }).range({ key: 'a' })).rejects.toThrow(
      'no etcd endpoint answers: http://closed.example:2379: the tunnel is closed',
    );
    expect(asked).toEqual(['etcd.example:2379', 'closed.example:2379']);
  });

  test('Connecting to etcd passes by an endpoint that refuses', async () => {
    const peer = await startScript(answer);
    expect((await openClient(['http://127.0.0.1:1', peer.url]).range({ key: 'a' })).revision).toBe(42);
  });

  test('Connecting to etcd does not wait long for an endpoint that keeps silent', async () => {
    const clock = new FakeClock();
    const mute = await startRawPeer();
    const peer = await startScript(answer);
    const client = openClient([`http://127.0.0.1:${mute.port}`, peer.url], { clock });
    const read = client.range({ key: 'a' });
    await vi.waitFor(() => expect(mute.heard.length).toBeGreaterThan(0));
    await clock.advance(1_000);
    expect((await read).revision).toBe(42);
  });

  test('Connecting to etcd gives up on endpoints that keep silent', async () => {
    const clock = new FakeClock();
    const mute = await startRawPeer();
    const client = openClient([`http://127.0.0.1:${mute.port}`], { clock, dialTimeoutMs: 700 });
    const read = expect(client.range({ key: 'a' })).rejects.toMatchObject({
      message: `no etcd endpoint answers: http://127.0.0.1:${mute.port}: no answer within 700 ms`,
    });
    await vi.waitFor(() => expect(mute.heard.length).toBeGreaterThan(0));
    await clock.advance(700);
    await read;
  });

  test.each([
    {
      name: 'a learner',
      onGreeting: (call: PeerCall) => call.replyWith(statusMessage('3.5.16', true)),
      message: 'the member is a learner',
    },
    {
      name: 'a member without a leader',
      onGreeting: (call: PeerCall) => call.fail(GrpcCode.unavailable, 'etcdserver: no leader'),
      message: 'etcdserver: no leader',
    },
  ])('Connecting passes by a member: $name', async ({ onGreeting, message }) => {
    const unfit = await startGrpcPeer(answer, { onGreeting });
    const peer = await startScript(answer);
    expect((await openClient([unfit.url, peer.url]).range({ key: 'a' })).revision).toBe(42);
    expect(unfit.calls).toEqual([]);
    await expect(openClient([unfit.url]).range({ key: 'a' })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  });

  test('Connecting to etcd makes do with a server that does not tell its status', async () => {
    const peer = await startGrpcPeer(answer, {
      onGreeting: (call) => call.fail(GrpcCode.unimplemented, 'unknown service'),
    });
    const client = openClient([peer.url]);
    expect((await client.range({ key: 'a' })).revision).toBe(42);
    expect((await client.watches.connect()).version).toBe('');
  });

  test('Connecting to etcd waits longer from failure to failure', async () => {
    const clock = new FakeClock();
    const warnings: string[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (_: object, message: string) => void warnings.push(message),
    };
    const client = openClient(['http://127.0.0.1:1'], { clock, log });
    await expect(client.range({ key: 'a' })).rejects.toMatchObject({ code: GrpcCode.unavailable });
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const start = clock.now();
      let failed = false;
      const again = client.range({ key: 'a' }).catch(() => (failed = true));
      while (!failed) {
        await clock.advance(1);
        // Connections are refused in real time.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await again;
      waits.push(clock.now() - start);
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits[3]!).toBeGreaterThan(waits[0]! * 4);
    // Said once, not with every attempt.
    expect(warnings).toEqual(['no etcd endpoint answers']);
  });

  test('Many calls to etcd at once share one connection', async () => {
    const peer = await startGrpcPeer(answer, { settings: { maxConcurrentStreams: 3 } });
    const client = openClient([peer.url]);
    const all = await Promise.all(Array.from({ length: 100 }, () => client.range({ key: 'a' })));
    expect(all).toHaveLength(100);
    expect(peer.sessions).toHaveLength(1);
  });

  test('Connecting to etcd names the server and asks for a member with a leader', async () => {
    const seen: PeerCall['headers'][] = [];
    const peer = await startScript((call) => {
      seen.push(call.headers);
      answer(call);
    });
    await openClient([peer.url]).range({ key: 'a' });
    expect(seen[0]).toMatchObject({
      ':authority': `127.0.0.1:${peer.port}`,
      ':method': 'POST',
      ':scheme': 'http',
      'content-type': 'application/grpc',
      te: 'trailers',
      hasleader: 'true',
    });
  });

  test('Connecting to etcd fails without an endpoint', () => {
    expect(() => new EtcdClient({ endpoints: [] })).toThrow('no etcd endpoint is given');
  });
});
