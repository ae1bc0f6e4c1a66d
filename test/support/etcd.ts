import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toolPath } from '../../hack/lib/test-tools.mjs';
import { freePorts } from './ports.ts';

/** One before and one after progress notifications became sound (etcd#15220). */
export const etcdVersions = ['3.4', '3.5'] as const;
export type EtcdVersion = (typeof etcdVersions)[number];

export interface EtcdOptions {
  readonly version?: EtcdVersion;
  /** The etcd to run instead of that version among the tools. */
  readonly program?: string;
  /** Serve TLS, and require a client certificate of this CA. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
  /** Flags beyond those set here, such as `--quota-backend-bytes=…`. */
  readonly flags?: readonly string[];
  /** Really write to disk. Off by default: what a killed process had written survives in the page cache. */
  readonly fsync?: boolean;
}

/** An etcd with nothing in it, wherever it runs; it ends when it is disposed of. */
export interface RunningEtcd extends AsyncDisposable {
  readonly url: string;
}

/** A real etcd process with data of its own, on ports of its own. */
export class EtcdServer implements RunningEtcd {
  readonly port: number;
  readonly url: string;
  readonly dataDir: string;
  readonly #options: EtcdOptions;
  readonly #peerUrl: string;
  readonly #member: string;
  /** `--initial-cluster` */
  readonly #cluster: string;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(
    options: EtcdOptions,
    member: { dataDir: string; name: string; port: number; peerUrl: string; cluster: string },
  ) {
    this.#options = options;
    this.dataDir = member.dataDir;
    this.port = member.port;
    this.#peerUrl = member.peerUrl;
    this.#member = member.name;
    this.#cluster = member.cluster;
    this.url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  static async start(options: EtcdOptions = {}): Promise<EtcdServer> {
    return (await EtcdServer.startCluster(1, options))[0]!;
  }

  /** Members of one cluster. */
  static async startCluster(size: number, options: EtcdOptions = {}): Promise<EtcdServer[]> {
    for (let attempt = 1; ; attempt++) {
      const ports = await freePorts(size * 2);
      const names = Array.from({ length: size }, (_, i) => `m${i}`);
      const peerUrl = (i: number): string => `http://127.0.0.1:${ports[size + i]}`;
      const cluster = names.map((name, i) => `${name}=${peerUrl(i)}`).join(',');
      const members: EtcdServer[] = [];
      for (const [i, name] of names.entries()) {
        const dataDir = await mkdtemp(path.join(tmpdir(), 'orch-etcd-'));
        members.push(new EtcdServer(options, { dataDir, name, port: ports[i]!, peerUrl: peerUrl(i), cluster }));
      }
      try {
        await Promise.all(members.map((member) => member.restart()));
        return members;
      } catch (error) {
        await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
        const portTaken = String(error).includes('address already in use');
        if (!portTaken || attempt === 5) throw error;
      }
    }
  }

  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('etcd does not run');
    return this.#process.pid;
  }

  /** What etcd has printed since it was last started. */
  get output(): string {
    return this.#output;
  }

  /** Starts it, or stops it first when it runs: same ports, same data. */
  async restart(): Promise<void> {
    await this.stop();
    this.#output = '';
    const child = spawn(this.#options.program ?? toolPath(`etcd-${this.#options.version ?? '3.5'}`), this.#flags(), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    process.once('exit', this.#killAtExit);
    await this.#untilServing(child);
  }

  /** Ends it in order (SIGTERM), or at once (SIGKILL). */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    process.removeListener('exit', this.#killAtExit);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // A stopped process takes SIGTERM only when it goes on.
    child.kill('SIGCONT');
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(impatience);
  }

  /** SIGSTOP: its connections stay open without responses. Resolves when every thread has stopped. */
  async freeze(): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    const tasks = `/proc/${this.pid}/task`;
    if (!existsSync(tasks)) return new Promise((resolve) => setTimeout(resolve, 100));
    // The state comes after the name, which is in parentheses and may hold anything.
    const runs = (task: string): boolean => !/\) T /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    while (readdirSync(tasks).some(runs)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.dataDir, { recursive: true, force: true });
  }

  readonly #killAtExit = (): void => void this.#process?.kill('SIGKILL');

  #flags(): string[] {
    const { tls, fsync = false, flags = [] } = this.#options;
    return [
      `--name=${this.#member}`,
      `--data-dir=${path.join(this.dataDir, 'data')}`,
      `--listen-client-urls=${this.url}`,
      `--advertise-client-urls=${this.url}`,
      `--listen-peer-urls=${this.#peerUrl}`,
      `--initial-advertise-peer-urls=${this.#peerUrl}`,
      `--initial-cluster=${this.#cluster}`,
      '--logger=zap',
      ...(fsync ? [] : ['--unsafe-no-fsync']),
      ...(tls === undefined
        ? []
        : [
            `--cert-file=${tls.certFile}`,
            `--key-file=${tls.keyFile}`,
            `--trusted-ca-file=${tls.caFile}`,
            '--client-cert-auth',
          ]),
      ...flags,
    ];
  }

  #untilServing(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        this.#output += chunk.toString();
        if (/serving client traffic|serving (insecure )?client requests/.test(this.#output)) resolve();
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`etcd ended (${code ?? signal}):\n${this.#output.split('\n').slice(-8).join('\n')}`)),
      );
    });
  }
}
