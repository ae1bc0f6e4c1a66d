import { afterAll, beforeAll, describe } from 'vitest';
import { describeInterleavings } from '../../../src/registry/core/services/testing/interleavings-suite.ts';
import {
  describeSharedRanges,
  type SharedStores,
} from '../../../src/registry/core/services/testing/shared-ranges-suite.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';

describe.each(etcdVersions)('etcd %s', (version) => {
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await EtcdServer.start({ version });
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  /** Two clients, and nothing in the store. */
  const open = async (): Promise<SharedStores> => {
    const stores = [new EtcdStore({ endpoints: [etcd.url] }), new EtcdStore({ endpoints: [etcd.url] })] as const;
    const { kvs } = await stores[0].list('/registry/', { keysOnly: true });
    for (const { key, modRevision } of kvs) await stores[0].delete(key, modRevision);
    return {
      stores,
      async [Symbol.asyncDispose]() {
        for (const store of stores) await store[Symbol.asyncDispose]();
      },
    };
  };
  describeSharedRanges({ name: `etcd ${version}`, open });
  describeInterleavings({ name: `etcd ${version}`, open });
});
