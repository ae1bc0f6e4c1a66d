import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { describeStoreContract } from '../../../src/storage/testing/store-contract.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

for (const version of etcdVersions) {
  describeStoreContract({
    name: `etcd ${version}`,
    create: async () => {
      const etcd = await EtcdServer.start({ version });
      const proxy = await TcpProxy.start(etcd.port);
      const open = (): EtcdStore => new EtcdStore({ endpoints: [`http://127.0.0.1:${proxy.port}`] });
      const store = open();
      return {
        store,
        openAnother: async () => open(),
        cutConnections: async () => proxy.cut(),
        async [Symbol.asyncDispose]() {
          await store[Symbol.asyncDispose]();
          await proxy[Symbol.asyncDispose]();
          await etcd[Symbol.asyncDispose]();
        },
      };
    },
  });
}
