/** What informers read through a client, against a server. */
import { expect, onTestFinished, test } from 'vitest';
import type { SourceOptions } from '../../../src/client/resources/resource-client.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { KubeObject } from '../../../src/machinery/object-meta.ts';
import { Informer } from '../../../src/reconcile/informer.ts';
import { describeSourceContract, type SourceFixture } from '../../../src/reconcile/testing/source-contract.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { startClientServer } from './client-server.ts';

const namespace = 'default';

async function open(
  contentType: string,
  options: SourceOptions,
  asMetadata = false,
): Promise<SourceFixture<KubeObject>> {
  const shared = await startClientServer();
  const proxy = await TcpProxy.start(Number(new URL(shared.server.url).port));
  const reader = shared.connect({ contentType }, { url: `https://127.0.0.1:${proxy.port}` });
  const secrets = shared.client.core.v1.secrets.namespace(namespace);
  const read = reader.core.v1.secrets.namespace(namespace);
  const { store } = shared.server;
  await store.compact((await store.get('/')).revision);
  let updates = 0;
  const versionOf = ({ metadata }: KubeObject): string => metadata!.resourceVersion!;
  return {
    source: asMetadata ? read.asMetadata().source(options) : read.source(options),
    namespace,
    create: async (name, labels = {}) => versionOf(await secrets.create({ metadata: { name, labels: { ...labels } } })),
    update: async (name) =>
      versionOf(await secrets.patch(name, { merge: { metadata: { annotations: { update: String(++updates) } } } })),
    async remove(name) {
      await secrets.delete(name);
      return (await secrets.list()).metadata!.resourceVersion!;
    },
    expiredVersion: () => Promise.resolve('1'),
    breakWatches: () => proxy.cut(),
    async [Symbol.asyncDispose]() {
      await shared[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

describeSourceContract('a client in protobuf, in pages of 2', () => open('protobuf', { pageSize: 2 }));
describeSourceContract('a client in protobuf, by streams', () => open('protobuf', { streamLists: true }));
describeSourceContract('a client in JSON, by streams', () => open('application/json', { streamLists: true }));
describeSourceContract('a client of the metadata alone', () => open('protobuf', {}, true));

test('Objects come without managed fields where they are not wanted', async () => {
  const shared = await startClientServer();
  onTestFinished(() => shared[Symbol.asyncDispose]());
  const maps = shared.client.core.v1.configmaps.namespace(namespace);
  await maps.create({ metadata: { name: 'listed' } });
  for (const streamLists of [false, true]) {
    const name = `watched-${streamLists}`;
    const informer = new Informer({ source: maps.source({ dropManagedFields: true, streamLists }), log: silentLogger });
    onTestFinished(() => informer.stop());
    const seen = new Promise<void>((resolve) =>
      informer.addHandler({ onAdd: ({ metadata }) => (metadata.name === name ? resolve() : undefined) }),
    );
    informer.start();
    await informer.synced();
    await maps.create({ metadata: { name } });
    await seen;
    const kept = [...informer.objects.values()].map(({ metadata }) => metadata.managedFields);
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.every((fields) => fields === undefined)).toBe(true);
  }
});
