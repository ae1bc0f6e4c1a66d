import { createCipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { aesCbc, aesGcm, aesGcmWithDerivedKeys } from './aes.ts';
import type { EncryptionConfiguration } from './configuration.ts';
import { readEncryptionConfiguration } from './read-configuration.ts';
import { identity } from './identity.ts';
import { noObserver } from './observer.ts';
import { PrefixTransformers } from './prefix-transformers.ts';
import { createProviders } from './providers.ts';
import { secretbox } from './secretbox.ts';
import type { ValueTransformer } from './transformer.ts';
import { context, value, toStorage, fromStorage } from './testing/transformed.ts';

const flipped = (stored: Buffer, at: number): Buffer => {
  const copy = Buffer.from(stored);
  copy[at < 0 ? copy.length + at : at]! ^= 1;
  return copy;
};

const providers = [
  ...[16, 32].map((bytes) => ({
    name: `aescbc with ${bytes} bytes`,
    make: (fill: number) => aesCbc(Buffer.alloc(bytes, fill)),
    overhead: 16 + 16 - (value.length % 16),
    authenticated: false,
    bound: false,
    wrong: /^invalid/,
  })),
  ...[16, 24, 32].map((bytes) => ({
    name: `aesgcm with ${bytes} bytes`,
    make: (fill: number) => aesGcm(Buffer.alloc(bytes, fill)),
    overhead: 28,
    authenticated: true,
    bound: true,
    wrong: /^cipher: message authentication failed$/,
  })),
  {
    name: 'aesgcm with derived keys',
    make: (fill: number) => aesGcmWithDerivedKeys(Buffer.alloc(32, fill)),
    overhead: 60,
    authenticated: true,
    bound: true,
    wrong: /^cipher: message authentication failed$/,
  },
  {
    name: 'secretbox',
    make: (fill: number) => secretbox(Buffer.alloc(32, fill)),
    overhead: 40,
    authenticated: true,
    bound: false,
    wrong: /^output array was not large enough for encryption$/,
  },
];

describe.each(providers)('$name', ({ make, overhead }) => {
  test('An encryption provider reads what it wrote, with its overhead, as another text each time', () => {
    const [first, second] = [toStorage(make(1)), toStorage(make(1))];
    expect(fromStorage(make(1), first)).toEqual({ value, stale: false });
    expect(first).toHaveLength(value.length + overhead);
    expect(first.equals(second)).toBe(false);
    expect(first.includes(value.subarray(0, 8))).toBe(false);
  });

  test.each([0, 1, 15, 16, 17, 4096])('An encryption provider reads a value of %i bytes', (length) => {
    const plain = Buffer.alloc(length, 'x');
    expect(
      fromStorage(make(1), Buffer.concat(make(1).toStorage(plain, context) as Uint8Array[])).value.equals(plain),
    ).toBe(true);
  });

  test('An encryption provider refuses what is too short', () => {
    expect(() => fromStorage(make(1), Buffer.alloc(11))).toThrow('the stored data was shorter than the required size');
  });
});

// Others can only tell by their padding, which looks right by chance: one in 256 times.
describe.each(providers.filter(({ authenticated }) => authenticated))('$name', ({ make, wrong }) => {
  test('An encryption provider refuses what another key wrote, and what was changed', () => {
    const stored = toStorage(make(1));
    expect(() => fromStorage(make(2), stored)).toThrow(wrong);
    for (const at of [0, 20, -1]) expect(() => fromStorage(make(1), flipped(stored, at))).toThrow(wrong);
  });
});

describe.each(providers.filter(({ bound }) => bound))('$name', ({ make, wrong }) => {
  test('An encryption provider refuses a value that was moved to another key', () => {
    expect(() =>
      fromStorage(make(1), toStorage(make(1)), { ...context, key: '/registry/secrets/default/two' }),
    ).toThrow(wrong);
  });
});

describe('aescbc', () => {
  const key = Buffer.alloc(32, 1);
  const withPadding = (...last: number[]): Buffer => {
    const block = Buffer.alloc(16);
    last.forEach((byte, i) => (block[16 - last.length + i] = byte));
    const iv = Buffer.alloc(16);
    return Buffer.concat([iv, createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false).update(block)]);
  };

  test.each([
    { name: 'no padding', stored: withPadding(0), message: 'invalid PKCS7 data (empty or not padded)' },
    {
      name: 'more padding than there is',
      stored: withPadding(17),
      message: 'invalid PKCS7 data (empty or not padded)',
    },
    { name: 'padding of different bytes', stored: withPadding(1, 2), message: 'invalid padding on input' },
    {
      name: 'nothing behind the vector',
      stored: Buffer.alloc(16),
      message: 'invalid PKCS7 data (empty or not padded)',
    },
    { name: 'half a block', stored: Buffer.alloc(24), message: 'the stored data is not a multiple of the block size' },
  ])('Aescbc refuses $name', ({ stored, message }) => {
    expect(() => fromStorage(aesCbc(key), stored)).toThrow(message);
  });
});

