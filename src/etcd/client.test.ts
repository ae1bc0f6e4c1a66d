import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { EtcdClient } from './client.ts';
import type { EtcdClientOptions } from './client.ts';
import { GrpcCode } from '../grpc/status.ts';
import type { TxnRequest } from './messages.ts';
import { startGrpcPeer, statusMessage } from './testing/grpc-peer.ts';
import type { GrpcPeer, PeerCall } from './testing/grpc-peer.ts';
import { startRawPeer } from '../http2/testing/http2-peer.ts';

const put: TxnRequest = {
  compare: [{ key: 'a', modRevision: 0 }],
  success: [{ put: { key: 'a', value: Buffer.from('x') } }],
  failure: [],
};
const txnPath = '/etcdserverpb.KV/Txn';
const rangePath = '/etcdserverpb.KV/Range';

function openClient(endpoints: readonly string[], options: Partial<EtcdClientOptions> = {}): EtcdClient {
  const client = new EtcdClient({ endpoints, ...options });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

/** Each call is answered by the next of these; the last one repeats. */
async function startScript(...steps: ((call: PeerCall) => void)[]): Promise<GrpcPeer> {
  let next = 0;
  return startGrpcPeer((call) => steps[Math.min(next++, steps.length - 1)]!(call));
}

const answer = (call: PeerCall): void => call.reply(42);
const cutOff = (call: PeerCall): void => call.stream.session!.destroy();
const refuse = (call: PeerCall): void => call.stream.close(7);
const silent = (): void => {};
const unavailable =
  (message: string) =>
  (call: PeerCall): void =>
    call.fail(GrpcCode.unavailable, message);

describe('a write', () => {
  const write = (client: EtcdClient): Promise<{ revision: number }> => client.txn(put, { idempotent: false });

  test.each([
    { name: 'whose connection is lost', step: cutOff, message: /^connection to etcd: / },
    {
      name: 'that timed out in etcd',
      step: unavailable('etcdserver: request timed out'),
      message: /^etcdserver: request timed out$/,
    },
    { name: 'that found no leader', step: unavailable('etcdserver: no leader'), message: /^etcdserver: no leader$/ },
  ])('$name is not sent again: its outcome is unknown', async ({ step, message }) => {
    const peer = await startScript(step, answer);
    await expect(write(openClient([peer.url]))).rejects.toMatchObject({
      name: 'GrpcError',
      code: GrpcCode.unavailable,
      unprocessed: false,
      message: expect.stringMatching(message),
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(peer.calls).toEqual([txnPath]);
  });

  test('that was refused unread is sent again', async () => {
    const peer = await startScript(refuse, refuse, answer);
    expect((await write(openClient([peer.url]))).revision).toBe(42);
    expect(peer.calls).toEqual([txnPath, txnPath, txnPath]);
  });

  test('that arrived after GOAWAY is sent again, on a new connection', async () => {
    const peer = await startScript((call) => call.stream.session!.goaway(0, 1), answer);
    const client = openClient([peer.url]);
    expect((await write(client)).revision).toBe(42);
    expect(peer.sessions).toHaveLength(2);
  });

  test('that is refused again and again fails in the end', async () => {
    const peer = await startScript(refuse);
    await expect(write(openClient([peer.url]))).rejects.toMatchObject({
      code: GrpcCode.unavailable,
      unprocessed: true,
    });
    expect(peer.calls).toHaveLength(4);
  });
});

describe('a read', () => {
  const read = (client: EtcdClient): Promise<{ revision: number }> => client.range({ key: 'a' });

  test.each([
    { name: 'after a lost connection', step: cutOff },
    { name: 'after a refusal', step: refuse },
    { name: 'when etcd has just no leader', step: unavailable('etcdserver: leader changed') },
  ])('is tried again $name', async ({ step }) => {
    const peer = await startScript(step, answer);
    expect((await read(openClient([peer.url]))).revision).toBe(42);
    expect(peer.calls).toEqual([rangePath, rangePath]);
  });

  test('is not tried again when etcd refuses it', async () => {
    const peer = await startScript((call) =>
      call.fail(GrpcCode.outOfRange, 'etcdserver: mvcc: required revision has been compacted'),
    );
    await expect(read(openClient([peer.url]))).rejects.toMatchObject({
      code: GrpcCode.outOfRange,
      message: 'etcdserver: mvcc: required revision has been compacted',
    });
    expect(peer.calls).toHaveLength(1);
  });

  test('moves to another member when one cannot serve', async () => {
    const cut = await startScript(unavailable('etcdserver: no leader'));
    const good = await startScript(answer);
    const client = openClient([cut.url, good.url]);
    for (let i = 0; i < 3; i++) expect((await read(client)).revision).toBe(42);
    expect(cut.calls).toHaveLength(1);
    expect(good.calls).toHaveLength(3);
  });
});

describe('an answer that is not gRPC as it should be', () => {
  test.each([
    {
      name: 'HTTP 502 from a proxy',
      step: (call: PeerCall) => call.stream.respond({ ':status': 502 }, { endStream: true }),
      code: GrpcCode.unavailable,
      message: 'HTTP status 502 instead of an answer',
    },
    {
      name: 'HTTP 404',
      step: (call: PeerCall) => call.stream.respond({ ':status': 404 }, { endStream: true }),
      code: GrpcCode.unimplemented,
      message: 'HTTP status 404 instead of an answer',
    },
    {
      name: 'no status',
      step: (call: PeerCall) => {
        call.stream.respond({ ':status': 200 });
        call.stream.end();
      },
      code: GrpcCode.unavailable,
      message: 'etcd ended a call without a status',
    },
    {
      name: 'OK without a message',
      step: (call: PeerCall) => call.fail(0, ''),
      code: GrpcCode.internal,
      message: 'etcd said OK without an answer',
    },
    {
      name: 'an undefined status code',
      step: (call: PeerCall) => call.fail(99, 'what'),
      code: GrpcCode.unknown,
      message: 'what',
    },
    {
      name: 'a message that is percent-encoded',
      step: (call: PeerCall) => call.fail(5, 'l%C3%B6st%21'),
      code: GrpcCode.notFound,
      message: 'löst!',
    },
    {
      name: 'a message that is badly encoded',
      step: (call: PeerCall) => call.fail(5, '100%'),
      code: GrpcCode.notFound,
      message: '100%',
    },
    {
      name: 'bytes that are no protobuf',
      step: (call: PeerCall) => call.replyWith(Buffer.from([0, 0, 0, 0, 2, 0x0a, 0xff])),
      code: GrpcCode.internal,
      message: expect.stringMatching(/^an answer that cannot be read: /),
    },
    {
      name: 'a compressed message',
      step: (call: PeerCall) => call.replyWith(Buffer.from([1, 0, 0, 0, 0])),
      code: GrpcCode.internal,
      message: 'a compressed message, which was not asked for',
    },
  ])('$name is an error', async ({ step, code, message }) => {
    const peer = await startScript(step);
    await expect(openClient([peer.url]).txn(put, { idempotent: false })).rejects.toMatchObject({
      name: 'GrpcError',
      code,
      message,
    });
  });
});

describe('time and abortion', () => {
  test('a call without an answer times out, is cancelled at the peer, and the connection is probed', async () => {
    const aborted = vi.fn();
    const clock = new FakeClock();
    const peer = await startScript((call) => call.stream.on('close', aborted));
    const client = openClient([peer.url], { clock, callTimeoutMs: 3_000 });
    const outcome = expect(client.txn(put, { idempotent: false })).rejects.toMatchObject({
      code: GrpcCode.deadlineExceeded,
      message: 'etcd did not answer within 3000 ms',
    });
    await vi.waitFor(() => expect(peer.calls).toHaveLength(1));
    await clock.advance(2_999);
    await clock.advance(1);
    await outcome;
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled());
  });

  test('each call has its own deadline', async () => {
    const clock = new FakeClock();
    const held: PeerCall[] = [];
    const peer = await startScript((call) => void held.push(call));
    const client = openClient([peer.url], { clock, callTimeoutMs: 3_000 });
    const first = client.range({ key: 'a' });
    const early = expect(first).rejects.toMatchObject({ code: GrpcCode.deadlineExceeded });
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await clock.advance(2_000);
    const second = client.range({ key: 'a' });
    await vi.waitFor(() => expect(held).toHaveLength(2));
    await clock.advance(1_000);
    await early;
    held[1]!.reply(9);
    expect((await second).revision).toBe(9);
  });

  test('a call is aborted by its signal, before and while it runs', async () => {
    const aborted = vi.fn();
    const peer = await startScript((call) => call.stream.on('close', aborted));
    const client = openClient([peer.url]);
    await expect(client.range({ key: 'a' }, AbortSignal.abort())).rejects.toMatchObject({ code: GrpcCode.cancelled });
    expect(peer.calls).toHaveLength(0);
    const abort = new AbortController();
    const running = expect(client.range({ key: 'a' }, abort.signal)).rejects.toMatchObject({
      code: GrpcCode.cancelled,
      message: 'the caller gave up',
    });
    await vi.waitFor(() => expect(peer.calls).toHaveLength(1));
    abort.abort();
    await running;
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled());
  });

  test('a time limit of the caller is told as such', async () => {
    const peer = await startScript(silent);
    const client = openClient([peer.url]);
    const signal = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]);
    await expect(client.range({ key: 'a' }, signal)).rejects.toMatchObject({
      code: GrpcCode.deadlineExceeded,
      message: 'etcd did not answer in the time given',
    });
    await expect(client.range({ key: 'a' }, signal)).rejects.toMatchObject({ code: GrpcCode.deadlineExceeded });
  });

  test('closing the client ends what runs and refuses what comes', async () => {
    const peer = await startScript(silent);
    const client = openClient([peer.url]);
    const running = expect(client.range({ key: 'a' })).rejects.toMatchObject({
      code: GrpcCode.cancelled,
      message: 'the etcd client is closed',
    });
    await vi.waitFor(() => expect(peer.calls).toHaveLength(1));
    await client[Symbol.asyncDispose]();
    await running;
    await expect(client.range({ key: 'a' })).rejects.toMatchObject({ code: GrpcCode.cancelled });
    await vi.waitFor(() => expect(peer.sessions.every((session) => session.destroyed)).toBe(true));
  });
});

