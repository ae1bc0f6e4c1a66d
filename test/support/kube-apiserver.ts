import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from './api-client.ts';
import { freePorts } from './ports.ts';

/**
 * A kube-apiserver to compare with: `ORCH_KUBE_APISERVER` names it, or it is on the PATH. Tests skip with a reason
 * without one.
 */
export const kubeApiServerPath: string | undefined = [
  process.env['ORCH_KUBE_APISERVER'],
  ...(process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'kube-apiserver')),
].find((file) => file !== undefined && file !== '' && existsSync(file));

export const noKubeApiServer =
  kubeApiServerPath === undefined ? ' (skipped: no kube-apiserver; ORCH_KUBE_APISERVER can name one)' : '';

/** Upstream's server as a process of its own, on a given etcd. */
export class KubeApiServer implements AsyncDisposable {
  readonly client: ApiClient;
  readonly port: number;
  readonly directory: string;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number, directory: string) {
    this.#process = child;
    this.port = port;
    this.directory = directory;
    this.client = new ApiClient({ port, token: 'admin-token' });
  }

  /**
   * @param etcdUrl `http://127.0.0.1:2379`
   * @param flags DIRECTORY stands for a folder of the server's own
   * @param files what is there at the start
   * @param program in place of the one that tests find
   */
  static async start(
    etcdUrl: string,
    flags: readonly string[] = [],
    files: Readonly<Record<string, string>> = {},
    program: string = kubeApiServerPath!,
  ): Promise<KubeApiServer> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-kube-'));
    const inside = (name: string): string => path.join(directory, name);
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    await writeFile(inside('sa.key'), privateKey);
    await writeFile(inside('sa.pub'), publicKey);
    await writeFile(inside('tokens.csv'), 'admin-token,admin,1,"system:masters"\njane-token,jane,2,"devs,ops"\n');
    for (const [name, text] of Object.entries(files)) await writeFile(inside(name), text);
    const [port = 0] = await freePorts(1);
    const child = spawn(
      program,
      [
        `--etcd-servers=${etcdUrl}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        `--secure-port=${port}`,
        `--cert-dir=${inside('certs')}`,
        `--service-account-key-file=${inside('sa.pub')}`,
        `--service-account-signing-key-file=${inside('sa.key')}`,
        '--service-account-issuer=https://localhost',
        '--service-cluster-ip-range=10.0.0.0/24',
        `--token-auth-file=${inside('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--endpoint-reconciler-type=none',
        // Pods can then be created with no controller running.
        '--disable-admission-plugins=ServiceAccount',
        ...flags.map((flag) => flag.replace('DIRECTORY', directory)),
      ],
      { stdio: 'ignore' },
    );
    const server = new KubeApiServer(child, port, directory);
    const failed = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`kube-apiserver ended (${String(code)})`)),
    );
    await Promise.race([server.#untilReady(), failed]);
    failed.catch(() => undefined);
    return server;
  }

  async #untilReady(): Promise<void> {
    for (;;) {
      const ready = await this.client.send('GET', '/readyz').catch(() => undefined);
      if (ready?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await ended;
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}
