import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Encryption } from '../../../src/storage/encryption/encryption.ts';
import { noObserver } from '../../../src/storage/encryption/observer.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import { encryptionConfiguration, EncryptedCluster } from '../../support/encrypted.ts';
import { KmsPlugin } from '../../support/kms-plugin.ts';
import { joined } from '../../support/patterns.ts';

const secrets = '/api/v1/namespaces/default/secrets';
const secret = (name: string): object => ({ metadata: { name }, stringData: { password: 'open sesame' } });
const password = { password: Buffer.from('open sesame').toString('base64') };
const patience = { timeout: 20_000, interval: 20 };

let directory: string;
let plugin: KmsPlugin;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-kms-'));
  plugin = new KmsPlugin(path.join(directory, 'kms.sock'));
});
afterEach(async () => {
  await plugin.stop();
  await rm(directory, { recursive: true });
});

const kms = (more: object = {}): object => ({
  kms: { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint, timeout: '1s', ...more },
});
const rules = (...providers: object[]): { resources: string[]; providers: object[] }[] => [
  { resources: ['secrets'], providers },
];

describe('KMS v2, on etcd', () => {
  test('Values under KMS v2 are encrypted with a key that the plugin encrypted once for all servers', async () => {
    await plugin.start();
    await using cluster = await EncryptedCluster.start();
    const writer = await cluster.server(rules(kms(), { identity: {} }));
    for (const name of ['a', 'b', 'c'])
      expect((await writer.client.send('POST', secrets, secret(name))).status).toBe(201);
    const stored = await cluster.stored('/registry/secrets/default/a');
    expect(stored.subarray(0, 22).toString()).toBe('k8s:enc:kms:v2:vault:\n');
    expect(stored.includes('open sesame')).toBe(false);
    expect(plugin.calls.get('Encrypt')).toBe(1);
    expect(plugin.calls.get('Decrypt')).toBeUndefined();
    const reader = await cluster.server(rules(kms(), { identity: {} }));
    expect((await reader.client.send('GET', `${secrets}/b`)).object['data']).toEqual(password);
    expect((await reader.client.send('GET', secrets)).object['items']).toHaveLength(3);
    expect(plugin.calls.get('Decrypt')).toBe(1);
    for (const endpoint of ['healthz', 'readyz'])
      expect((await reader.client.send('GET', `/${endpoint}/kms-providers`)).status).toBe(200);
    expect((await reader.client.send('GET', '/livez/kms-providers')).status).toBe(404);
    const metrics = (await reader.client.send('GET', '/metrics')).body.toString();
    expect(metrics).toMatch(
      joined(
        /^apiserver_envelope_encryption_key_id_hash_total\{transformation_type="from_storage",provider_name="vault"/m,
        /,key_id_hash="sha256:[0-9a-f]{64}",apiserver_id_hash="sha256:[0-9a-f]{64}"\} [1-9]/m,
      ),
    );
    expect(metrics).toMatch(
      joined(
        /^apiserver_envelope_encryption_kms_operations_latency_seconds_count\{provider_name="vault",method_name="\//m,
        /v2\.KeyManagementService\/Decrypt",grpc_status_code="OK"\} 1$/m,
      ),
    );
    expect(metrics).toMatch(/^apiserver_storage_envelope_transformation_cache_misses_total 1$/m);
    expect(metrics).toMatch(/^apiserver_envelope_encryption_dek_source_cache_size\{provider_name="vault"\} 1$/m);
    // Without the plugin, what is known goes on.
    await plugin.stop();
    expect((await reader.client.send('GET', `${secrets}/c`)).object['data']).toEqual(password);
    expect((await writer.client.send('POST', secrets, secret('d'))).status).toBe(201);
    expect((await cluster.stored('/registry/secrets/default/d')).toString('latin1')).toMatch(/^k8s:enc:kms:v2:vault:/);
  });

  test('A plugin that comes after the server: until then values are refused, then they are there', async () => {
    await using cluster = await EncryptedCluster.start();
    await plugin.start();
    const writer = await cluster.server(rules(kms()));
    expect((await writer.client.send('POST', secrets, secret('early'))).status).toBe(201);
    await plugin.stop();
    const late = await cluster.server(rules(kms()), ['--encryption-provider-config-automatic-reload=true']);
    const refused = await late.client.send('GET', `${secrets}/early`);
    expect([refused.status, refused.object['message']]).toEqual([
      500,
      'Internal error occurred: got unexpected nil transformer',
    ]);
    expect((await late.client.send('POST', secrets, secret('more'))).status).toBe(500);
    expect((await late.client.send('GET', '/healthz/kms-providers')).status).toBe(500);
    await plugin.start();
    // Each question to the health check asks the plugin, three seconds after a bad answer at the earliest.
    await vi.waitFor(
      async () => expect((await late.client.send('GET', '/healthz/kms-providers')).status).toBe(200),
      patience,
    );
    expect((await late.client.send('GET', `${secrets}/early`)).object['data']).toEqual(password);
    expect((await late.client.send('GET', secrets)).object['items']).toHaveLength(1);
  });

  test('KMS v1, behind its gate, has a key for each value, and a health check for each plugin', async () => {
    await plugin.start();
    await using cluster = await EncryptedCluster.start();
    const v1 = rules(kms({ apiVersion: 'v1', name: 'old' }), { identity: {} });
    const writer = await cluster.server(v1, ['--feature-gates=KMSv1=true']);
    for (const name of ['a', 'b']) expect((await writer.client.send('POST', secrets, secret(name))).status).toBe(201);
    expect((await cluster.stored('/registry/secrets/default/a')).toString('latin1')).toMatch(/^k8s:enc:kms:v1:old:\0/);
    const reader = await cluster.server(v1, ['--feature-gates=KMSv1=true']);
    expect((await reader.client.send('GET', secrets)).object['items']).toHaveLength(2);
    expect(plugin.calls.get('Decrypt')).toBeGreaterThanOrEqual(2);
    expect((await reader.client.send('GET', '/healthz/kms-provider-0')).status).toBe(200);
    expect((await reader.client.send('GET', '/healthz/kms-providers')).status).toBe(404);
    // A move to v2 keeps v1 to read with.
    const both = await cluster.server(rules(kms(), kms({ apiVersion: 'v1', name: 'old' })), [
      '--feature-gates=KMSv1=true',
    ]);
    const { object } = await both.client.send('GET', `${secrets}/a`);
    expect((await both.client.send('PUT', `${secrets}/a`, object)).status).toBe(200);
    expect((await cluster.stored('/registry/secrets/default/a')).toString('latin1')).toMatch(/^k8s:enc:kms:v2:vault:/);
  });
});

describe('KMS v2, over time', () => {
  const key = '/registry/secrets/default/one';
  const value = Buffer.from('in the clear');

  /** The store, and the encryption on a clock that the test turns. */
  async function open(clock: FakeClock) {
    const store = await openEmbeddedStore();
    const encryption = await Encryption.open({
      text: encryptionConfiguration(rules(kms())),
      kmsV1: false,
      observer: noObserver,
      log: silentLogger,
      clock,
    });
    const encrypted = encryption.wrap(store, { group: '', resource: 'secrets' });
    return {
      store,
      encrypted,
      encryption,
      check: () => encryption.healthChecks[0]!.check(),
      async [Symbol.asyncDispose]() {
        await encryption.close();
        await store[Symbol.asyncDispose]();
      },
    };
  }

  test('After the KMS plugin changes its key, values are written with it, and old ones are stale', async () => {
    await plugin.start();
    const clock = new FakeClock();
    await using under = await open(clock);
    const { revision } = await under.encrypted.create(key, value);
    expect(await under.encrypted.isStale!(key, revision)).toBe(false);
    plugin.keyId = 'key-2';
    await clock.advance(60_000);
    await under.check();
    expect((await under.encrypted.get(key)).kv!.value).toEqual(value);
    expect(await under.encrypted.isStale!(key, revision)).toBe(true);
    const written = await under.encrypted.update(key, value, revision);
    expect(await under.encrypted.isStale!(key, written.revision)).toBe(false);
    expect((await under.store.get(key)).kv!.value.includes('key-2')).toBe(true);
    expect(plugin.calls.get('Encrypt')).toBe(2);
  });

  test('Without the KMS plugin known keys are read, the health check fails, and writes are refused', async () => {
    await plugin.start();
    const clock = new FakeClock();
    await using under = await open(clock);
    const { revision } = await under.encrypted.create(key, value);
    await plugin.stop();
    await clock.advance(30_000);
    await expect(under.check()).rejects.toThrow(
      joined(
        /^kms-provider-0: failed to perform status section of the healthz check for KMS Provider vault, error: rpc /,
        /error: code = DeadlineExceeded desc = context deadline exceeded$/,
      ),
    );
    const { revision: second } = await under.encrypted.update(key, value, revision);
    await clock.advance(151_000);
    await expect(under.encrypted.update(key, value, second)).rejects.toThrow(
      /^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at \S+Z \(current time is \S+Z\)$/,
    );
    expect((await under.encrypted.get(key)).kv!.value).toEqual(value);
    await plugin.start();
    await vi.waitFor(async () => {
      await clock.advance(5_000);
      await under.check();
    }, patience);
    expect((await under.encrypted.update(key, value, second)).applied).toBe(true);
  });

  test.each([
    {
      name: 'says that it is not well',
      change: () => (plugin.healthz = 'tired'),
      message: 'kms-provider-0: kmsv2 Provider vault is not healthy, error: got unexpected healthz status: tired',
    },
    {
      name: 'names no key',
      change: () => (plugin.keyId = ''),
      message:
        'kms-provider-0: kmsv2 Provider vault is not healthy, error: got invalid KMSv2 KeyID hash "": keyID is empty',
    },
    {
      name: 'names too long a key',
      change: () => (plugin.keyId = 'k'.repeat(1025)),
      message:
        /got invalid KMSv2 KeyID hash "sha256:[0-9a-f]{64}": keyID is 1025 bytes, which exceeds the max size of 1024$/,
    },
  ])(
    'A plugin that $name is not well, and values go on being written with the key before',
    async ({ change, message }) => {
      await plugin.start();
      const clock = new FakeClock();
      await using under = await open(clock);
      change();
      await clock.advance(30_000);
      await expect(under.check()).rejects.toThrow(typeof message === 'string' ? new Error(message) : message);
      await under.encrypted.create(key, value);
      expect((await under.encrypted.get(key)).kv!.value).toEqual(value);
    },
  );

  test('A value that was moved to another key, or changed, is refused', async () => {
    await plugin.start();
    await using under = await open(new FakeClock());
    await under.encrypted.create(key, value);
    const stored = (await under.store.get(key)).kv!.value;
    await under.store.create('/registry/secrets/default/two', stored);
    expect((await under.encrypted.get('/registry/secrets/default/two')).kv).toMatchObject({
      value: Buffer.alloc(0),
      unreadable: new Error('cipher: message authentication failed'),
    });
    await under.store.create(
      '/registry/secrets/default/three',
      Buffer.concat([stored.subarray(0, 21), Buffer.from('nonsense')]),
    );
    expect(
      (await under.encrypted.list('/registry/secrets/')).kvs.map(({ unreadable }) => unreadable !== undefined),
    ).toEqual([false, true, true]);
  });
});
