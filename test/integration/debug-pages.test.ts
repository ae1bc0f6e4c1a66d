/** What the API server shows of its own process, and to whom. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdUntilSeen } from '../../src/server/stall-detector/testing/stall.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let directory: string;
let socketPath: string;
const lines: string[] = [];
const note = (_: object, message: string): void => void lines.push(message);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-debug-'));
  socketPath = path.join(directory, 'debug.sock');
  await writeFile(socketPath, 'what a server left that was killed');
  server = await startTestServer({
    flags: [
      '--authorization-mode=RBAC',
      '--contention-profiling',
      '--feature-gates=ComponentStatusz=true,ComponentFlagz=true',
      `--debug-socket-path=${socketPath}`,
    ],
    log: { debug: note, info: note, warn: note, error: note },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  expect(await stat(socketPath).catch(() => 'gone')).toBe('gone');
  await rm(directory, { recursive: true });
});

const notText = 'media type not acceptable, must be: text/plain\n';
const index = expect.stringContaining('<title>/debug/flags/</title>') as unknown;
const forbidden = (verb: string, at: string): unknown =>
  expect.stringContaining(`forbidden: User \\"alice\\" cannot ${verb} path \\"${at}\\"`);

describe('the verbosity of the log', () => {
  test.each<{ request: string; user?: 'alice'; body?: number | boolean; status: number; text: unknown }>([
    { request: 'GET /debug/flags/v', status: 406, text: 'unsupported http method\n' },
    { request: 'POST /debug/flags/v', body: 3, status: 406, text: 'unsupported http method\n' },
    {
      request: 'PUT /debug/flags/v',
      body: true,
      status: 400,
      text: 'strconv.ParseUint: parsing "true": invalid syntax\n',
    },
    {
      request: 'PUT /debug/flags/v',
      body: 2 ** 32,
      status: 400,
      text: 'strconv.ParseUint: parsing "4294967296": value out of range\n',
    },
    { request: 'GET /debug/flags', status: 200, text: index },
    { request: 'GET /debug/flags/', status: 200, text: index },
    { request: 'GET /debug/flags/nonsense', status: 200, text: index },
    { request: 'GET /debug/flags/v', user: 'alice', status: 403, text: forbidden('get', '/debug/flags/v') },
    { request: 'PUT /debug/flags/v', user: 'alice', body: 3, status: 403, text: forbidden('put', '/debug/flags/v') },
  ])(
    '$request of $user with "$body" is answered $status',
    async ({ request, user = 'admin' as const, body, status, text }) => {
      const [method = '', at = ''] = request.split(' ');
      const answer = await server.send(method, at, { user, ...(body === undefined ? {} : { body }) });
      expect([answer.status, answer.text]).toEqual([status, text]);
    },
  );

  test('The verbosity of the log is changed while the server runs', async () => {
    const set = async (value: number): Promise<string> =>
      (await server.send('PUT', '/debug/flags/v', { body: value })).text;
    const seen = async (): Promise<boolean> => {
      lines.length = 0;
      await server.send('GET', '/version', { headers: { authorization: 'Bearer none' } });
      return lines.includes('a request was not authenticated');
    };
    expect(await seen()).toBe(true);
    expect(await set(0)).toBe('successfully set klog.logging.verbosity to 0\n');
    expect(await seen()).toBe(false);
    expect(await set(4)).toBe('successfully set klog.logging.verbosity to 4\n');
    expect(await seen()).toBe(true);
  });
});

describe('pages about the process', () => {
  test.each<{ at: string; accept?: string; user?: 'alice'; status: number; text: unknown }>([
    {
      at: '/statusz',
      accept: 'text/plain',
      status: 200,
      text: expect.stringMatching(
        new RegExp(
          '^\nkube-apiserver statusz\nWarning: This endpoint .* debugging purposes only\\.\n\nStarted: .*\n' +
            'Up: \\d+ hr 00 min \\d\\d sec\nGo version: node.*\nBinary version: 1\\.32\\.\\d+\n' +
            'Emulation version: 1\\.32\n$',
        ),
      ),
    },
    {
      at: '/flagz',
      accept: 'text/html, text/plain;q=0.5',
      status: 200,
      text: expect.stringMatching(
        /^\nkube-apiserver flagz\nWarning: .*\n\n[^]*\nauthorization-mode=\[RBAC\]\n[^]*\nrequest-timeout=1m0s\n/,
      ),
    },
    { at: '/statusz', status: 406, text: notText },
    { at: '/flagz', accept: '*/*', status: 200, text: expect.stringMatching(/^\nkube-apiserver flagz\n/) },
    { at: '/statusz', accept: 'text/*;charset=utf-8;q=0.1', status: 200, text: expect.stringContaining('statusz') },
    { at: '/flagz', accept: 'text/plain;charset=latin1', status: 406, text: notText },
    { at: '/flagz', accept: 'text/html, application/json', status: 406, text: notText },
    { at: '/statusz/x', status: 404, text: '404 page not found\n' },
    { at: '/configz', status: 404, text: '404 page not found\n' },
    { at: '/debug/', status: 404, text: '404 page not found\n' },
    { at: '/statusz', user: 'alice', status: 403, text: forbidden('get', '/statusz') },
    { at: '/debug/pprof/heap', user: 'alice', status: 403, text: forbidden('get', '/debug/pprof/heap') },
  ])(
    'GET $at for $accept is answered $status to $user',
    async ({ at, accept, user = 'admin' as const, status, text }) => {
      const answer = await server.send('GET', at, { user, ...(accept === undefined ? {} : { headers: { accept } }) });
      expect([answer.status, answer.text]).toEqual([status, text]);
    },
  );

  test('Pages about the process are listed where they are served', async () => {
    const { paths } = (await server.send('GET', '/')).json<{ paths: string[] }>();
    expect(paths).toEqual(expect.arrayContaining(['/flagz', '/statusz']));
    expect(paths.filter((at) => at.startsWith('/debug'))).toEqual([]);
  });
});

