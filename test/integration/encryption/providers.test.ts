import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiClient } from '../../support/api-client.ts';
import { EncryptedCluster, namedKey } from '../../support/encrypted.ts';
import { joined } from '../../support/patterns.ts';

const secrets = '/api/v1/namespaces/default/secrets';
const secret = (name: string): object => ({ metadata: { name }, stringData: { password: 'open sesame' } });
const passwordOf = async (client: ApiClient, name: string): Promise<unknown> =>
  ((await client.send('GET', `${secrets}/${name}`)).object['data'] as { password?: string } | undefined)?.password;
const password = Buffer.from('open sesame').toString('base64');
const keyOf = (name: string): string => `/registry/secrets/default/${name}`;
const rulesOf = (...providers: object[]): { resources: string[]; providers: object[] }[] => [
  { resources: ['secrets'], providers },
];
const patience = { timeout: 20_000, interval: 20 };

describe.each(['3.4', '3.5'] as const)('values in etcd %s', (version) => {
  let cluster: EncryptedCluster;
  beforeAll(async () => {
    cluster = await EncryptedCluster.start(version);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(['aescbc', 'aesgcm', 'secretbox'])(
    'Values in etcd are encrypted by %s, and read by every server that has the key',
    async (provider) => {
      const rules = rulesOf({ [provider]: { keys: [namedKey('key1', 1)] } }, { identity: {} });
      const [one, other] = [await cluster.server(rules), await cluster.server(rules)];
      expect((await one.client.send('POST', secrets, secret(provider))).status).toBe(201);
      const stored = await cluster.stored(keyOf(provider));
      expect(stored.toString('latin1')).toMatch(new RegExp(`^k8s:enc:${provider}:v1:key1:`));
      expect(stored.includes('open sesame')).toBe(false);
      expect(await passwordOf(other.client, provider)).toBe(password);
      const { object } = await other.client.send('GET', secrets);
      expect((object['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name)).toContain(
        provider,
      );
      const watch = await other.client.watch(
        `${secrets}?watch=true&resourceVersion=${String(object.metadata?.resourceVersion)}`,
      );
      await one.client.send(
        'PATCH',
        `${secrets}/${provider}`,
        { metadata: { labels: { seen: 'yes' } } },
        { contentType: 'application/merge-patch+json' },
      );
      const [event] = await watch.until((events) => events.length === 1);
      expect(event!.object['data']).toEqual({ password });
      expect((await cluster.stored(keyOf(provider))).toString('latin1')).toMatch(/^k8s:enc:/);
      // Other resources are not configured.
      await one.client.send('POST', '/api/v1/namespaces/default/configmaps', {
        metadata: { name: provider },
        data: { a: 'plain' },
      });
      expect((await cluster.stored(`/registry/configmaps/default/${provider}`)).includes('plain')).toBe(true);
      expect((await one.client.send('DELETE', `${secrets}/${provider}`)).status).toBe(200);
      await cluster.close(one);
      await cluster.close(other);
    },
  );

  test('Values in etcd under an old key are written anew by an update that changes nothing', async () => {
    const before = await cluster.server(rulesOf({ identity: {} }));
    const created = (await before.client.send('POST', secrets, secret('rotated'))).object;
    await cluster.close(before);
    const now = await cluster.server(rulesOf({ aescbc: { keys: [namedKey('new', 2)] } }, { identity: {} }));
    expect(await passwordOf(now.client, 'rotated')).toBe(password);
    expect((await cluster.stored(keyOf('rotated'))).includes('open sesame')).toBe(true);
    // Trying it out changes nothing.
    await now.client.send('PUT', `${secrets}/rotated?dryRun=All`, created);
    expect((await cluster.stored(keyOf('rotated'))).includes('open sesame')).toBe(true);
    const replaced = await now.client.send('PUT', `${secrets}/rotated`, created);
    expect([replaced.status, replaced.object['message']]).toEqual([200, undefined]);
    expect(replaced.object.metadata!.resourceVersion).not.toBe(created.metadata!.resourceVersion);
    expect((await cluster.stored(keyOf('rotated'))).toString('latin1')).toMatch(/^k8s:enc:aescbc:v1:new:/);
    // What is as it should be stays as it is.
    const again = await now.client.send('PUT', `${secrets}/rotated`, replaced.object);
    expect(again.object.metadata!.resourceVersion).toBe(replaced.object.metadata!.resourceVersion);
    await now.client.send('DELETE', `${secrets}/rotated`);
    await cluster.close(now);
  });

  test('Without its key an object and each list with it are refused, and other objects are read', async () => {
    const good = rulesOf({ aesgcm: { keys: [namedKey('good', 3)] } });
    const writer = await cluster.server(good);
    await writer.client.send('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    await writer.client.send('POST', secrets, secret('locked'));
    await writer.client.send('POST', '/api/v1/namespaces/other/secrets', secret('elsewhere'));
    const others = rulesOf({ secretbox: { keys: [namedKey('wrong', 4)] } }, { identity: {} });
    const reader = await cluster.server(others, ['--encryption-provider-config-automatic-reload=true']);
    await reader.client.send('POST', secrets, secret('own'));
    expect(await passwordOf(reader.client, 'own')).toBe(password);
    const get = await reader.client.send('GET', `${secrets}/locked`);
    expect([get.status, get.object['reason'], get.object['message']]).toEqual([
      500,
      'InternalError',
      'Internal error occurred: no matching prefix found',
    ]);
    const list = await reader.client.send('GET', secrets);
    expect([list.status, list.object['message']]).toEqual([
      500,
      'Internal error occurred: unable to transform key "/registry/secrets/default/locked": no matching prefix found',
    ]);
    expect((await reader.client.send('DELETE', `${secrets}/locked`)).status).toBe(500);
    await reader.configure(
      rulesOf(
        { secretbox: { keys: [namedKey('wrong', 4)] } },
        { aesgcm: { keys: [namedKey('good', 3)] } },
        { identity: {} },
      ),
    );
    await vi.waitFor(
      async () => expect((await reader.client.send('GET', '/api/v1/secrets')).status).toBe(200),
      patience,
    );
    expect(await passwordOf(reader.client, 'locked')).toBe(password);
    const watch = await reader.client.watch(`${secrets}?watch=true`);
    expect(
      (await watch.until((events) => events.some(({ object }) => object.metadata?.name === 'locked'))).length,
    ).toBeGreaterThan(0);
    for (const name of ['locked', 'own']) await reader.client.send('DELETE', `${secrets}/${name}`);
    await cluster.close(reader);
    await cluster.close(writer);
  });

  test('A server that knows of no encryption says so', async () => {
    const writer = await cluster.server(rulesOf({ aescbc: { keys: [namedKey('key1', 5)] } }, { identity: {} }));
    await writer.client.send('POST', secrets, secret('foreign'));
    const plain = await cluster.server(undefined);
    const { status, object } = await plain.client.send('GET', `${secrets}/foreign`);
    expect([status, object['message']]).toEqual([
      500,
      'Internal error occurred: identity transformer tried to read encrypted data',
    ]);
    await writer.client.send('DELETE', `${secrets}/foreign`);
    await cluster.close(plain);
    await cluster.close(writer);
  });
});

describe('a wildcard', () => {
  test('A wildcard encrypts custom resources, events and built-in kinds, except earlier rules', async () => {
    await using cluster = await EncryptedCluster.start();
    const server = await cluster.server([
      { resources: ['configmaps'], providers: [{ identity: {} }] },
      { resources: ['*.*'], providers: [{ aescbc: { keys: [namedKey('all', 6)] } }] },
    ]);
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    await server.client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    await vi.waitFor(async () => expect((await server.client.send('GET', widgets)).status).toBe(200), patience);
    await server.client.send('POST', widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'one' },
      spec: { a: 1 },
    });
    await server.client.send('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingController: 'a.b/c',
      reportingInstance: 'i',
      action: 'x',
      reason: 'y',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    });
    await server.client.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'plain' },
      data: { a: 'plain' },
    });
    for (const key of [
      '/registry/example.com/widgets/default/one',
      '/registry/events/default/e',
      '/registry/namespaces/default',
    ])
      expect((await cluster.stored(key)).toString('latin1')).toMatch(/^k8s:enc:aescbc:v1:all:/);
    expect((await cluster.stored('/registry/configmaps/default/plain')).toString('latin1')).toMatch(/^k8s\0/);
    // As upstream: what has no API is not spoken of by any rule.
    expect((await cluster.stored('/registry/ranges/serviceips')).toString('latin1')).toMatch(/^k8s\0/);
    const metrics = (await server.client.send('GET', '/metrics')).body.toString();
    expect(metrics).toMatch(
      joined(
        /^apiserver_storage_transformation_operations_total\{resource="widgets\.example\.com",transformation_type="/m,
        /to_storage",transformer_prefix="k8s:enc:aescbc:v1:",status="OK"\} 1$/m,
      ),
    );
    expect(metrics).toMatch(
      joined(
        /^apiserver_storage_transformation_duration_seconds_count\{transformation_type="from_storage",transformer_/m,
        /prefix="all:"\} [1-9]/m,
      ),
    );
  });
});

