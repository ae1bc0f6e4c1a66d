/** An `orch apiserver` in a process of its own with a bounded heap, whose memory can be asked for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../conformance/golden/client.ts';
import { freePorts } from '../ports.ts';

/** In bytes, after garbage collection. */
export interface Memory {
  /** Objects of JavaScript. */
  readonly heapUsed: number;
  /** Buffers, and what the runtime keeps for objects. */
  readonly external: number;
  /** All that the process has of the system; of what it has given back to its allocator the system sees little. */
  readonly rss: number;
}

export interface MeasuredServerOptions {
  /** Of the checkout. */
  readonly root: string;
  readonly heapMegabytes: number;
  /** Everything is recorded, objects as well. */
  readonly audit: boolean;
  readonly flags?: readonly string[];
}

const startTimeoutMs = 60_000;

export class MeasuredServer implements AsyncDisposable {
  readonly port: number;
  /** PEM */
  readonly ca: string;
  /** Of a user that may do everything, and is in no group of the system. */
  readonly token = 'user-token';
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #client: Client;
  readonly #exited: Promise<unknown>;
  #output = '';

  private constructor(
    child: ChildProcess,
    { port, ca, directory }: { readonly port: number; readonly ca: string; readonly directory: string },
  ) {
    [this.port, this.ca] = [port, ca];
    this.#child = child;
    this.#directory = directory;
    this.#client = new Client(port, ca);
    this.#exited = once(child, 'close');
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output = (this.#output + text).slice(-8_192)));
  }

  static async start({ root, heapMegabytes, audit, flags = [] }: MeasuredServerOptions): Promise<MeasuredServer> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-memory-'));
    const file = (name: string): string => path.join(directory, name);
    await writeFile(file('tokens.csv'), 'admin-token,admin,admin,system:masters\nuser-token,user,user\n', {
      mode: 0o600,
    });
    await writeFile(
      file('policy.json'),
      JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] }),
    );
    const [port = 0] = await freePorts(1);
    const child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${heapMegabytes}`,
        '--expose-gc',
        '--import',
        path.join(root, 'test/support/memory/probe.mjs'),
        'bin/orch.js',
        'apiserver',
        '--disable-admission-plugins=ServiceAccount',
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--token-auth-file=${file('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--anonymous-auth=true',
        `--data-dir=${file('data')}`,
        `--cert-dir=${file('certificates')}`,
        ...(audit
          ? [
              `--audit-policy-file=${file('policy.json')}`,
              `--audit-log-path=${file('audit.log')}`,
              '--audit-log-maxsize=100',
              '--audit-log-maxbackup=1',
            ]
          : []),
        ...flags,
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    const server = new MeasuredServer(child, {
      port,
      ca: await certificateIn(file('certificates/apiserver.crt'), child),
      directory,
    });
    try {
      await server.#prepare();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it wrote last. */
  get output(): string {
    return this.#output;
  }

  async measure(): Promise<Memory> {
    const ended = this.#exited.then(() => Promise.reject(new Error(`the server has ended:\n${this.#output}`)));
    ended.catch(() => undefined);
    this.#child.send('measure');
    const [memory] = (await Promise.race([once(this.#child, 'message'), ended])) as [Memory];
    return memory;
  }

  /** Most memory that it had of the system since the last time that it was asked; 0 where the system does not tell. */
  takePeak(): number {
    try {
      const [, kilobytes = '0'] =
        /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
      writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
      return Number(kilobytes) * 1024;
    } catch {
      return 0;
    }
  }

  /** As an administrator. @returns the status */
  async send(method: string, target: string, body?: unknown): Promise<number> {
    return (await this.#ask(method, target, body)).status;
  }

  /** The sum of a metric's series whose labels contain a text. */
  async metric(name: string, label: string): Promise<number> {
    const lines = String((await this.#ask('GET', '/metrics')).body).split('\n');
    const series = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(label));
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  #ask(method: string, target: string, body?: unknown) {
    return this.#client.send({
      method,
      path: target,
      headers: {
        authorization: 'Bearer admin-token',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  }

  async #prepare(): Promise<void> {
    const deadline = performance.now() + startTimeoutMs;
    while ((await this.send('GET', '/readyz').catch(() => 0)) !== 200) {
      if (!this.isAlive || performance.now() > deadline)
        throw new Error(`orch apiserver did not become ready:\n${this.#output}`);
      await sleep(50);
    }
    const rbac = 'rbac.authorization.k8s.io';
    const status = await this.send('POST', `/apis/${rbac}/v1/clusterrolebindings`, {
      metadata: { name: 'user' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'user' }],
    });
    if (status !== 201) throw new Error(`the user got no rights: ${status}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    this.#child.kill('SIGKILL');
    await this.#exited;
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function certificateIn(file: string, child: ChildProcess): Promise<string> {
  for (const deadline = performance.now() + startTimeoutMs; ; await sleep(20)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.includes('-----END CERTIFICATE-----')) return text;
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('orch apiserver made no certificate');
  }
}