describe('profiles', () => {
  test('Profiles are served to those who may read their paths', async () => {
    const answer = await server.send('GET', '/debug/pprof/profile?seconds=0.05');
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(gunzipSync(answer.bytes).includes('nanoseconds')).toBe(true);
  });

  test('Profiles of contention show what held the event loop', async () => {
    holdUntilSeen();
    await expect
      .poll(async () => (await server.send('GET', '/debug/pprof/block?debug=1')).text)
      .toMatch(/#\tholdUntilSeen\t/);
  });

  test('Profiles and the verbosity are served on a socket that is its owner\u2019s alone', async () => {
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    expect(await overSocket('GET', '/debug/pprof/goroutine?debug=1')).toMatch(/^200 goroutine profile: total/);
    expect(await overSocket('PUT', '/debug/flags/v', '2')).toMatch(/^200 successfully set klog/);
    expect(await overSocket('GET', '/api/v1/namespaces')).toBe('404 404 page not found\n');
  });
});

async function overSocket(method: string, at: string, body = ''): Promise<string> {
  const request = http.request({ socketPath, method, path: at, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return `${response.statusCode} ${Buffer.concat((await response.toArray()) as Buffer[]).toString()}`;
}

describe('a server that is started otherwise', () => {
  test('A server has no profiles and no verbosity with --profiling=false', async () => {
    await using plain = await startTestServer({ flags: ['--profiling=false'] });
    const paths = ['/debug/pprof', '/debug/pprof/heap', '/debug/flags/v', '/statusz', '/flagz', '/configz', '/debug'];
    const answers = await Promise.all(paths.map((at) => plain.send('GET', at)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['404 404 page not found\n']),
    );
  });

  test('A server does not start when its socket cannot be made', async () => {
    const at = path.join(directory, 'absent', 'debug.sock');
    await expect(startTestServer({ flags: [`--debug-socket-path=${at}`] })).rejects.toThrow(
      `--debug-socket-path: cannot listen on the debug socket ${at}: no such file or directory`,
    );
  });
});