const secret = (length: number, fill: number): string => Buffer.alloc(length, fill).toString('base64');

const keys = (...names: string[]): { keys: { name: string; secret: string }[] } => ({
  keys: names.map((name) => ({ name, secret: secret(32, name.charCodeAt(name.length - 1)) })),
});

/** What a configuration makes of the values of a resource. */
function transformerOf(
  providersOfSecrets: EncryptionConfiguration['resources'][number]['providers'],
): ValueTransformer {
  const { rules } = createProviders(
    { resources: [{ resources: ['secrets'], providers: providersOfSecrets }] },
    { clock: systemClock, log: silentLogger, observer: noObserver, kmsV1: false },
  );
  return rules.map((all) => new PrefixTransformers(all, 'no matching prefix found', noObserver)).get('secrets')!;
}

describe('providers in order', () => {
  test.each([
    { name: 'aescbc', provider: { aescbc: keys('k1') }, prefix: 'k8s:enc:aescbc:v1:k1:' },
    { name: 'aesgcm', provider: { aesgcm: keys('k1') }, prefix: 'k8s:enc:aesgcm:v1:k1:' },
    { name: 'secretbox', provider: { secretbox: keys('k1') }, prefix: 'k8s:enc:secretbox:v1:k1:' },
    { name: 'identity', provider: { identity: {} }, prefix: 'k8s\0' },
  ])('Encryption providers in order: $name writes behind its prefix', ({ provider, prefix }) => {
    expect(toStorage(transformerOf([provider])).toString('latin1')).toMatch(new RegExp(`^${prefix}`));
  });

  test('The first writes, the others read what is then stale', () => {
    const before = transformerOf([{ aescbc: keys('old') }, { identity: {} }]);
    const rotated = transformerOf([{ aescbc: keys('new', 'old') }, { identity: {} }]);
    expect(fromStorage(rotated, toStorage(before))).toEqual({ value, stale: true });
    expect(fromStorage(rotated, toStorage(rotated))).toEqual({ value, stale: false });
    expect(fromStorage(rotated, value)).toEqual({ value, stale: true });
  });

  test('The same provider twice with different keys: the second reads what the first cannot', () => {
    const twice = transformerOf([{ aesgcm: keys('2') }, { aesgcm: keys('1') }]);
    expect(fromStorage(twice, toStorage(transformerOf([{ aesgcm: keys('1') }])))).toEqual({ value, stale: true });
  });

  test('The provider identity before the others ends encryption: encrypted values are read and stale', () => {
    const leaving = transformerOf([{ identity: {} }, { secretbox: keys('1') }]);
    expect(fromStorage(leaving, toStorage(transformerOf([{ secretbox: keys('1') }])))).toEqual({ value, stale: true });
    expect(fromStorage(leaving, value)).toEqual({ value, stale: false });
    expect(toStorage(leaving).equals(value)).toBe(true);
  });

  test.each([
    {
      name: 'a value with an unknown prefix',
      providers: [{ aescbc: keys('1') }],
      stored: value,
      message: 'no matching prefix found',
    },
    {
      name: 'an encrypted one where only identity is left',
      providers: [{ identity: {} }],
      stored: Buffer.from('k8s:enc:aescbc:v1:1:x'),
      message: 'no matching prefix found',
    },
    {
      name: 'a key that is gone',
      providers: [{ aescbc: keys('2') }],
      stored: Buffer.from('k8s:enc:aescbc:v1:1:x'),
      message: 'no matching key was found for the provided AES transformer',
    },
    {
      name: 'a key of secretbox that is gone',
      providers: [{ secretbox: keys('2') }],
      stored: Buffer.from('k8s:enc:secretbox:v1:1:x'),
      message: 'no matching key was found for the provided Secretbox transformer',
    },
  ])('Encryption providers in order refuse $name', ({ providers: given, stored, message }) => {
    expect(() => fromStorage(transformerOf(given), stored)).toThrow(new Error(message));
  });

  test('An encrypted value without any configuration is told as such', () => {
    expect(() => identity.fromStorage(Buffer.from('k8s:enc:kms:v2:x'), context)).toThrow(
      'identity transformer tried to read encrypted data',
    );
  });

  test('Each transformation is told, with the provider and with the key', () => {
    const told: unknown[] = [];
    const observer = {
      ...noObserver,
      transformed: (...[resource, direction, prefix, , error]: Parameters<typeof noObserver.transformed>) =>
        void told.push([resource, direction, prefix, (error as Error | undefined)?.message]),
    };
    const { rules } = createProviders(
      { resources: [{ resources: ['secrets'], providers: [{ aescbc: keys('1') }, { identity: {} }] }] },
      { clock: systemClock, log: silentLogger, observer, kmsV1: false },
    );
    const transformer = rules
      .map((all) => new PrefixTransformers(all, 'no matching prefix found', observer))
      .get('secrets')!;
    fromStorage(transformer, toStorage(transformer));
    fromStorage(transformer, value);
    expect(() => fromStorage(transformer, Buffer.from('k8s:enc:aescbc:v1:2:'))).toThrow();
    expect(told).toEqual([
      ['secrets', 'to_storage', '1:', undefined],
      ['secrets', 'to_storage', 'k8s:enc:aescbc:v1:', undefined],
      ['secrets', 'from_storage', '1:', undefined],
      ['secrets', 'from_storage', 'k8s:enc:aescbc:v1:', undefined],
      ['secrets', 'from_storage', 'identity', undefined],
      ['secrets', 'from_storage', 'unknown', 'no matching key was found for the provided AES transformer'],
      ['secrets', 'from_storage', 'k8s:enc:aescbc:v1:', 'no matching key was found for the provided AES transformer'],
    ]);
  });
});

