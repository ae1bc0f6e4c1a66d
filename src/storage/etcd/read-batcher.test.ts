import { describe, expect, test } from 'vitest';
import { EtcdError } from '../../etcd/etcd-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import type { RangeRequest, TxnRequest } from '../../etcd/messages.ts';
import { ReadBatcher } from './read-batcher.ts';

/** Holds every request until the test answers it; the keys of each are what it is known by. */
class HeldClient {
  readonly sent: {
    readonly keys: string[];
    readonly answer: (revision: number) => void;
    readonly fail: (error: Error) => void;
  }[] = [];

  range(request: RangeRequest) {
    return new Promise<{ revision: number; kvs: ReturnType<typeof kvOf>[]; count: number }>((resolve, reject) => {
      const keys = request.countOnly === true ? [] : [request.key];
      this.sent.push({
        keys,
        answer: (revision) => resolve({ revision, kvs: keys.map(kvOf), count: keys.length }),
        fail: reject,
      });
    });
  }

  txn({ success }: TxnRequest) {
    return new Promise<{
      revision: number;
      succeeded: boolean;
      responses: { revision: number; kvs: ReturnType<typeof kvOf>[]; count: number }[];
    }>((resolve, reject) => {
      const keys = success.map((op) => ('range' in op ? op.range.key : '?'));
      const responses = keys.map((key) => ({ revision: 0, kvs: key === 'missing' ? [] : [kvOf(key)], count: 1 }));
      this.sent.push({ keys, answer: (revision) => resolve({ revision, succeeded: true, responses }), fail: reject });
    });
  }
}

const kvOf = (key: string) => ({ key, value: Buffer.from(key), modRevision: 1, createRevision: 1 });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('reads of single keys', () => {
  test('Reads of single keys go out alone when there are no other reads', async () => {
    const client = new HeldClient();
    const read = new ReadBatcher(client).read('a');
    await turn();
    client.sent[0]!.answer(5);
    expect(await read).toEqual({ revision: 5, kv: kvOf('a') });
    expect(client.sent.map((one) => one.keys)).toEqual([['a']]);
  });

  test('Reads of single keys asked for together share one transaction, and probes ride along', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const reads = [batcher.read('a'), batcher.read(undefined), batcher.read('missing'), batcher.read('c')];
    await turn();
    expect(client.sent.map((one) => one.keys)).toEqual([['a', 'missing', 'c']]);
    client.sent[0]!.answer(9);
    expect(await Promise.all(reads)).toEqual([
      { revision: 9, kv: kvOf('a') },
      { revision: 9, kv: undefined },
      { revision: 9, kv: undefined },
      { revision: 9, kv: kvOf('c') },
    ]);
  });

  test('Probes share one question to etcd', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const probes = [batcher.read(undefined), batcher.read(undefined), batcher.read(undefined)];
    await turn();
    expect(client.sent.map((one) => one.keys)).toEqual([[]]);
    client.sent[0]!.answer(3);
    expect((await Promise.all(probes)).map((answer) => answer.revision)).toEqual([3, 3, 3]);
  });

  test('Reads of single keys never join what is under way, and gather while enough is', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const first = batcher.read('a');
    await turn();
    const second = batcher.read('b');
    await turn();
    const later = ['c', 'd', 'e'].map((key) => batcher.read(key));
    const probe = batcher.read(undefined);
    await turn();
    expect(client.sent.map((one) => one.keys)).toEqual([['a'], ['b']]);
    client.sent[1]!.answer(1);
    await second;
    await turn();
    expect(client.sent.map((one) => one.keys)).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    client.sent[2]!.answer(7);
    expect((await probe).revision).toBe(7);
    expect((await Promise.all(later)).map((answer) => answer.revision)).toEqual([7, 7, 7]);
    client.sent[0]!.answer(1);
    await first;
  });

  test('Reads of single keys go out in transactions of bounded size', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const reads = Array.from({ length: 100 }, (_, i) => batcher.read(`k${i}`));
    for (let i = 0; i < 4; i++) {
      await turn();
      client.sent[i]!.answer(1);
    }
    await Promise.all(reads);
    expect(client.sent.map((one) => one.keys.length)).toEqual([32, 32, 32, 4]);
  });

  test('Reads of single keys fail together, and the next ones are not affected', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const reads = [batcher.read('a'), batcher.read('b')];
    const outcome = Promise.allSettled(reads);
    await turn();
    client.sent[0]!.fail(new EtcdError(GrpcCode.unavailable, 'gone'));
    expect(await outcome).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }]);
    const next = batcher.read('c');
    await turn();
    client.sent[1]!.answer(2);
    expect((await next).revision).toBe(2);
  });

  test('A cancelled read does not cancel the others', async () => {
    const client = new HeldClient();
    const batcher = new ReadBatcher(client);
    const abort = new AbortController();
    const given = expect(batcher.read('a', abort.signal)).rejects.toMatchObject({ code: GrpcCode.cancelled });
    const kept = batcher.read('b', new AbortController().signal);
    await turn();
    abort.abort();
    await given;
    client.sent[0]!.answer(4);
    expect(await kept).toEqual({ revision: 4, kv: kvOf('b') });
  });
});
