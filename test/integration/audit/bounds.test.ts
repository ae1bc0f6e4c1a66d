/** What one request can put into the audit log, and into the memory behind it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../../../src/api/gen/types/audit-v1.ts';
import { bytesInUse } from '../../../src/base/testing/heap.ts';
import { AuditedServer, type SendOptions } from '../../support/audited-server.ts';

const addresses = (request: number): string =>
  Array.from({ length: 64_000 }, (_, i) => `10.${request}.${i >> 8}.${i & 255}`).join();
const long = 'x'.repeat(900_000);

const rows: readonly {
  name: string;
  target?: string;
  user?: string;
  headers?: Readonly<Record<string, string>>;
  shown: object;
}[] = [
  {
    name: 'X-Forwarded-For',
    headers: { 'x-forwarded-for': addresses(1) },
    shown: { annotations: { 'audit.orch.io/cut': 'sourceIPs' } },
  },
  {
    name: 'X-Forwarded-For without addresses',
    headers: { 'x-forwarded-for': ','.repeat(900_000) },
    shown: { sourceIPs: ['127.0.0.1'] },
  },
  { name: 'X-Real-IP', headers: { 'x-real-ip': long }, shown: { sourceIPs: ['127.0.0.1'] } },
  { name: 'User-Agent', headers: { 'user-agent': long }, shown: { userAgent: `${long.slice(0, 1024)}...TRUNCATED` } },
  {
    name: 'the query',
    target: `/version?${long}`,
    shown: { requestURI: `${`/version?${long}`.slice(0, 16_384)}...TRUNCATED` },
  },
  {
    name: 'the name of an object',
    target: `/api/v1/namespaces/default/pods/${long}`,
    shown: { objectRef: { resource: 'pods', namespace: 'default', name: `${long.slice(0, 1024)}...TRUNCATED` } },
  },
  {
    name: 'the name of a resource',
    target: `/apis/${long}/v1/${long.slice(0, 50_000)}`,
    shown: { objectRef: { apiGroup: `${long.slice(0, 1024)}...TRUNCATED` } },
  },
  {
    name: 'the impersonated user',
    headers: { 'impersonate-user': long },
    shown: { impersonatedUser: { username: `${long.slice(0, 1024)}...TRUNCATED` } },
  },
];

describe('an event of a request with', () => {
  let server: AuditedServer;
  beforeAll(async () => {
    server = await AuditedServer.start({
      policy: 'rules:\n- level: Metadata',
      flags: ['--audit-log-path=DIRECTORY/audit.log'],
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(rows)('900 kB in $name has less than 100 kB', async ({ target = '/version', headers = {}, shown }) => {
    const events = await server.record('GET', target, { headers });
    expect(events.at(-1)).toMatchObject(shown);
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(100_000);
  });

  test('Such texts of events from unauthenticated clients leave nothing behind in memory', async () => {
    const send = (request: number, more: SendOptions = {}) =>
      server.send('GET', `/api/v1/namespaces/default/a-resource-${request}-without-end?${long.slice(0, 100_000)}`, {
        user: '',
        headers: { 'x-forwarded-for': addresses(request), ...more.headers },
      });
    for (let request = 0; request < 10; request++) await send(request);
    const before = bytesInUse();
    for (let request = 10; request < 60; request++) await send(request);
    expect(bytesInUse() - before).toBeLessThan(20_000_000);
    const longest = Math.max(...(await server.lines()).map(({ length }) => length));
    expect(longest).toBeLessThan(100_000);
    expect(JSON.parse((await server.lines()).at(-1)!) as Event).toMatchObject({
      annotations: { 'audit.orch.io/cut': expect.stringContaining('sourceIPs') as string },
    });
  });
});
