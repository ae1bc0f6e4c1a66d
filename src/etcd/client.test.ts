import { describe, expect, test, vi } from 'vitest';
import { runInSpan } from '../base/span.ts';
import { RecordedSpan } from '../base/testing/recorded-spans.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import type { EtcdClient } from './client.ts';
import { GrpcCode } from '../grpc/status.ts';
import type { TxnRequest } from './messages.ts';
import type { PeerCall } from './testing/grpc-peer.ts';
import { openClient, startScript, answer } from './testing/scripted-peer.ts';

const put: TxnRequest = {
  compare: [{ key: 'a', modRevision: 0 }],
  success: [{ put: { key: 'a', value: Buffer.from('x') } }],
  failure: [],
};

const txnPath = '/etcdserverpb.KV/Txn';

const rangePath = '/etcdserverpb.KV/Range';

const cutOff = (call: PeerCall): void => call.stream.session!.destroy();

const refuse = (call: PeerCall): void => call.stream.close(7);

const silent = (): void => {};

const unavailable =
  (message: string) =>
  (call: PeerCall): void =>
    call.fail(GrpcCode.unavailable, message);

test('A call of etcd names its span, again when it is repeated, and no other call does', async () => {
  const sent: unknown[] = [];
  const noted = (then: (call: PeerCall) => void) => (call: PeerCall) => {
    sent.push(call.headers['traceparent']);
    then(call);
  };
  const peer = await startScript(noted(refuse), noted(answer));
  const client = openClient([peer.url]);
  const request = new RecordedSpan('GET');
  await runInSpan(request, () => client.txn(put, { idempotent: false }));
  await client.txn(put, { idempotent: false });
  expect(sent).toEqual(['00-etcdserverpb.KV/Txn', '00-etcdserverpb.KV/Txn', undefined]);
  expect(request.below).toMatchObject([
    {
      name: 'etcdserverpb.KV/Txn',
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': 'etcdserverpb.KV',
        'rpc.method': 'Txn',
        'rpc.grpc.status_code': 0,
      },
      failure: undefined,
      isOpen: false,
    },
  ]);
});

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
  ])('A write: $name is not sent again: its outcome is unknown', async ({ step, message }) => {
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

  test('A write to etcd that was refused unread is sent again', async () => {
    const peer = await startScript(refuse, refuse, answer);
    expect((await write(openClient([peer.url]))).revision).toBe(42);
    expect(peer.calls).toEqual([txnPath, txnPath, txnPath]);
  });

  test('A write to etcd that arrived after GOAWAY is sent again, on a new connection', async () => {
    const peer = await startScript((call) => call.stream.session!.goaway(0, 1), answer);
    const client = openClient([peer.url]);
    expect((await write(client)).revision).toBe(42);
    expect(peer.sessions).toHaveLength(2);
  });

  test('A write to etcd that is refused again and again fails in the end', async () => {
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
  ])('A read is tried again $name', async ({ step }) => {
    const peer = await startScript(step, answer);
    expect((await read(openClient([peer.url]))).revision).toBe(42);
    expect(peer.calls).toEqual([rangePath, rangePath]);
  });

  test('A read of etcd is not tried again when etcd refuses it', async () => {
    const peer = await startScript((call) =>
      call.fail(GrpcCode.outOfRange, 'etcdserver: mvcc: required revision has been compacted'),
    );
    await expect(read(openClient([peer.url]))).rejects.toMatchObject({
      code: GrpcCode.outOfRange,
      message: 'etcdserver: mvcc: required revision has been compacted',
    });
    expect(peer.calls).toHaveLength(1);
  });

  test('A read of etcd moves to another member when one cannot serve', async () => {
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
  ])('An answer that is not gRPC as it should be: $name is an error', async ({ step, code, message }) => {
    const peer = await startScript(step);
    await expect(openClient([peer.url]).txn(put, { idempotent: false })).rejects.toMatchObject({
      name: 'GrpcError',
      code,
      message,
    });
  });
});

describe('time and abortion', () => {
  test('A call without an answer times out, is cancelled at the peer, and the connection is probed', async () => {
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

  test('Each call has its own deadline', async () => {
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

  test('A call is aborted by its signal, before and while it runs', async () => {
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

  test('A time limit of the caller is told as such', async () => {
    const peer = await startScript(silent);
    const client = openClient([peer.url]);
    const signal = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]);
    await expect(client.range({ key: 'a' }, signal)).rejects.toMatchObject({
      code: GrpcCode.deadlineExceeded,
      message: 'etcd did not answer in the time given',
    });
    await expect(client.range({ key: 'a' }, signal)).rejects.toMatchObject({ code: GrpcCode.deadlineExceeded });
  });

  test('Closing the client of etcd ends what runs and refuses what comes', async () => {
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

describe('the revision seen', () => {
  test('The revision seen is that of the greeting at first, then the highest of all answers', async () => {
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
