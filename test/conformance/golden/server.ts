import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startControlPlane } from '../../../src/cmd/control-plane.ts';
import { startApiServer } from '../../../src/apiserver/api-server.ts';
import { serverConfig } from '../../../src/cmd/start-api-server.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import type { Store } from '../../../src/storage/interface.ts';
import type { RegistryCatalog } from '../../../src/registry/catalog.ts';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { Client } from './client.ts';
import type { ReplayTarget } from './replay.ts';

export interface GoldenServer extends ReplayTarget {
  close(): Promise<void>;
}

export type GoldenStore = 'etcd' | 'embedded';

/** A store with nothing in it, and what ends it. */
async function openStore(kind: GoldenStore): Promise<{ readonly store: Store; close(): Promise<void> }> {
  if (kind === 'embedded') {
    const store = await openEmbeddedStore();
    return { store, close: async () => store[Symbol.asyncDispose]() };
  }
  const etcd = await startAnyEtcd();
  const store = new EtcdStore({ endpoints: [etcd.url] });
  return {
    store,
    close: async () => {
      await store[Symbol.asyncDispose]();
      await etcd[Symbol.asyncDispose]();
    },
  };
}

/**
 * A server with the users and ranges of the recorded one.
 *
 * @param keepsIdentity The recordings compare versions of lists: only the cases may write, so that no identity lease is
 *   renewed in between, unless this is set.
 */
export async function startGoldenServer(kind: GoldenStore, keepsIdentity = false): Promise<GoldenServer> {
  const { store, close } = await openStore(kind);
  try {
    return await serve(store, close, keepsIdentity);
  } catch (error) {
    await close();
    throw error;
  }
}

async function serve(store: Store, closeStore: () => Promise<void>, keepsIdentity: boolean): Promise<GoldenServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-golden-'));
  const tokens = path.join(directory, 'tokens.csv');
  await writeFile(tokens, 'admintoken,admin,1,"system:masters"\nusertoken,alice,2,"devs"\n');
  let catalog: RegistryCatalog | undefined;
  const flags = [
    `--token-auth-file=${tokens}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    '--endpoint-reconciler-type=none',
    `--feature-gates=APIServerIdentity=${keepsIdentity}`,
    '--service-account-issuer=https://localhost:7643',
    '--authorization-mode=RBAC',
    // The default of kube-apiserver: objects of a collection are deleted in their order.
    '--delete-collection-workers=1',
  ];
  const controlPlane = await startControlPlane({ flags }, async (config) => {
    const server = await startApiServer(serverConfig(config, { main: store, overrides: new Map() }));
    catalog = server.catalog;
    // What is made in the background would come between the cases.
    return {
      url: `https://127.0.0.1:${server.port}`,
      ready: server.settled,
      handle: server.handle,
      close: () => server.close(),
    };
  });
  const { port } = new URL(controlPlane.url);
  const ca = /certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!;
  const client = new Client(Number(port), Buffer.from(ca, 'base64').toString());
  for (const name of ['golden', 'golden-limits']) {
    await client.send({
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { authorization: 'Bearer admintoken', 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ metadata: { name } })),
    });
  }
  // Every authenticated user of the recorded server could read these paths too.
  const wellKnown = [
    {
      path: 'clusterroles',
      body: {
        metadata: { name: 'well-known' },
        rules: [{ nonResourceURLs: ['/.well-known', '/.well-known/*'], verbs: ['get'] }],
      },
    },
    {
      path: 'clusterrolebindings',
      body: {
        metadata: { name: 'well-known' },
        roleRef: { kind: 'ClusterRole', name: 'well-known' },
        subjects: [{ kind: 'Group', name: 'system:authenticated' }],
      },
    },
  ];
  for (const { path: resource, body } of wellKnown) {
    await client.send({
      method: 'POST',
      path: `/apis/rbac.authorization.k8s.io/v1/${resource}`,
      headers: { authorization: 'Bearer admintoken', 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    });
  }
  // The recorded server had dropped its first revisions.
  await store.compact(await store.currentRevision());
  return {
    client,
    compact: async () => {
      const revision = await store.currentRevision();
      await store.compact(revision);
      catalog?.compacted(store, revision);
    },
    close: async () => {
      client.close();
      await controlPlane.close();
      await closeStore();
      await rm(directory, { recursive: true });
    },
  };
}
