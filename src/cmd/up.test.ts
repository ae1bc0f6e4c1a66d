import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePorts } from '../../test/support/ports.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { StartConfig } from './config.ts';
import { createSelfSigned } from '../pki/pki.ts';
import { askWith, startHttpsServer } from './testing/https-server.ts';
import { runCommand } from './testing/run-command.ts';
import type { RunningCommand } from './testing/run-command.ts';
import { noRequests } from './testing/no-requests.ts';

let directory: string;
let port: number;
let dataDir: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-up-'));
  dataDir = join(directory, 'data');
  [port = 0] = await freePorts(1);
});
afterEach(() => rm(directory, { recursive: true }));

const up = (...flags: string[]): string[] => [
  'up',
  '--hollow-nodes=0',
  '--data-dir',
  dataDir,
  '--secure-port',
  String(port),
  ...flags,
];
const kubeconfig = (): Promise<string> => readFile(join(dataDir, 'admin.kubeconfig'), 'utf8');

async function stop(command: RunningCommand): Promise<void> {
  command.interrupt();
  expect(await command.exited).toBe(0);
}

/** Starts nothing; keeps what it was called with. */
const recording = () => {
  const configs: StartConfig[] = [];
  const startApiServer = (config: StartConfig) => {
    configs.push(config);
    return Promise.resolve({
      url: 'https://127.0.0.1:1',
      ready: Promise.resolve(),
      handle: noRequests,
      close: () => Promise.resolve(),
    });
  };
  return { configs, startApiServer };
};

