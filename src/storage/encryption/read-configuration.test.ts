import { describe, expect, test } from 'vitest';
import { readEncryptionConfiguration } from './read-configuration.ts';
import { checkEncryptionConfiguration } from './encryption.ts';
import { joined } from '../../../test/support/patterns.ts';

const key = { name: 'key1', secret: Buffer.alloc(32, 1).toString('base64') };
const kms = { apiVersion: 'v2', name: 'foo', endpoint: 'unix:///tmp/kms.sock', timeout: '5s' };
const header = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' };
const one = (provider: object, ...resources: string[]): object => ({
  ...header,
  resources: [{ resources: resources.length === 0 ? ['secrets'] : resources, providers: [provider] }],
});
const read = (document: object, reload = false): unknown =>
  readEncryptionConfiguration(JSON.stringify(document), reload);

describe('an EncryptionConfiguration', () => {
  test('An EncryptionConfiguration is read with its defaults', () => {
    const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets, '*.apps']
    providers:
      - aescbc: { keys: [{ name: key1, secret: ${key.secret} }] }
      - kms: { name: one, endpoint: unix:///run/one.sock }
      - kms: { apiVersion: v2, name: two, endpoint: unix:///run/two.sock, timeout: 1500ms }
      - identity: {}
`;
    expect(readEncryptionConfiguration(text, false)).toEqual({
      resources: [
        {
          resources: ['secrets', '*.apps'],
          providers: [
            { aescbc: { keys: [key] } },
            {
              kms: {
                apiVersion: 'v1',
                name: 'one',
                endpoint: 'unix:///run/one.sock',
                cacheSize: 1000,
                timeoutMs: 3000,
              },
            },
            {
              kms: {
                apiVersion: 'v2',
                name: 'two',
                endpoint: 'unix:///run/two.sock',
                cacheSize: undefined,
                timeoutMs: 1500,
              },
            },
            { identity: {} },
          ],
        },
      ],
    });
  });

  test.each([
    { apiVersion: 'apiserver.config.orch.io/v1', kind: 'EncryptionConfiguration' },
    { apiVersion: 'apiserver.orch.io/v1', kind: 'EncryptionConfiguration' },
    { apiVersion: 'v1', kind: 'EncryptionConfig' },
  ])('An EncryptionConfiguration is also $kind of $apiVersion', (spelling) => {
    expect(read({ ...one({ identity: {} }), ...spelling })).toEqual({
      resources: [{ resources: ['secrets'], providers: [{ identity: {} }] }],
    });
  });

  test.each([
    {
      name: 'another kind',
      document: { ...one({ identity: {} }), kind: 'EncryptionConfig' },
      message: 'no kind "EncryptionConfig" is registered for version "apiserver.config.k8s.io/v1"',
    },
    { name: 'no object', document: [], message: 'it holds no EncryptionConfiguration' },
    {
      name: 'a misspelled member',
      document: { ...header, resources: [{ resources: ['secrets'], providers: [{ identity: {} }], provider: [] }] },
      message: 'strict decoding error: unknown field "resources[0].provider"',
    },
    {
      name: 'a misspelled provider',
      document: one({ aesgmc: { keys: [key] } }),
      message: 'strict decoding error: unknown field "resources[0].providers[0].aesgmc"',
    },
    {
      name: 'another type',
      document: one({ aescbc: { keys: 'x' } }),
      message: 'resources[0].providers[0].aescbc.keys: the value is no list',
    },
    {
      name: 'no resources',
      document: { ...header, resources: [] },
      message: 'resources: Required value: at least one resources is required',
    },
    {
      name: 'an empty entry',
      document: { ...header, resources: [{}] },
      message:
        '[resources[0].resources: Required value: at least one resources[0].resources is required, ' +
        'resources[0].providers: Required value: at least one resources[0].providers is required]',
    },
    {
      name: 'a provider without anything',
      document: one({}),
      message: joined(
        /^resources\[0\]\.providers\[0\]: Invalid value: apiserver\.ProviderConfiguration\{AESGCM:.*: provider /,
        /does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity$/,
      ),
    },
    {
      name: 'two providers in one',
      document: one({ aescbc: { keys: [key] }, identity: {} }),
      message: /more than one provider specified in a single element, should split into different list elements$/,
    },
    {
      name: 'no keys',
      document: one({ aescbc: { keys: [] } }),
      message: 'resources[0].providers[0].aescbc.keys: Required value: at least one keys is required',
    },
    {
      name: 'a key without name and secret',
      document: one({ aesgcm: { keys: [{}] } }),
      message:
        '[resources[0].providers[0].aesgcm.keys[0].name: Required value: name is a mandatory field for a key, ' +
        'resources[0].providers[0].aesgcm.keys[0].secret: Required value: secret is a mandatory field for a ' +
        'key]',
    },
    {
      name: 'a secret that is no base64',
      document: one({ secretbox: { keys: [{ name: 'a', secret: '%%%' }] } }),
      message:
        'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    },
    {
      name: 'a secret of another length',
      document: one({ aescbc: { keys: [{ name: 'a', secret: 'YWJj' }] } }),
      message:
        'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the ' +
        'expected length, got 3, expected one of [16 24 32]',
    },
    {
      name: 'a short secret of secretbox',
      document: one({ secretbox: { keys: [{ name: 'a', secret: Buffer.alloc(16).toString('base64') }] } }),
      message:
        'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the ' +
        'expected length, got 16, expected one of [32]',
    },
    {
      name: 'a resource twice',
      document: one({ identity: {} }, 'secrets', 'secrets'),
      message:
        'resources[0].resources: Invalid value: []string{"secrets", "secrets"}: the same resource cannot be ' +
        'specified multiple times',
    },
    {
      name: 'resources that mask each other',
      document: one({ identity: {} }, 'secrets', '*.'),
      message:
        'resources[0].resources: Invalid value: []string{"secrets", "*."}: using overlapping resources such as ' +
        `'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
    },
    {
      name: 'a star alone',
      document: one({ identity: {} }, '*'),
      message:
        `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API ` +
        'group or *.* to encrypt all resources',
    },
    {
      name: 'a resource of all groups',
      document: one({ identity: {} }, 'secrets.*'),
      message:
        'resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across ' +
        'groups is not supported',
    },
    {
      name: 'capital letters',
      document: one({ identity: {} }, 'configMaps'),
      message:
        'resources[0].resources[0]: Invalid value: "configMaps": resource name should not contain capital letters',
    },
    {
      name: 'what has no API',
      document: one({ identity: {} }, 'serviceipallocations'),
      message:
        'resources[0].resources[0]: Invalid value: "serviceipallocations": resources which do not have REST ' +
        'API/s cannot be encrypted',
    },
    {
      name: 'events of the other group',
      document: one({ identity: {} }, 'events.events.k8s.io'),
      message:
        `resources[0].resources[0]: Invalid value: "events.events.k8s.io": '*.events.k8s.io' objects are stored ` +
        `using the 'events' API group in etcd. Use 'events' instead in the config file`,
    },
    {
      name: 'a group that is gone',
      document: one({ identity: {} }, 'ingresses.extensions'),
      message:
        `resources[0].resources[0]: Invalid value: "ingresses.extensions": 'extensions' group has been removed ` +
        'and cannot be used for encryption',
    },
    {
      name: 'a plugin without anything',
      document: one({ kms: {} }),
      message:
        '[resources[0].providers[0].kms.name: Required value: name is a mandatory field for a provider, ' +
        'resources[0].providers[0].kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms]',
    },
    {
      name: 'a plugin over TCP',
      document: one({ kms: { ...kms, endpoint: 'tcp://localhost:1' } }),
      message:
        'resources[0].providers[0].kms.endpoint: Invalid value: "tcp://localhost:1": unsupported scheme "tcp" ' +
        'for KMS provider, only unix is supported',
    },
    {
      name: 'a colon in the name of a plugin',
      document: one({ kms: { ...kms, name: 'a:b' } }),
      message:
        'resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, ' +
        `must not contain ':'`,
    },
    {
      name: 'no time',
      document: one({ kms: { ...kms, timeout: '0s' } }),
      message: 'resources[0].providers[0].kms.timeout: Invalid value: 0s: timeout should be a positive value',
    },
    {
      name: 'a cache size for v2',
      document: one({ kms: { ...kms, cachesize: 10 } }),
      message: 'resources[0].providers[0].kms.cachesize: Invalid value: 10: cachesize is not supported in v2',
    },
    {
      name: 'a cache of nothing for v1',
      document: one({ kms: { ...kms, apiVersion: 'v1', cachesize: 0 } }),
      message:
        'resources[0].providers[0].kms.cachesize: Invalid value: 0: cachesize should be a positive value, or ' +
        'negative to disable',
    },
    {
      name: 'another version',
      document: one({ kms: { ...kms, apiVersion: 'v3' } }),
      message:
        'resources[0].providers[0].kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for ' +
        'KMS provider, only v1 and v2 are supported',
    },
  ])('An EncryptionConfiguration is refused with $name', ({ document, message }) => {
    expect(() => read(document)).toThrow(typeof message === 'string' ? new Error(message) : message);
  });

  test('KMS v1 plugins can share a name, unless the document is read again', () => {
    const twice = {
      ...header,
      resources: [
        {
          resources: ['secrets'],
          providers: [{ kms: { ...kms, apiVersion: 'v1' } }, { kms: { ...kms, apiVersion: 'v1' } }],
        },
      ],
    };
    expect(() => read(twice)).not.toThrow();
    expect(() => read(twice, true)).toThrow(
      'resources[0].providers[1].kms.name: Invalid value: "foo": duplicate KMS provider name foo, names must be unique',
    );
  });
});

