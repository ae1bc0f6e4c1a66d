/** Profiles as they are asked for: which there are, for how long, and in which form. */
import { gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { sendInMemory } from '../../../test/support/memory-exchange.ts';
import { versionInfo } from '../../base/version.ts';
import { silentLogger } from '../../base/logger.ts';
import type { ApiResponse } from '../exchange.ts';
import { ContentionProfile } from '../profiling/contention-profile.ts';
import { createDaemonApplication } from './daemon-application.ts';
import { profileRoutes } from './profile-routes.ts';

const contention = new ContentionProfile();
const stack = ['parse (file:///b.js:20:7)', 'main (file:///a.js:10:1)'];
contention.add({ seconds: 0.2, stack });
contention.add({ seconds: 0.3, stack });

const handle = createDaemonApplication({
  health: { healthz: [], livez: [], readyz: [] },
  registry: new Registry(),
  version: versionInfo(),
  log: silentLogger,
  routes: [profileRoutes(contention)],
});

async function ask(target: string) {
  let answer: ApiResponse | undefined;
  const { status, body } = await sendInMemory(async (exchange) => (answer = await handle(exchange)), {
    method: 'GET',
    target,
  });
  return { status, body, type: answer!.headers['content-type'], headers: answer!.headers };
}

const text = 'text/plain; charset=utf-8';

describe('profiles', () => {
  test.each([
    { kind: 'profile?seconds=0.01', has: 'nanoseconds' },
    { kind: 'heap?seconds=0.01', has: 'inuse_space' },
    { kind: 'allocs?seconds=0.01', has: 'alloc_space' },
    { kind: 'goroutine', has: 'goroutine' },
    { kind: 'goroutine?seconds=0.01', has: 'goroutine' },
    { kind: 'block', has: 'contentions' },
    { kind: 'mutex', has: 'contentions' },
    { kind: 'threadcreate', has: 'threadcreate' },
    { kind: 'profile?seconds=0.01&debug=1', has: 'nanoseconds' },
  ])('/debug/pprof/$kind is a gzipped profile', async ({ kind, has }) => {
    const { status, type, body, headers } = await ask(`/debug/pprof/${kind}`);
    expect([status, type]).toEqual([200, 'application/octet-stream']);
    expect(headers['content-disposition']).toBe(`attachment; filename="${kind.split('?')[0]!}"`);
    expect(gunzipSync(body).includes(has)).toBe(true);
  });

  test.each([
    { kind: 'heap?debug=1&seconds=0.01', says: /^heap profile: total \d+: \d+\n# inuse_objects\/count/ },
    { kind: 'allocs?debug=1&seconds=0.01', says: /^allocs profile: total / },
    { kind: 'goroutine?debug=2', says: /^goroutine profile: total \d+\n[^]*#\tevent loop/ },
    {
      kind: 'block?debug=1',
      says: /^block profile: total 2: 500000000\n[^]*\n2: 500000000 @\n#\tparse\t.*b.js:20\n#\tmain\t.*a.js:10\n$/,
    },
    { kind: 'mutex?debug=1&seconds=0.01', says: /^mutex profile: total 0: 0\n/ },
    { kind: 'threadcreate?debug=1', says: /^threadcreate profile: total \d+/ },
    { kind: 'cmdline', says: /node.*\0/ },
    { kind: 'symbol', says: /^num_symbols: 0\n$/ },
  ])('/debug/pprof/$kind is text', async ({ kind, says }) => {
    const { status, type, body } = await ask(`/debug/pprof/${kind}`);
    expect([status, type]).toEqual([200, text]);
    expect(body.toString()).toMatch(says);
  });

  test.each([
    { kind: 'nothing', status: 404, says: 'Unknown profile\n' },
    { kind: 'constructor', status: 404, says: 'Unknown profile\n' },
    { kind: 'profile?seconds=0', status: 400, says: 'seconds must be greater than 0 and at most 300\n' },
    { kind: 'heap?seconds=x', status: 400, says: 'seconds must be greater than 0 and at most 300\n' },
    { kind: 'block?seconds=301', status: 400, says: 'seconds must be greater than 0 and at most 300\n' },
  ])('/debug/pprof/$kind is refused with $status', async ({ kind, status, says }) => {
    const answer = await ask(`/debug/pprof/${kind}`);
    expect([answer.status, answer.type, answer.body.toString()]).toEqual([status, text, says]);
  });

  test('There is an index of them, and a way to it', async () => {
    expect(await ask('/debug/pprof')).toMatchObject({ status: 301, headers: { location: '/debug/pprof/' } });
    const { type, body } = await ask('/debug/pprof/');
    expect(type).toBe('text/html; charset=utf-8');
    const links = [...body.toString().matchAll(/href="([a-z]+)/g)].map(([, kind]) => kind);
    expect(links.sort()).toEqual([
      'allocs',
      'block',
      'cmdline',
      'goroutine',
      'heap',
      'mutex',
      'profile',
      'threadcreate',
      'trace',
    ]);
  });

  test('One profile of a kind is made at a time', async () => {
    const answers = await Promise.all([1, 2].map(() => ask('/debug/pprof/profile?seconds=0.01')));
    expect(answers.map(({ status }) => status)).toEqual([200, 500]);
    expect(answers[1]!.body.toString()).toBe('Could not enable profiling: cpu profiling already in use\n');
  });

  test('A trace has the events of the runtime', async () => {
    const { type, body } = await ask('/debug/pprof/trace?seconds=0.01');
    expect(type).toBe('application/json');
    expect(JSON.parse(body.toString())).toMatchObject({ traceEvents: expect.any(Array) as unknown });
  });
});
