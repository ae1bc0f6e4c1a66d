/**
 * Which servers of the cluster are there: a key for each, by address, that ends with a lease unless its server renews
 * it. Laid out as upstream's, so that servers of both can serve one cluster.
 */
import type { Endpoints } from '../../api/gen/types/core-v1.ts';
import { asJson } from '../../machinery/object-meta.ts';
import type { InternalStorageCodec } from '../../registry/generic/internal-storage-codec.ts';
import type { Store } from '../../storage/interface.ts';

export interface MasterLeasesOptions {
  readonly store: Store;
  /** `/registry` */
  readonly prefix: string;
  /** For Endpoints. */
  readonly storageCodec: InternalStorageCodec;
  readonly ttlSeconds: number;
}

export class MasterLeases {
  readonly #options: MasterLeasesOptions;
  readonly #prefix: string;

  constructor(options: MasterLeasesOptions) {
    this.#options = options;
    this.#prefix = `${options.prefix}/masterleases/`;
  }

  /** Addresses of the servers, in their order. */
  async list(): Promise<string[]> {
    const { kvs } = await this.#options.store.list(this.#prefix);
    return kvs.flatMap(
      ({ key, value, modRevision }) => this.#decode(key, value, modRevision).subsets?.[0]?.addresses?.[0]?.ip ?? [],
    );
  }

  /** Makes the key of this server, or lets it live for another time to live. */
  async renew(ip: string): Promise<void> {
    const { store, ttlSeconds } = this.#options;
    const lease = await store.grantLease(ttlSeconds);
    const key = this.#prefix + ip;
    let { kv } = await store.get(key);
    for (;;) {
      const generation =
        kv === undefined ? 0 : Number(this.#decode(key, kv.value, kv.modRevision).metadata.generation ?? 0);
      const result = await store.update(key, this.#encode(key, ip, generation + 1), kv?.modRevision ?? 0, { lease });
      if (result.applied) return;
      kv = result.current;
    }
  }

  async remove(ip: string): Promise<void> {
    const key = this.#prefix + ip;
    let { kv } = await this.#options.store.get(key);
    while (kv !== undefined) {
      const result = await this.#options.store.delete(key, kv.modRevision);
      if (result.applied) return;
      kv = result.current;
    }
  }

  #decode(key: string, value: Buffer, revision: number): Endpoints {
    const { storageCodec } = this.#options;
    return storageCodec.codec.decode(storageCodec.decode(key, value, revision).bytes) as unknown as Endpoints;
  }

  #encode(key: string, ip: string, generation: number): Uint8Array {
    const { storageCodec } = this.#options;
    return storageCodec.encode(
      key,
      storageCodec.codec.encode(asJson({ metadata: { generation }, subsets: [{ addresses: [{ ip }] }] } as Endpoints)),
    );
  }
}
