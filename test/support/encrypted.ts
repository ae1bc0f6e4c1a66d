/** API servers whose values are encrypted in an etcd that the test looks into. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ControlPlane, createControlPlane } from '../../src/index.ts';
import { EtcdStore } from '../../src/storage/etcd/store.ts';
import { ApiClient } from './api-client.ts';
import { EtcdServer, type EtcdVersion, type RunningEtcd } from './etcd.ts';

/** A key of 32 bytes. */
export const namedKey = (name: string, fill: number): { name: string; secret: string } => ({
  name,
  secret: Buffer.alloc(32, fill).toString('base64'),
});

export interface Rule {
  readonly resources: readonly string[];
  readonly providers: readonly object[];
}

/** As a document; `YAML` reads it too. */
export const encryptionConfiguration = (rules: readonly Rule[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources: rules });

export class EncryptedServer implements AsyncDisposable {
  readonly client: ApiClient;
  readonly #file: string;
  readonly #controlPlane: ControlPlane;

  constructor(controlPlane: ControlPlane, file: string) {
    this.#controlPlane = controlPlane;
    this.#file = file;
    this.client = new ApiClient(controlPlane.kubeconfig);
  }

  /** Atomically, as mounted volumes are updated. */
  async configure(rules: readonly Rule[] | string): Promise<void> {
    await writeFile(`${this.#file}.new`, typeof rules === 'string' ? rules : encryptionConfiguration(rules));
    await rename(`${this.#file}.new`, this.#file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.#controlPlane.close();
    await rm(path.dirname(this.#file), { recursive: true });
  }
}

/** An etcd, what lies in it, and servers on it. */
export class EncryptedCluster implements AsyncDisposable {
  readonly #servers: EncryptedServer[] = [];
  readonly etcd: RunningEtcd;
  readonly store: EtcdStore;

  private constructor(etcd: RunningEtcd) {
    this.etcd = etcd;
    this.store = new EtcdStore({ endpoints: [etcd.url] });
  }

  static async start(version?: EtcdVersion): Promise<EncryptedCluster> {
    return EncryptedCluster.on(await EtcdServer.start(version === undefined ? {} : { version }));
  }

  /** The etcd ends with the cluster. */
  static on(etcd: RunningEtcd): EncryptedCluster {
    return new EncryptedCluster(etcd);
  }

  /** @param rules undefined for a server that encrypts nothing */
  async server(rules: readonly Rule[] | undefined, flags: readonly string[] = []): Promise<EncryptedServer> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-encryption-'));
    const file = path.join(directory, 'encryption.yaml');
    await writeFile(file, encryptionConfiguration(rules ?? []));
    const controlPlane = await createControlPlane({
      controllers: false,
      flags: [
        `--store-servers=${this.etcd.url}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        '--endpoint-reconciler-type=none',
        ...(rules === undefined ? [] : [`--encryption-provider-config=${file}`]),
        ...flags,
      ],
      fileCheckMs: 20,
    });
    const server = new EncryptedServer(controlPlane, file);
    this.#servers.push(server);
    return server;
  }

  /** The server is closed with the cluster unless it was closed before. */
  async close(server: EncryptedServer): Promise<void> {
    this.#servers.splice(this.#servers.indexOf(server), 1);
    await server[Symbol.asyncDispose]();
  }

  /** What etcd holds. */
  async stored(key: string): Promise<Buffer> {
    const { kv } = await this.store.get(key);
    if (kv === undefined) throw new Error(`${key} is not there`);
    return kv.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [...this.#servers]) await this.close(server);
    await this.store[Symbol.asyncDispose]();
    await this.etcd[Symbol.asyncDispose]();
  }
}