describe('a configuration that is read again', () => {
  test('A new encryption configuration loses no write; an invalid one is counted and not used', async () => {
    await using cluster = await EncryptedCluster.start();
    const server = await cluster.server(rulesOf({ aescbc: { keys: [namedKey('first', 1)] } }, { identity: {} }), [
      '--encryption-provider-config-automatic-reload=true',
    ]);
    const { client } = server;
    const failures = async (): Promise<number> =>
      Number(
        joined(
          /^apiserver_encryption_config_controller_automatic_reloads_total\{status="failure",apiserver_id_hash="/m,
          /sha256:[0-9a-f]{64}"\} (\d+)$/m,
        ).exec((await client.send('GET', '/metrics')).body.toString())?.[1] ?? 0,
      );
    expect((await client.send('GET', '/healthz/kms-providers')).status).toBe(200);
    expect(
      (await client.send('GET', '/readyz/poststarthook/start-encryption-provider-config-automatic-reload')).status,
    ).toBe(200);
    expect((await client.send('GET', '/livez/kms-providers')).status).toBe(404);

    let [number, writing] = [0, true];
    const writer = (async () => {
      for (; writing; number++) expect((await client.send('POST', secrets, secret(`s${number}`))).status).toBe(201);
    })();
    await server.configure('no document');
    await vi.waitFor(async () => expect(await failures()).toBeGreaterThan(1), patience);
    await server.configure(
      rulesOf({ secretbox: { keys: [namedKey('second', 2)] } }, { aescbc: { keys: [namedKey('first', 1)] } }),
    );
    await vi.waitFor(
      async () =>
        expect((await cluster.stored(keyOf(`s${number - 1}`))).toString('latin1')).toMatch(
          /^k8s:enc:secretbox:v1:second:/,
        ),
      patience,
    );
    writing = false;
    await writer;
    expect((await cluster.stored(keyOf('s0'))).toString('latin1')).toMatch(/^k8s:enc:aescbc:v1:first:/);
    const { object } = await client.send('GET', secrets);
    expect(object['items']).toHaveLength(number);
    expect((await client.send('GET', '/metrics')).body.toString()).toMatch(
      joined(
        /^apiserver_encryption_config_controller_automatic_reloads_total\{status="success",apiserver_id_hash="/m,
        /sha256:[0-9a-f]{64}"\} 1$/m,
      ),
    );
    // The first was written before, and is encrypted by the next update.
    const first = (await client.send('GET', `${secrets}/s0`)).object;
    await client.send('PUT', `${secrets}/s0`, first);
    expect((await cluster.stored(keyOf('s0'))).toString('latin1')).toMatch(/^k8s:enc:secretbox:v1:second:/);
  });
});
