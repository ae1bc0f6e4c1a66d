/**
 * Where servers of the cluster are reached: a key for each that ends with a lease unless its server renews it. Laid out
 * as upstream's, so that servers of both can serve one cluster.
 */
import type { Endpoints, EndpointSubset } from '../../api/gen/types/core-v1.ts';
import { asJson } from '../../machinery/object-meta.ts';
import type { InternalStorageCodec } from '../../registry/generic/internal-storage-codec.ts';
import type { Store } from '../../storage/interface.ts';

export interface ServerLeasesOptions {
  readonly store: Store;
  /** `/registry/masterleases/` */
  readonly prefix: string;
  /** For Endpoints. */
  readonly storageCodec: InternalStorageCodec;
  readonly ttlSeconds: number;
}

export class ServerLeases {
  readonly #options: ServerLeasesOptions;

  constructor(options: ServerLeasesOptions) {
    this.#options = options;
  }

  /** What the servers have published, in the order of their names. */
  async list(): Promise<Endpoints[]> {
    const { kvs } = await this.#options.store.list(this.#options.prefix);
    return kvs.map(({ key, value, modRevision }) => this.#decode(key, value, modRevision));
  }

  async find(name: string): Promise<Endpoints | undefined> {
    const key = this.#options.prefix + name;
    const { kv } = await this.#options.store.get(key);
    return kv && this.#decode(key, kv.value, kv.modRevision);
  }

  /** Makes the key of this server, or lets it live for another time to live. */
  async renew(name: string, subset: EndpointSubset): Promise<void> {
    const { store, ttlSeconds, prefix } = this.#options;
    const lease = await store.grantLease(ttlSeconds);
    const key = prefix + name;
    let { kv } = await store.get(key);
    for (;;) {
      const generation =
        kv === undefined ? 0 : Number(this.#decode(key, kv.value, kv.modRevision).metadata.generation ?? 0);
      const value = this.#encode(key, { metadata: { generation: generation + 1 }, subsets: [subset] });
      const result = await store.update(key, value, kv?.modRevision ?? 0, { lease });
      if (result.applied) return;
      kv = result.current;
    }
  }

  async remove(name: string): Promise<void> {
    const key = this.#options.prefix + name;
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

  #encode(key: string, endpoints: Endpoints): Uint8Array {
    const { storageCodec } = this.#options;
    return storageCodec.encode(key, storageCodec.codec.encode(asJson(endpoints)));
  }
}