describe('what a server can be started with', () => {
  const check =
    (document: object | string, kmsV1 = false) =>
    (): void =>
      checkEncryptionConfiguration(typeof document === 'string' ? document : JSON.stringify(document), {
        reload: false,
        kmsV1,
      });

  test('KMS v1 needs its gate', () => {
    const v1 = one({ kms: { ...kms, apiVersion: 'v1' } });
    expect(check(v1)).toThrow(
      'error while building transformers: KMSv1 is deprecated and will only receive security updates going ' +
        'forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
    );
    expect(check(v1, true)).not.toThrow();
  });

  test.each([
    { name: 'an empty file', document: '', message: 'the encryption provider configuration file is empty' },
    {
      name: 'a wrong document',
      document: { ...header, resources: [] },
      message: 'error while parsing file: resources: Required value: at least one resources is required',
    },
    {
      name: 'a masked rule',
      document: {
        ...header,
        resources: [
          { resources: ['*.*'], providers: [{ identity: {} }] },
          { resources: ['secrets'], providers: [{ identity: {} }] },
        ],
      },
      message: 'error while building transformers: resource "secrets" is masked by earlier rule "*.*"',
    },
  ])('A server does not start with $name as its encryption configuration', ({ document, message }) => {
    expect(check(document)).toThrow(new Error(message));
  });
});