describe('connecting', () => {
  test('fails with the reason of each endpoint', async () => {
    const client = openClient(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
    await expect(client.range({ key: 'a' })).rejects.toMatchObject({
      code: GrpcCode.unavailable,
      unprocessed: true,
      message:
        'no etcd endpoint answers: http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; http://127.0.0.1:2: ' +
        'connect ECONNREFUSED 127.0.0.1:2',
    });
  });

  test('passes by an endpoint that refuses', async () => {
    const peer = await startScript(answer);
    expect((await openClient(['http://127.0.0.1:1', peer.url]).range({ key: 'a' })).revision).toBe(42);
  });

  test('does not wait long for an endpoint that keeps silent', async () => {
    const clock = new FakeClock();
    const mute = await startRawPeer();
    const peer = await startScript(answer);
    const client = openClient([`http://127.0.0.1:${mute.port}`, peer.url], { clock });
    const read = client.range({ key: 'a' });
    await vi.waitFor(() => expect(mute.heard.length).toBeGreaterThan(0));
    await clock.advance(1_000);
    expect((await read).revision).toBe(42);
  });

  test('gives up on endpoints that keep silent', async () => {
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
  ])('passes by $name', async ({ onGreeting, message }) => {
    const unfit = await startGrpcPeer(answer, { onGreeting });
    const peer = await startScript(answer);
    expect((await openClient([unfit.url, peer.url]).range({ key: 'a' })).revision).toBe(42);
    expect(unfit.calls).toEqual([]);
    await expect(openClient([unfit.url]).range({ key: 'a' })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  });

  test('makes do with a server that does not tell its status', async () => {
    const peer = await startGrpcPeer(answer, {
      onGreeting: (call) => call.fail(GrpcCode.unimplemented, 'unknown service'),
    });
    const client = openClient([peer.url]);
    expect((await client.range({ key: 'a' })).revision).toBe(42);
    expect((await client.watches.connect()).version).toBe('');
  });

  test('waits longer from failure to failure', async () => {
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

  test('many calls at once share one connection', async () => {
    const peer = await startGrpcPeer(answer, { settings: { maxConcurrentStreams: 3 } });
    const client = openClient([peer.url]);
    const all = await Promise.all(Array.from({ length: 100 }, () => client.range({ key: 'a' })));
    expect(all).toHaveLength(100);
    expect(peer.sessions).toHaveLength(1);
  });

  test('names the server and asks for a member with a leader', async () => {
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

  test('fails without an endpoint', () => {
    expect(() => new EtcdClient({ endpoints: [] })).toThrow('no etcd endpoint is given');
  });
});

describe('the revision seen', () => {
  test('is that of the greeting at first, then the highest of all answers', async () => {
    const revisions = [50, 40, 60];
    const peer = await startScript((call) => call.reply(revisions.shift()!));
    const client = openClient([peer.url]);
    expect(await client.revisionSeen()).toBe(7);
    for (const expected of [50, 50, 60]) {
      await client.range({ key: 'a' });
      expect(await client.revisionSeen()).toBe(expected);
    }
  });
});