describe('which rule speaks of a resource', () => {
  const configuration = (...lists: string[][]): EncryptionConfiguration =>
    readEncryptionConfiguration(
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: lists.map((resources) => ({ resources, providers: [{ identity: {} }] })),
      }),
      false,
    );
  const rulesOf = (
    ...lists: string[][]
  ): { keyOf(resource: { group: string; resource: string }): string | undefined } =>
    createProviders(configuration(...lists), {
      clock: systemClock,
      log: silentLogger,
      observer: noObserver,
      kmsV1: false,
    }).rules;

  test.each([
    { group: '', resource: 'secrets', rule: 'secrets' },
    { group: '', resource: 'pods', rule: '*.' },
    { group: 'apps', resource: 'deployments', rule: '*.apps' },
    { group: 'example.com', resource: 'widgets', rule: '*.*' },
  ])('The encryption rule of a resource: $resource of "$group" goes by $rule', ({ rule, ...resource }) => {
    expect(rulesOf(['secrets'], ['*.', '*.apps'], ['*.*']).keyOf(resource)).toBe(rule);
  });

  test('Nothing is said of what is not listed', () => {
    expect(
      rulesOf(['secrets', 'widgets.example.com']).keyOf({ group: 'other.com', resource: 'widgets' }),
    ).toBeUndefined();
  });

  test.each([
    {
      lists: [['*.apps'], ['deployments.apps']],
      message: 'resource "deployments.apps" is masked by earlier rule "*.apps"',
    },
    { lists: [['*.'], ['secrets']], message: 'resource "secrets" is masked by earlier rule "*."' },
    { lists: [['*.*'], ['*.apps']], message: 'resource "*.apps" is masked by earlier rule "*.*"' },
  ])('Encryption rules: $lists cannot be: $message', ({ lists, message }) => {
    expect(() => rulesOf(...lists)).toThrow(new Error(message));
  });
});
