/** The parts of the load driver whose mistakes no run would show. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { contents, kinds } from '../../bench/content.ts';
import type { ContentType } from '../../bench/content.ts';
import { HttpClient } from '../../bench/http-client.ts';
import { type Measured, runWorkers } from '../../bench/measure.ts';
import { readOptions } from '../../bench/options.ts';
import { benchPod } from '../../bench/pod.ts';
import { usageOf } from '../../bench/process-usage.ts';
import { medianRows, type PhaseReport } from '../../bench/report.ts';
import { UsageError } from '../../bench/usage-error.ts';
import { createTestCertificates } from '../support/certificates.ts';

describe('options', () => {
  test.each([
    { name: 'an unknown option', argv: ['--objetcs', '3'], problem: /--objetcs/ },
    {
      name: 'a number that is none',
      argv: ['--objects', '2k'],
      problem: '--objects wants a number from 1 to 9999999, not "2k"',
    },
    { name: 'no objects', argv: ['--objects', '0'], problem: '--objects wants a number from 1 to 9999999, not "0"' },
    {
      name: 'a URL without encryption',
      argv: ['--peer', 'http://127.0.0.1:1'],
      problem: '--peer wants a URL that begins with https://, not "http://127.0.0.1:1"',
    },
    { name: 'a token without a peer', argv: ['--peer-token', 'x'], problem: '--peer-token needs --peer' },
    {
      name: 'a process that is none',
      argv: ['--server', 'https://127.0.0.1:1', '--pid', 'self'],
      problem: '--pid wants process ids, not "self"',
    },
    {
      name: 'a store for a server that runs already',
      argv: ['--server', 'https://127.0.0.1:1', '--store-servers', 'http://127.0.0.1:2379'],
      problem: /--store-servers is for the server that is started/,
    },
    {
      name: 'an audit level that is none',
      argv: ['--audit', 'All'],
      problem: '--audit is Metadata, Request, RequestResponse, not "All"',
    },
    {
      name: 'a peer like a server that runs already',
      argv: ['--server', 'https://127.0.0.1:1', '--peer', 'plain'],
      problem: /--peer plain is for the server that is started/,
    },
    {
      name: 'an unknown content type',
      argv: ['--content-type', 'yaml'],
      problem: '--content-type is protobuf or json, not "yaml"',
    },
  ])('Options refuses $name', ({ argv, problem }) => {
    expect(() => readOptions(argv)).toThrow(UsageError);
    expect(() => readOptions(argv)).toThrow(problem);
  });

  test('Several processes can make up a server', () => {
    const options = readOptions(['--server', 'https://127.0.0.1:6443', '--token', 't', '--pid', '12,34']);
    expect(options?.server).toEqual({
      url: new URL('https://127.0.0.1:6443'),
      token: 't',
      pids: [12, 34],
      caFile: undefined,
    });
  });

  test('The peer can be another server of ours, without audit', () => {
    expect(readOptions(['--audit', 'Metadata', '--peer', 'plain'])).toMatchObject({
      auditLevel: 'Metadata',
      plainPeer: true,
      peer: undefined,
    });
  });

  test('The option help is no run', () => {
    expect(readOptions(['--help'])).toBeUndefined();
  });
});

describe.each(Object.entries(contents))('bodies in %s', (name, content) => {
  test('What is read can be written again', () => {
    const body = content.encode(kinds.pod, benchPod(7));
    expect(content.reencode(kinds.pod, content.decode(kinds.pod, body))).toEqual(body);
  });

  test.each([1, 3, 4, 50, 1_000])('Events of a watch are found in pieces of %i bytes', (size) => {
    const framed = (text: string): Buffer => frames[name as ContentType](text);
    const events = ['first', 'second', 'x'.repeat(300), 'last'].map(framed);
    const bytes = Buffer.concat(events);
    const found: string[] = [];
    const read = content.readEvents((event) => found.push(event.toString('latin1')));
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
    expect(found).toEqual(events.map((event) => event.toString('latin1')));
  });
});

const frames: Record<ContentType, (text: string) => Buffer> = {
  json: (text) => Buffer.from(`{"object":"${text}"}\n`),
  protobuf: (text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  },
};

describe('runWorkers', () => {
  const work = { operations: 10, concurrency: 3, pids: [], signal: new AbortController().signal };

  test('runWorkers runs each operation once, never more at a time than there are callers', async () => {
    const started: number[] = [];
    let [running, most] = [0, 0];
    const measured = await runWorkers(work, async (i) => {
      started.push(i);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    });
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(3);
    expect(measured).toMatchObject({ operations: 10, errors: 0, firstError: undefined });
  });

  test('runWorkers counts what fails, the check afterwards included, and keeps the first message', async () => {
    const fail = (message: string): never => {
      throw new Error(message);
    };
    const measured = await runWorkers(
      work,
      async (i) => void (i % 4 === 1 && fail(`operation ${i}`)),
      () => fail('check'),
    );
    expect(measured).toMatchObject({ operations: 10, errors: 4, firstError: 'operation 1' });
  });

  test('runWorkers rejects when it is interrupted', async () => {
    const interrupt = new AbortController();
    const reason = new Error('interrupted');
    await expect(
      runWorkers({ ...work, signal: interrupt.signal }, async (i) => void (i === 4 && interrupt.abort(reason))),
    ).rejects.toBe(reason);
  });
});

test('Of several rounds the report has the medians and the least of each side, and of their differences', () => {
  const measured = (cpuMicroseconds: number): Measured => ({
    operations: 1,
    errors: 0,
    firstError: undefined,
    seconds: 1,
    operationsPerSecond: 1,
    p50Ms: 1,
    p99Ms: 1,
    cpuMicroseconds,
    residentMegabytes: 1,
    driverCpuShare: 0,
  });
  const reports = [
    [10, 9],
    [30, 10],
    [12, 2],
  ].map(
    ([server, peer], i): PhaseReport => ({
      round: i + 1,
      phase: 'get',
      server: measured(server!),
      peer: measured(peer!),
      ratio: undefined,
    }),
  );
  expect(
    medianRows(reports)
      .split('\n')
      .slice(2)
      .map((line) => line.split(/\s+/)),
  ).toEqual([
    ['get', 'server', '12.0', '10.0'],
    ['get', 'peer', '9.0', '2.0'],
    ['get', 'server-peer', '10.0', '1.0'],
  ]);
});

describe('usageOf', () => {
  test.runIf(process.platform === 'linux')("usageOf agrees with the process' own account of itself", () => {
    const usage = usageOf([process.pid])!;
    const { user, system } = process.cpuUsage();
    expect(usage.cpuMicroseconds).toBeGreaterThan(0);
    // The kernel counts in hundredths of a second, for each of the two numbers.
    expect(usage.cpuMicroseconds).toBeLessThanOrEqual(user + system + 20_000);
    expect(usage.residentBytes).toBeGreaterThan(10e6);
  });

  test('usageOf says nothing of a process that is gone, or of none', () => {
    expect(usageOf([2 ** 30])).toBeUndefined();
    expect(usageOf([])).toBeUndefined();
  });
});

describe('HttpClient', () => {
  /** Answers nothing but headers, and takes two streams per connection. */
  async function startServer() {
    const certificates = await createTestCertificates();
    const { certFile, keyFile } = certificates.server;
    const server = http2.createSecureServer({
      cert: await readFile(certFile),
      key: await readFile(keyFile),
      settings: { maxConcurrentStreams: 2 },
    });
    let sessions = 0;
    server.on('session', () => sessions++).on('stream', (stream) => stream.respond({ ':status': 200 }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return {
      certificates,
      sessions: () => sessions,
      connect: (caFile: string | undefined) =>
        HttpClient.connect({
          address: { url, token: undefined, pids: [], caFile },
          accept: '*/*',
          gzip: false,
          sessions: 1,
        }),
      [Symbol.asyncDispose]: async () => {
        server.close();
        await certificates[Symbol.asyncDispose]();
      },
    };
  }

  test('HttpClient opens a connection when the others are full', async () => {
    await using server = await startServer();
    using client = await server.connect(server.certificates.caFile);
    const open = () => client.stream({ method: 'GET', path: '/' });
    const streams = [...(await Promise.all([open(), open(), open()])), await open(), await open()];
    expect(streams.every((stream) => !stream.closed)).toBe(true);
    expect(server.sessions()).toBe(3);
  });

  test('HttpClient verifies a server when it is told what to trust', async () => {
    await using server = await startServer();
    await using other = await createTestCertificates();
    await expect(server.connect(other.caFile)).rejects.toThrow(/certificate/);
    using client = await server.connect(undefined);
    expect(client).toBeInstanceOf(HttpClient);
  });
});
