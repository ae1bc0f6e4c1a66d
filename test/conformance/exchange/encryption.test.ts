/** One etcd, two servers, one EncryptionConfiguration: what one encrypts the other reads, changes and deletes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiClient } from '../../support/api-client.ts';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { encryptionConfiguration, EncryptedCluster, type EncryptedServer, namedKey } from '../../support/encrypted.ts';
import { KubeApiServer, kubeApiServerPath, noKubeApiServer } from '../../support/kube-apiserver.ts';

const secrets = '/api/v1/namespaces/default/secrets';
const patience = { timeout: 20_000, interval: 50 };

describe.skipIf(kubeApiServerPath === undefined)(
  `values that a kube-apiserver on the same etcd encrypts${noKubeApiServer}`,
  () => {
    describe.each([
      {
        name: 'aescbc',
        prefix: 'k8s:enc:aescbc:v1:key1:',
        provider: { aescbc: { keys: [namedKey('key1', 1), namedKey('key0', 2)] } },
      },
      { name: 'aesgcm', prefix: 'k8s:enc:aesgcm:v1:key1:', provider: { aesgcm: { keys: [namedKey('key1', 3)] } } },
      {
        name: 'secretbox',
        prefix: 'k8s:enc:secretbox:v1:key1:',
        provider: { secretbox: { keys: [namedKey('key1', 4)] } },
      },
    ])('$name', ({ name, prefix, provider }) => {
      // Of its own, so that no server meets what another has encrypted.
      let cluster: EncryptedCluster;
      let directory: string;
      let kube: KubeApiServer;
      let server: EncryptedServer;

      beforeAll(async () => {
        directory = await mkdtemp(path.join(tmpdir(), 'orch-exchange-'));
        cluster = EncryptedCluster.on(await startAnyEtcd());
        const rules = [{ resources: ['secrets'], providers: [provider, { identity: {} }] }];
        const file = path.join(directory, `${name}.yaml`);
        await writeFile(file, encryptionConfiguration(rules));
        kube = await KubeApiServer.start(cluster.etcd.url, [`--encryption-provider-config=${file}`]);
        server = await cluster.server(rules);
      });

      afterAll(async () => {
        await kube?.[Symbol.asyncDispose]();
        await cluster?.[Symbol.asyncDispose]();
        await rm(directory, { recursive: true });
      });

      const data = async (client: ApiClient, secret: string): Promise<unknown> =>
        (await client.send('GET', `${secrets}/${secret}`)).object['data'];

      test.each([
        { direction: 'written here, read there', pick: () => ({ writer: server.client, reader: kube.client }) },
        { direction: 'written there, read here', pick: () => ({ writer: kube.client, reader: server.client }) },
      ])('Values that a kube-apiserver on the same etcd encrypts: $direction', async ({ direction, pick }) => {
        const { writer, reader } = pick();
        const secret = `${name}-${direction.includes('written here') ? 'ours' : 'theirs'}`;
        expect(
          (await writer.send('POST', secrets, { metadata: { name: secret }, stringData: { a: 'open sesame' } })).status,
        ).toBe(201);
        const stored = await cluster.stored(`/registry/secrets/default/${secret}`);
        expect(stored.toString('latin1').slice(0, prefix.length)).toBe(prefix);
        expect(stored.includes('open sesame')).toBe(false);
        await vi.waitFor(
          async () => expect(await data(reader, secret)).toEqual({ a: Buffer.from('open sesame').toString('base64') }),
          patience,
        );
        expect(
          (
            await reader.send(
              'PATCH',
              `${secrets}/${secret}`,
              { stringData: { a: 'changed' } },
              { contentType: 'application/merge-patch+json' },
            )
          ).status,
        ).toBe(200);
        await vi.waitFor(
          async () => expect(await data(writer, secret)).toEqual({ a: Buffer.from('changed').toString('base64') }),
          patience,
        );
        expect((await reader.send('GET', secrets)).object['items']).not.toEqual([]);
        expect((await writer.send('DELETE', `${secrets}/${secret}`)).status).toBe(200);
      });
    });
  },
);
