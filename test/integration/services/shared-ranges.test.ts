import { afterAll, beforeAll } from 'vitest';
import { describeSharedRanges } from '../../../src/registry/core/services/testing/shared-ranges-suite.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { EtcdServer } from '../../support/etcd.ts';

let etcd: EtcdServer;

beforeAll(async () => {
  etcd = await EtcdServer.start();
});
afterAll(() => etcd[Symbol.asyncDispose]());

describeSharedRanges({
  name: 'etcd',
  open: async () => {
    const stores = [new EtcdStore({ endpoints: [etcd.url] }), new EtcdStore({ endpoints: [etcd.url] })] as const;
    await clear(stores[0]);
    return {
      stores,
      [Symbol.asyncDispose]: async () => {
        for (const store of stores) await store[Symbol.asyncDispose]();
      },
    };
  },
});

/** What the test before has left. */
async function clear(store: EtcdStore): Promise<void> {
  const { kvs } = await store.list('/registry/', { keysOnly: true });
  for (const { key, modRevision } of kvs) await store.delete(key, modRevision);
}
