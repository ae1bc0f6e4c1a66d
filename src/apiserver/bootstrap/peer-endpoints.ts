/** Where each server of the cluster is reached by the others, by the name of its identity lease. */
import { ServerLeases, type ServerLeasesOptions } from './server-leases.ts';

export const peerEndpointIntervalMs = 10_000;
/** How long a server that does not renew its lease is still asked. */
export const peerEndpointTtlSeconds = 15;

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** @param options `prefix` is that of the store: `/registry` */
export class PeerEndpoints {
  readonly #leases: ServerLeases;

  constructor(options: Omit<ServerLeasesOptions, 'ttlSeconds'>) {
    const prefix = `${options.prefix}/peerserverleases/`;
    this.#leases = new ServerLeases({ ...options, prefix, ttlSeconds: peerEndpointTtlSeconds });
  }

  /** Undefined for a server that is not there, or has said nothing that can be used. */
  async find(server: string): Promise<PeerAddress | undefined> {
    const [subset] = (await this.#leases.find(server))?.subsets ?? [];
    const host = subset?.addresses?.[0]?.ip;
    const port = subset?.ports?.[0]?.port;
    return host === undefined || port === undefined ? undefined : { host, port };
  }

  publish(server: string, { host, port }: PeerAddress): Promise<void> {
    return this.#leases.renew(server, { addresses: [{ ip: host }], ports: [{ name: 'peer', port, protocol: 'TCP' }] });
  }

  withdraw(server: string): Promise<void> {
    return this.#leases.remove(server);
  }
}
