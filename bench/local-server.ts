/** An `orch apiserver` of this checkout, on loopback, with temporary data; gone without a trace when it is disposed. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EtcdClient } from '../src/etcd/client.ts';
import { prefixEnd } from '../src/etcd/messages.ts';
import { HttpClient } from './http-client.ts';
import type { AuditLevel, ServerAddress } from './server-address.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const keptOutput = 8_192;

export interface LocalServerOptions {
  /** Of the checkout. */
  readonly root: string;
  /** URLs of etcd as in `--store-servers`; undefined for the embedded store. */
  readonly storeServers: string | undefined;
  readonly auditLevel: AuditLevel | undefined;
  readonly signal: AbortSignal;
  /** More of the command line. */
  readonly flags?: readonly string[];
}

/** Does nothing when dist/ is that of the sources. */
export const buildProgram = (root: string, signal: AbortSignal): Promise<unknown> =>
  promisify(execFile)(process.execPath, ['hack/build.mjs'], { cwd: root, signal });

/** The part of an etcd that the server uses: removed when the server is disposed. */
interface UsedStore {
  readonly servers: string;
  readonly prefix: string;
}

export class LocalServer implements AsyncDisposable {
  readonly address: ServerAddress;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #store: UsedStore | undefined;
  #output = '';
  readonly #exited: Promise<unknown>;
  readonly #killAtExit = (): void => void this.#child.kill('SIGKILL');

  private constructor(
    child: ChildProcess,
    address: Omit<ServerAddress, 'pids'>,
    directory: string,
    store: UsedStore | undefined,
  ) {
    this.#child = child;
    this.address = { ...address, pids: child.pid === undefined ? [] : [child.pid] };
    this.#directory = directory;
    this.#store = store;
    for (const stream of [child.stdout!, child.stderr!])
      stream
        .setEncoding('utf8')
        .on('data', (text: string) => (this.#output = (this.#output + text).slice(-keptOutput)));
    this.#exited = once(child, 'close');
    process.once('exit', this.#killAtExit);
  }

  /** Resolves once it is ready. Rejects with what it wrote when it ends before, and with the signal's reason. */
  static async start({ root, storeServers, auditLevel, signal, flags = [] }: LocalServerOptions): Promise<LocalServer> {
    await buildProgram(root, signal);
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-bench-'));
    const token = randomBytes(16).toString('hex');
    const tokenFile = path.join(directory, 'tokens.csv');
    await writeFile(tokenFile, `${token},bench,bench,system:masters\n`, { mode: 0o600 });
    const port = await freePort();
    const store =
      storeServers === undefined ? undefined : { servers: storeServers, prefix: `/${path.basename(directory)}` };
    const args = [
      'bin/orch.js',
      'apiserver',
      '--disable-admission-plugins=ServiceAccount',
      '--bind-address',
      '127.0.0.1',
      '--secure-port',
      String(port),
      '--token-auth-file',
      tokenFile,
    ];
    args.push('--data-dir', path.join(directory, 'data'), '--cert-dir', path.join(directory, 'certificates'), ...flags);
    if (store !== undefined) args.push('--store-servers', store.servers, '--store-prefix', store.prefix);
    if (auditLevel !== undefined) args.push(...(await auditFlags(directory, auditLevel)));
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new LocalServer(
      child,
      { url: new URL(`https://127.0.0.1:${port}`), token, caFile: undefined },
      directory,
      store,
    );
    try {
      await server.#ready(signal);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#exited;
    clearTimeout(timer);
    process.off('exit', this.#killAtExit);
    await rm(this.#directory, { recursive: true, force: true });
    if (this.#store !== undefined) await removeKeys(this.#store.servers, this.#store.prefix);
  }

  async #ready(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + startTimeoutMs;
    while (!(await this.#isReady())) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`orch apiserver ended at its start:\n${this.#output}`);
      if (performance.now() > deadline)
        throw new Error(`orch apiserver was not ready within ${startTimeoutMs / 1000} s:\n${this.#output}`);
      await sleep(50, undefined, { signal });
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      using client = await HttpClient.connect({ address: this.address, accept: '*/*', gzip: false, sessions: 1 });
      await client.request({ method: 'GET', path: '/readyz' });
      return true;
    } catch {
      return false;
    }
  }
}

async function auditFlags(directory: string, level: AuditLevel): Promise<string[]> {
  const policy = path.join(directory, 'audit-policy.json');
  await writeFile(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level }] }));
  return [
    '--audit-policy-file',
    policy,
    '--audit-log-path',
    path.join(directory, 'audit.log'),
    '--audit-log-mode',
    'batch',
    '--audit-log-maxbackup',
    '1',
  ];
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Page by page, as a run that was interrupted leaves thousands. */
async function removeKeys(servers: string, prefix: string): Promise<void> {
  await using client = new EtcdClient({ endpoints: servers.split(',') });
  const key = `${prefix}/`;
  for (;;) {
    const { kvs } = await client.range({ key, rangeEnd: prefixEnd(key), keysOnly: true, limit: 100 });
    if (kvs.length === 0) return;
    await client.txn(
      { compare: [], success: kvs.map((kv) => ({ deleteRange: { key: kv.key } })), failure: [] },
      { idempotent: true },
    );
  }
}
