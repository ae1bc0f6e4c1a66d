/**
 * What a call to etcd costs us: CPU time of this process per call, values of 2.5 kB, 16 callers at once. etcd itself
 * runs in a process of its own and is not counted. Needs hack/get-test-tools.
 *
 *   npx vitest bench --run --project unit bench/etcd-calls.bench.ts
 *
 * The rows named node:http2 are the least that a client on Node's own HTTP/2 can do for the same calls.
 */
import http2 from 'node:http2';
import { afterAll, bench, describe } from 'vitest';
import type { BenchOptions } from 'vitest';
import { EtcdClient } from '../src/etcd/client.ts';
import { encodeRange, encodeTxn } from '../src/etcd/encode.ts';
import { EtcdStore } from '../src/storage/etcd/store.ts';
import { EtcdServer } from '../test/support/etcd.ts';

const callers = 16;
const keys = 1_000;
const value = Buffer.alloc(2_500, 'x');
const keyOf = (i: number): string => `/registry/pods/default/pod-${String(i % keys).padStart(6, '0')}`;

const etcd = await EtcdServer.start({ fsync: true });
const store = new EtcdStore({ endpoints: [etcd.url] });
const client = new EtcdClient({ endpoints: [etcd.url] });
const session = http2.connect(etcd.url, { settings: { enablePush: false, initialWindowSize: 4 << 20 } });
const revisions: number[] = [];
for (let i = 0; i < keys; i++) revisions.push((await store.create(keyOf(i), value)).revision);

afterAll(async () => {
  session.close();
  await client[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await etcd[Symbol.asyncDispose]();
});

/** A row: so many calls at once per iteration, and at its end the CPU time of each. */
function row(name: string, callOnce: (i: number) => Promise<unknown>): void {
  let calls = 0;
  let cpu = process.cpuUsage();
  const options: BenchOptions = {
    time: 2_000,
    warmupTime: 1_000,
    setup: () => {
      calls = 0;
      cpu = process.cpuUsage();
    },
    teardown: (_, mode) => {
      const used = process.cpuUsage(cpu);
      if (mode === 'run') console.log(`${name}: ${((used.user + used.system) / calls).toFixed(1)} µs of CPU per call`);
    },
  };
  bench(name, async () => void (await Promise.all(Array.from({ length: callers }, () => callOnce(calls++)))), options);
}

function overHttp2(path: string, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const pieces: Buffer[] = [];
    let status: unknown;
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
    stream.on('end', () =>
      status === '0' ? resolve(Buffer.concat(pieces)) : reject(new Error(`grpc-status ${String(status)}`)),
    );
    stream.on('error', reject);
    stream.end(body);
  });
}

async function update(i: number): Promise<void> {
  const result = await store.update(keyOf(i), value, revisions[i % keys]!);
  revisions[i % keys] = result.applied ? result.revision : result.current!.modRevision;
}

const txnOf = (i: number): Buffer =>
  encodeTxn({
    compare: [{ key: keyOf(i), modRevision: 0 }],
    success: [],
    failure: [{ put: { key: keyOf(i), value } }],
  });

describe(`${callers} callers, 2.5 kB`, () => {
  row('get, node:http2', (i) => overHttp2('/etcdserverpb.KV/Range', encodeRange({ key: keyOf(i) })));
  row('get, one call each', (i) => client.range({ key: keyOf(i) }));
  row('get, as the store reads', (i) => store.get(keyOf(i)));
  row('revision, as the store probes', () => store.currentRevision());
  row('put, node:http2', (i) => overHttp2('/etcdserverpb.KV/Txn', txnOf(i)));
  row('put, as the store updates', update);
  row('list of 500', () => store.list('/registry/pods/', { limit: 500 }));
});
