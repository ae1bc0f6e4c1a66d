/** The audit log on a real disk, and what becomes of it when the server stops or the disk is full. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/api/gen/types/audit-v1.ts';
import { AuditedServer } from '../../support/audited-server.ts';

const policy =
  'rules: [{level: None, nonResourceURLs: [/metrics]}, {level: RequestResponse}]\nomitStages: [RequestReceived]';
const configMap = (name: string, bytes: number): object => ({ metadata: { name }, data: { text: 'x'.repeat(bytes) } });
const post = '/api/v1/namespaces/default/configmaps';

describe('a full disk', () => {
  const full = '--audit-log-path=/dev/full';
  const strict = 'rules: [{level: Metadata}]';

  test('A full disk keeps requests from being served in mode blocking-strict', async () => {
    await using server = await AuditedServer.start({
      policy: `rules: [{level: None, nonResourceURLs: [/metrics]}, {level: Metadata}]`,
      flags: [full, '--audit-log-mode=blocking-strict'],
    });
    const { status, text, headers } = await server.send('POST', post, { body: configMap('one', 1) });
    expect([status, text, headers['content-type']]).toEqual([
      500,
      `Internal Server Error: "${post}": failed to store audit event\n`,
      'text/plain; charset=utf-8',
    ]);
    expect(await server.metric('apiserver_audit_requests_rejected_total')).toBe(1);
    expect(await server.metric('apiserver_audit_error_total{plugin="log"}')).toBe(1);
  });

  test.each(['blocking', 'batch'])('A full disk is counted, and no more, in mode %s', async (mode) => {
    const errors: object[] = [];
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (details: object) => void errors.push(details),
    };
    await using server = await AuditedServer.start({ policy: strict, flags: [full, `--audit-log-mode=${mode}`], log });
    expect((await server.send('POST', post, { body: configMap('one', 1) })).status).toBe(201);
    await server.stop();
    expect(errors).toMatchObject([{ plugin: 'log', err: { code: 'ENOSPC' } }]);
  });
});

describe('mode batch', () => {
  test('The audit log in mode batch writes all that it has taken before a clean stop', async () => {
    await using server = await AuditedServer.start({
      policy,
      flags: [
        '--audit-log-path=DIRECTORY/audit.log',
        '--audit-log-mode=batch',
        '--audit-log-batch-max-size=10000',
        '--audit-log-batch-max-wait=1h',
      ],
    });
    await Promise.all(Array.from({ length: 100 }, (_, i) => server.send('GET', `/version?request=${i}`)));
    await expect(server.lines()).resolves.toEqual([]);
    await server.stop();
    const events = await server.events();
    expect(new Set(events.map(({ requestURI }) => requestURI)).size).toBe(100);
  });

  test('The audit log in mode batch counts what does not fit into the buffer', async () => {
    await using server = await AuditedServer.start({
      policy,
      flags: [
        '--audit-log-path=DIRECTORY/audit.log',
        '--audit-log-mode=batch',
        '--audit-log-batch-buffer-size=1',
        '--audit-log-batch-max-size=1',
        '--audit-log-batch-throttle-enable',
        '--audit-log-batch-throttle-qps=0.001',
        '--audit-log-batch-throttle-burst=1',
      ],
    });
    for (let i = 0; i < 10; i++) await server.send('GET', `/version?request=${i}`);
    // One was written, one is next, one waits in the buffer.
    expect(await server.metric('apiserver_audit_error_total{plugin="buffered"}')).toBe(7);
    await server.stop();
    expect((await server.events()).map(({ requestURI }) => requestURI)).toEqual([
      '/version?request=0',
      '/version?request=1',
      '/version?request=2',
    ]);
  });
});

describe('rotation', () => {
  test('Rotation of the audit log keeps as many compressed files as it should, and every event whole', async () => {
    await using server = await AuditedServer.start({
      policy,
      flags: [
        '--audit-log-path=DIRECTORY/audit.log',
        '--audit-log-maxsize=1',
        '--audit-log-maxbackup=2',
        '--audit-log-compress',
      ],
    });
    // Half a megabyte twice, in the request and in the answer: a file each.
    for (let i = 0; i < 5; i++) await server.send('POST', post, { body: configMap(`large-${i}`, 400_000) });
    await server.stop();
    const names = (await readdir(server.directory)).filter((name) => name.startsWith('audit')).sort();
    expect(names).toEqual([expect.stringMatching(rotated), expect.stringMatching(rotated), 'audit.log']);
    const events = await Promise.all(
      names.map(async (name) => {
        const bytes = await readFile(path.join(server.directory, name));
        return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as Event;
      }),
    );
    expect(events.map(({ objectRef }) => objectRef!.name)).toEqual(['large-2', 'large-3', 'large-4']);
  });

  test('Rotation of the audit log counts an event that is larger than a file may be', async () => {
    await using server = await AuditedServer.start({
      policy,
      flags: ['--audit-log-path=DIRECTORY/audit.log', '--audit-log-maxsize=1'],
    });
    await server.send('POST', post, { body: configMap('larger', 900_000) });
    expect(await server.metric('apiserver_audit_error_total{plugin="log"}')).toBe(1);
    expect(await server.events()).toEqual([]);
  });

  const rotated = /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log\.gz$/;
});

describe('truncation', () => {
  test('Truncation of the audit log leaves the objects of a large event out', async () => {
    await using server = await AuditedServer.start({
      policy,
      flags: [
        '--audit-log-path=DIRECTORY/audit.log',
        '--audit-log-truncate-enabled',
        '--audit-log-truncate-max-event-size=2000',
      ],
    });
    const [small] = await server.record('POST', post, { body: configMap('small', 1) });
    const [large] = await server.record('POST', post, { body: configMap('large', 3000) });
    expect([
      Object.hasOwn(small!, 'requestObject'),
      Object.hasOwn(large!, 'requestObject'),
      Object.hasOwn(large!, 'responseObject'),
    ]).toEqual([true, false, false]);
    expect(large!.annotations).toMatchObject({ 'audit.k8s.io/truncated': 'true' });
  });
});

describe('what keeps a server from starting', () => {
  test.each([
    [
      'a policy that is wrong',
      'rules: [{level: All}]',
      ['--audit-log-path=DIRECTORY/audit.log'],
      /^--audit-policy-file: .*policy\.yaml: rules\[0\]\.level: Unsupported value: "All"/,
    ],
    [
      'a log that cannot be written',
      'rules: [{level: None}]',
      ['--audit-log-path=/dev/null/audit.log'],
      /^--audit-log-path: open \/dev\/null\/audit\.log: /,
    ],
    [
      'a mode that is none',
      undefined,
      ['--audit-log-path=x', '--audit-log-mode=later'],
      /invalid audit log mode later, allowed modes are "batch,blocking,blocking-strict"/,
    ],
    [
      'a format that is none',
      undefined,
      ['--audit-log-path=x', '--audit-log-format=xml'],
      /invalid audit log format xml, allowed formats are "legacy,json"/,
    ],
    [
      'a version that is none',
      undefined,
      ['--audit-log-path=x', '--audit-log-version=audit.k8s.io/v1beta1'],
      /--audit-log-version: invalid group version/,
    ],
    [
      'a buffer without capacity',
      undefined,
      ['--audit-log-path=x', '--audit-log-mode=batch', '--audit-log-batch-buffer-size=0'],
      /invalid audit batch log buffer size 0, must be a positive number/,
    ],
    [
      'a rate of nothing',
      undefined,
      ['--audit-log-path=x', '--audit-log-mode=batch', '--audit-log-batch-throttle-enable'],
      /invalid audit batch log throttle QPS 0, must be a positive number/,
    ],
    [
      'a negative age',
      undefined,
      ['--audit-log-path=x', '--audit-log-maxage=-1'],
      /--audit-log-maxage -1 can't be a negative number/,
    ],
    [
      'batches smaller than events',
      undefined,
      ['--audit-log-path=x', '--audit-log-truncate-max-batch-size=10'],
      /invalid audit truncate log max batch size 10, must be greater than max event size \(102400\)/,
    ],
  ])('A server does not start with %s', async (_, text, flags, message) => {
    await expect(AuditedServer.start({ policy: text, flags })).rejects.toThrow(message);
  });
});
