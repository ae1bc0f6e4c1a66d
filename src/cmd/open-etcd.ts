import { EtcdStore } from '../storage/etcd/store.ts';
import type { Store } from '../storage/interface.ts';
import type { Dialer } from '../base/dialer.ts';
import type { Logger } from '../base/logger.ts';
import type { StoreConfig } from './config.ts';

export interface OpenStores {
  readonly main: Store;
  /** By `group/resource`. */
  readonly overrides: ReadonlyMap<string, Store>;
  close(): Promise<void>;
}

/**
 * Connects at the first call: a server starts without etcd, says that it is not ready, and goes on when etcd is there.
 */
export function openEtcdStores(
  { servers, overrides, tls }: StoreConfig & { kind: 'etcd' },
  log: Logger,
  dial?: Dialer,
): OpenStores {
  const opened = new Map<string, EtcdStore>();
  // Overrides that name the same servers share their connections.
  const open = (endpoints: readonly string[]): EtcdStore => {
    const key = [...endpoints].sort().join(',');
    const store = opened.get(key) ?? new EtcdStore({ endpoints, tls, dial, log });
    opened.set(key, store);
    return store;
  };
  return {
    main: open(servers),
    overrides: new Map(overrides.map(({ group, resource, servers: own }) => [`${group}/${resource}`, open(own)])),
    close: async () => {
      await Promise.all([...opened.values()].map((store) => store[Symbol.asyncDispose]()));
    },
  };
}
