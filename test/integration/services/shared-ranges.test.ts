import { describeSharedRanges } from '../../../src/registry/core/services/testing/shared-ranges-suite.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';

for (const version of etcdVersions) {
  describeSharedRanges({
    name: `etcd ${version}`,
    open: async () => {
      const etcd = await EtcdServer.start({ version });
      const stores = [new EtcdStore({ endpoints: [etcd.url] }), new EtcdStore({ endpoints: [etcd.url] })] as const;
      return {
        stores,
        async [Symbol.asyncDispose]() {
          for (const store of stores) await store[Symbol.asyncDispose]();
          await etcd[Symbol.asyncDispose]();
        },
      };
    },
  });
}
