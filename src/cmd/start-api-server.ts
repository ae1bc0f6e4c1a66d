/** Starts the API server that a configuration describes: opens its stores, and owns them. */
import { startApiServer as start } from '../apiserver/api-server.ts';
import type { ApiServerConfig } from '../apiserver/config.ts';
import { openEmbeddedStore } from '../storage/embedded/open.ts';
import type { StartApiServer, StartConfig } from './config.ts';
import { openEtcdStores, type OpenStores } from './open-etcd.ts';

export const startApiServer: StartApiServer = async (config) => {
  const stores = await openStores(config);
  try {
    const server = await start(serverConfig(config, stores));
    return {
      url: `https://${hostOf(config.serving.address)}:${server.port}`,
      ready: server.bootstrapped,
      handle: server.handle,
      close: async () => {
        await server.close();
        await stores.close();
        await config.files.stop();
      },
    };
  } catch (error) {
    await stores.close();
    await config.files.stop();
    throw error;
  }
};

async function openStores({ store, egress, log }: StartConfig): Promise<OpenStores> {
  if (store.kind === 'etcd') return openEtcdStores(store, log, egress?.dialers.etcd);
  const main = await openEmbeddedStore(store.directory === undefined ? {} : { directory: store.directory, log });
  return { main, overrides: new Map(), close: async () => main[Symbol.asyncDispose]() };
}

/** What the server itself is started with. */
export function serverConfig(start: StartConfig, stores: Pick<OpenStores, 'main' | 'overrides'>): ApiServerConfig {
  const { store: _store, ...config } = start;
  return { ...config, storage: { ...config.storage, store: stores.main, overrides: stores.overrides } };
}

/** A host that a client on this machine can use for a server on this address. */
const hostOf = (address: string): string =>
  address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
