import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PhaseReport } from '../../bench/report.ts';
import { ask } from '../../src/cmd/testing/https-server.ts';
import { EtcdClient } from '../../src/etcd/client.ts';
import { prefixEnd } from '../../src/etcd/messages.ts';
import { createTestCertificates } from '../support/certificates.ts';
import { EtcdServer } from '../support/etcd.ts';
import { OrchProcess, buildOrch } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tiny = [
  '--objects',
  '30',
  '--gets',
  '20',
  '--lists',
  '1',
  '--concurrency',
  '4',
  '--watchers',
  '5',
  '--events',
  '6',
];
const operations = {
  create: 30,
  get: 20,
  'list-all': 1,
  'list-500': 5,
  'list-label': 5,
  update: 30,
  patch: 30,
  watch: 30,
  delete: 30,
};

let directory: string;
let jsonFile: string;
beforeAll(buildOrch);
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-bench-test-'));
  jsonFile = join(directory, 'report.json');
});
afterEach(() => rm(directory, { recursive: true }));

/** Temporary files of the driver go into the test's own directory. */
const environment = () => ({ ...process.env, TMPDIR: directory });

async function bench(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['bench/run.mjs', ...args], { cwd: root, env: environment() }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

const report = async (): Promise<PhaseReport[]> =>
  (JSON.parse(await readFile(jsonFile, 'utf8')) as { phases: PhaseReport[] }).phases;

const outcome = (phases: readonly PhaseReport[], whose: 'server' | 'peer') =>
  phases.map(({ phase, [whose]: measured }) => [
    phase,
    { operations: measured?.operations, errors: measured?.errors, firstError: measured?.firstError },
  ]);

const flawless = Object.entries(operations).map(([phase, count]) => [
  phase,
  { operations: count, errors: 0, firstError: undefined },
]);

interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

async function startServer(name: string): Promise<RunningServer> {
  const [port = 0] = await freePorts(1);
  const file = (suffix: string): string => join(directory, `${name}-${suffix}`);
  await writeFile(file('tokens'), 'secret,somebody,1,system:masters\n');
  const orch = new OrchProcess([
    'apiserver',
    '--disable-admission-plugins=ServiceAccount',
    '--bind-address',
    '127.0.0.1',
    '--secure-port',
    String(port),
    '--token-auth-file',
    file('tokens'),
    '--data-dir',
    file('data'),
    '--cert-dir',
    file('certificates'),
  ]);
  await orch.warns('serving');
  return { url: `https://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => orch[Symbol.asyncDispose]() };
}

describe('npm run bench', () => {
  test.each(['protobuf', 'json'])(
    'Measures every phase on a server of its own, in %s, and leaves nothing behind',
    async (contentType) => {
      const { code, output, errors } = await bench(...tiny, '--content-type', contentType, '--json', jsonFile);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      const phases = await report();
      expect(outcome(phases, 'server')).toEqual(flawless);
      expect(
        phases.every(
          ({ server }) => server.p50Ms > 0 && server.p99Ms >= server.p50Ms && server.operationsPerSecond > 0,
        ),
      ).toBe(true);
      if (process.platform === 'linux')
        expect(phases.every(({ server }) => server.residentMegabytes! > 0 && server.cpuMicroseconds! >= 0)).toBe(true);
      for (const phase of Object.keys(operations))
        expect(output).toMatch(new RegExp(`^${phase} +server +\\d+ +0 `, 'm'));
      expect(await readdir(directory)).toEqual(['report.json']);
    },
  );

  test('The server of npm run bench has keys of its own on etcd, which are removed', async () => {
    await using etcd = await EtcdServer.start();
    const { code, errors } = await bench(...tiny, '--store-servers', etcd.url, '--json', jsonFile);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(outcome(await report(), 'server')).toEqual(flawless);
    await using client = new EtcdClient({ endpoints: [etcd.url] });
    const { kvs, revision } = await client.range({
      key: '/orch-bench-',
      rangeEnd: prefixEnd('/orch-bench-'),
      keysOnly: true,
    });
    expect(revision).toBeGreaterThan(100);
    expect(kvs).toEqual([]);
  });

  test('The same load goes to two servers that run already, and their objects are gone afterwards', async () => {
    await using server = await startServer('server');
    await using peer = await startServer('peer');
    const { code, output, errors } = await bench(
      ...tiny,
      '--server',
      server.url,
      '--token',
      'secret',
      '--peer',
      peer.url,
      '--peer-token',
      'secret',
      '--json',
      jsonFile,
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const phases = await report();
    expect(outcome(phases, 'server')).toEqual(flawless);
    expect(outcome(phases, 'peer')).toEqual(flawless);
    expect(phases.map(({ ratio }) => ratio!.operationsPerSecond)).toEqual(
      phases.map((phase) => phase.server.operationsPerSecond / phase.peer!.operationsPerSecond),
    );
    expect(output.match(/^ +server\/peer +\d/gm)).toHaveLength(phases.length);
    // Without process ids nothing is said about the processes.
    expect(phases[0]!.server).not.toHaveProperty('cpuMicroseconds');
    for (const { url } of [server, peer]) {
      for (const resource of ['pods', 'configmaps', 'serviceaccounts']) {
        expect(
          await ask(`${url}/api/v1/${resource}`, {
            headers: { authorization: 'Bearer secret' },
            rejectUnauthorized: false,
          }),
        ).toMatchObject({ items: [] });
      }
    }
  });

  test('A second round finds nothing of the first in its way', async () => {
    const { code, errors } = await bench(...tiny, '--phases', 'list-all,watch', '--rounds', '2', '--json', jsonFile);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const phases = await report();
    expect(phases.map(({ round, phase }) => `${round} ${phase}`)).toEqual(
      [1, 2].flatMap((round) => ['create', 'list-all', 'watch', 'delete'].map((phase) => `${round} ${phase}`)),
    );
    expect(phases.map(({ server }) => server.operations)).toEqual([30, 1, 30, 30, 30, 1, 30, 30]);
  });

  test('SIGINT ends npm run bench and the server it has started', async () => {
    const child = spawn(process.execPath, ['bench/run.mjs', '--objects', '20000'], {
      cwd: root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    while (!output.includes('CPU')) await once(child.stdout, 'data');
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(output)!;
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    await expect(fetch(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(await readdir(directory)).toEqual([]);
  });

  test('A server without HTTP/2 is an error in one line', async () => {
    await using certificates = await createTestCertificates();
    const { certFile, keyFile } = certificates.server;
    const server = https
      .createServer({ cert: await readFile(certFile), key: await readFile(keyFile) })
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { code, errors } = await bench(
        ...tiny,
        '--server',
        `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      );
      expect(code).toBe(1);
      expect(errors).toMatch(/^Error: cannot connect to https:\/\/127\.0\.0\.1:\d+ by HTTP\/2: .+\n$/);
    } finally {
      server.close();
    }
  });

  test('A server that refuses the token is an error in one line', async () => {
    await using server = await startServer('server');
    const { code, errors } = await bench(...tiny, '--server', server.url, '--token', 'wrong', '--content-type', 'json');
    expect(code).toBe(1);
    expect(errors).toMatch(/Error: POST \/api\/v1\/namespaces: 401 .*Unauthorized/);
  });
});