describe('orch up', () => {
  test('orch up shows its progress and the next command, and stops at Ctrl-C', async () => {
    const command = runCommand(up());
    await command.says('kubectl get namespaces');
    await stop(command);
    expect(
      command.output().replaceAll(directory, 'DIR').replaceAll(String(port), 'PORT'),
    ).toBe(`orch 0.1.0, Kubernetes API v1.32.13
  keys and certificates  DIR/data/pki
  store                  embedded, DIR/data/store
  API server             https://127.0.0.1:PORT

Ready. The administrator's kubeconfig is DIR/data/admin.kubeconfig. In another terminal:

  export KUBECONFIG=DIR/data/admin.kubeconfig
  kubectl get namespaces

Ctrl-C stops it; the next start continues with the same data.

Stopping. Ctrl-C once more ends it at once.
Stopped. The data is in DIR/data.
`);
    expect(command.errors()).toBe('');
  });

  test('The kubeconfig it writes has administrator credentials and is readable by its owner only', async () => {
    const command = runCommand(up());
    await command.says('Ready');
    expect(await askWith(await kubeconfig())).toEqual({ trusted: true, user: 'orch-admin', groups: 'system:masters' });
    expect((await stat(join(dataDir, 'admin.kubeconfig'))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    await stop(command);
  });

  test('A second start has the same credentials', async () => {
    const first = runCommand(up());
    await first.says('Ready');
    const before = await kubeconfig();
    await stop(first);
    const second = runCommand(up());
    await second.says('Ready');
    expect(await kubeconfig()).toBe(before);
    await stop(second);
  });

  test('A second Ctrl-C ends the process at once', async () => {
    let release = (): void => undefined;
    const slow = async (config: StartConfig) => {
      const server = await startHttpsServer(config);
      const released = new Promise<void>((resolve) => (release = resolve));
      return { ...server, close: () => Promise.all([server.close(), released]).then(() => undefined) };
    };
    const command = runCommand(up(), { startApiServer: slow });
    await command.says('Ready');
    command.interrupt();
    await command.says('Stopping');
    expect(command.exits).toEqual([]);
    command.interrupt();
    expect(command.exits).toEqual([130]);
    release();
    await command.exited;
  });

  test('Ctrl-C during the start of orch up gives up waiting', async () => {
    const waiting = ({ signal }: StartConfig) =>
      once(signal, 'abort').then((): never => {
        throw new Error('aborted');
      });
    const command = runCommand(up(), { startApiServer: waiting });
    await command.says('store');
    command.interrupt('SIGTERM');
    expect(await command.exited).toBe(143);
    expect(command.output()).toContain('Stopped before it was ready.');
    expect(command.errors()).toBe('');
  });

  test('orch up says that it is ready only when the server is, and Ctrl-C ends waiting for that too', async () => {
    let closed = 0;
    const startApiServer = () =>
      Promise.resolve({
        url: 'https://127.0.0.1:1',
        ready: new Promise<void>(() => undefined),
        handle: noRequests,
        close: () => Promise.resolve(void closed++),
      });
    const command = runCommand(up(), { startApiServer });
    await command.says('https://127.0.0.1:1\n');
    await stop(command);
    expect(command.output()).not.toContain('Ready');
    expect(closed).toBe(1);
  });

  test('orch up listens on loopback unless told otherwise, and puts the data where it was told', async () => {
    const { configs, startApiServer } = recording();
    for (const flags of [[], ['--bind-address=0.0.0.0', '--http2-max-streams-per-connection=10']]) {
      const command = runCommand(up(...flags), { startApiServer });
      await command.says('Ready');
      await stop(command);
    }
    expect(configs.map(({ serving: { address, port: taken } }) => ({ address, port: taken }))).toEqual([
      { address: '127.0.0.1', port },
      { address: '0.0.0.0', port },
    ]);
    expect(configs[0]!.store).toEqual({ kind: 'embedded', directory: join(dataDir, 'store') });
    expect(configs[1]!.serving.maxStreamsPerConnection).toBe(10);
    expect((await readdir(dataDir)).sort()).toEqual(['admin.kubeconfig', 'pki']);
  });

  test('orch up runs on etcd with --store-servers', async () => {
    const { configs, startApiServer } = recording();
    const command = runCommand(
      up(
        '--store-servers=http://127.0.0.1:2379,http://127.0.0.1:2380',
        '--etcd-servers-overrides=/events#http://127.0.0.1:2381',
      ),
      { startApiServer },
    );
    await command.says('Ready');
    await stop(command);
    expect(configs[0]!.store).toEqual({
      kind: 'etcd',
      servers: ['http://127.0.0.1:2379', 'http://127.0.0.1:2380'],
      overrides: [{ group: '', resource: 'events', servers: ['http://127.0.0.1:2381'] }],
      tls: {},
    });
    expect(command.output()).toContain('etcd at http://127.0.0.1:2379, http://127.0.0.1:2380');
  });

  test("An operator's own certificate is shown and stands in the kubeconfig", async () => {
    const own = createSelfSigned('api.example.com', { dnsNames: [], ipAddresses: ['127.0.0.1'] }, new Date());
    const [cert, key] = [join(directory, 'own.crt'), join(directory, 'own.key')];
    await Promise.all([writeFile(cert, own.certificate), writeFile(key, own.key)]);
    const command = runCommand(up('--tls-cert-file', cert, '--tls-private-key-file', key));
    await command.says('Ready');
    expect(await askWith(await kubeconfig())).toMatchObject({ trusted: true, user: 'orch-admin' });
    await stop(command);
  });
});

describe('what orch up refuses, in one line with the next step', () => {
  const failing = (error: Error) => ({ startApiServer: () => Promise.reject(error) });

  async function errorOf(argv: readonly string[], parts: Parameters<typeof runCommand>[1] = {}): Promise<string> {
    const command = runCommand(argv, parts);
    expect(await command.exited).toBe(1);
    return command.errors().replaceAll(directory, 'DIR').replaceAll(String(port), 'PORT');
  }

  test('orch up refuses a port in use', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    expect(await errorOf(up())).toBe(
      'Error: port PORT on 127.0.0.1 is in use: stop the server there, or choose another port with --secure-port\n',
    );
    other.close();
  });

  test('orch up refuses an address of another machine', async () => {
    expect(await errorOf(up('--bind-address=192.0.2.99'))).toBe(
      'Error: 192.0.2.99 is no address of this machine: choose another with --bind-address\n',
    );
  });

  test('orch up refuses a data directory in use', async () => {
    const inUse = new StorageError('Unavailable', 'the data directory /d is in use by another process (pid 12)');
    expect(await errorOf(up(), failing(inUse))).toBe(
      'Error: the data directory /d is in use by another process (pid 12): stop that process, or choose ' +
        'another directory with --data-dir\n',
    );
  });

  test('orch up refuses a directory whose cluster runs already, and leaves its logs', async () => {
    const running = runCommand(up());
    await running.says('kubectl get namespaces');
    const log = join(dataDir, 'logs', 'scheduler.log');
    await mkdir(join(dataDir, 'logs'));
    await writeFile(log, 'of the first');
    expect(await errorOf(up('--hollow-nodes=1'))).toBe(
      'Error: the cluster in DIR/data runs already, at https://127.0.0.1:PORT: stop it first, or choose another ' +
        'directory with --data-dir\n',
    );
    expect(await readFile(log, 'utf8')).toBe('of the first');
    await stop(running);
  });

  test('A data directory that cannot be', async () => {
    await writeFile(join(directory, 'file'), '');
    const argv = ['up', '--hollow-nodes=0', '--data-dir', join(directory, 'file', 'data')];
    expect(await errorOf(argv)).toBe(
      'Error: cannot write to DIR/file/data: not a directory; choose another directory with --data-dir\n',
    );
  });

  test('orch up refuses a port that needs rights', async () => {
    const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen' });
    expect(await errorOf(up(), failing(denied))).toBe(
      'Error: port PORT needs more rights: choose one above 1023 with --secure-port\n',
    );
  });

  test.each([
    { flags: ['--client-ca-file=/nope'], message: 'Error: --client-ca-file: open /nope: no such file or directory\n' },
    {
      flags: ['--token-auth-file=/nope'],
      message: 'Error: --token-auth-file: open /nope: no such file or directory\n',
    },
    {
      flags: ['--tls-cert-file=/nope', '--tls-private-key-file=/nope'],
      message: 'Error: --tls-cert-file: open /nope: no such file or directory\n',
    },
    {
      flags: ['--store-servers=https://a:1', '--store-cafile=/nope'],
      message: 'Error: --store-cafile: open /nope: no such file or directory\n',
    },
    { flags: ['--bogus'], message: "Error: unknown flag: --bogus\nSee 'orch help up'.\n" },
    {
      flags: ['extra'],
      message: 'Error: "orch up" does not take any arguments, got ["extra"]\nSee \'orch help up\'.\n',
    },
  ])('orch up refuses $flags, in one line with the next step', async ({ flags, message }) => {
    expect(await errorOf(up(...flags))).toBe(message);
  });

  test('An unforeseen error of orch up comes with its stack', async () => {
    expect(await errorOf(up(), failing(new TypeError('x is not a function')))).toMatch(
      /^Error: TypeError: x is not a function\n +at /,
    );
  });
});
