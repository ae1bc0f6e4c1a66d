import { createWatchCache } from '../../../src/storage/cache/watch-cache.ts';
import { createDirectObjectStorage } from '../../../src/storage/direct-storage.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { describeObjectsContract } from '../../../src/storage/testing/objects-contract.ts';
import type { StoreForObjects } from '../../../src/storage/testing/objects-contract.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';
import type { EtcdVersion } from '../../support/etcd.ts';

async function createStore(version: EtcdVersion): Promise<StoreForObjects> {
  const etcd = await EtcdServer.start({ version });
  const store = new EtcdStore({ endpoints: [etcd.url] });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await etcd[Symbol.asyncDispose]();
    },
  };
}

for (const version of etcdVersions) {
  describeObjectsContract({
    name: `direct, on etcd ${version}`,
    createStore: () => createStore(version),
    createStorage: createDirectObjectStorage,
  });
  describeObjectsContract({
    name: `watch cache, on etcd ${version}`,
    createStore: () => createStore(version),
    createStorage: createWatchCache,
  });
}
