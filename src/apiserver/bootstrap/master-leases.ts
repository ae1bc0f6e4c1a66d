/** Which servers of the cluster are there, for endpoints of the kubernetes service: a lease for each, by address. */
import { ServerLeases, type ServerLeasesOptions } from './server-leases.ts';

/** @param options `prefix` is that of the store: `/registry` */
export class MasterLeases {
  readonly #leases: ServerLeases;

  constructor(options: ServerLeasesOptions) {
    this.#leases = new ServerLeases({ ...options, prefix: `${options.prefix}/masterleases/` });
  }

  /** Addresses of the servers, in their order. */
  async list(): Promise<string[]> {
    return (await this.#leases.list()).flatMap(({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip ?? []);
  }

  renew(ip: string): Promise<void> {
    return this.#leases.renew(ip, { addresses: [{ ip }] });
  }

  remove(ip: string): Promise<void> {
    return this.#leases.remove(ip);
  }
}
