import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { isCipherSuite, opensslCiphers } from './cipher-suites.ts';

const tls13 = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';

describe('cipher suites', () => {
  test.each([
    { name: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', openssl: 'ECDHE-RSA-AES128-GCM-SHA256' },
    { name: 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', openssl: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
    { name: 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', openssl: 'ECDHE-RSA-CHACHA20-POLY1305' },
    { name: 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', openssl: 'ECDHE-RSA-CHACHA20-POLY1305' },
    { name: 'TLS_RSA_WITH_AES_256_CBC_SHA', openssl: 'AES256-SHA' },
  ])('Cipher suites: $name is $openssl for OpenSSL', ({ name, openssl }) => {
    expect(isCipherSuite(name)).toBe(true);
    expect(opensslCiphers([name])).toBe(`${tls13}:${openssl}`);
    expect(() => tls.createSecureContext({ ciphers: opensslCiphers([name]) })).not.toThrow();
  });

  test('Cipher suites of TLS 1.3 may be named, and are offered once', () => {
    expect(isCipherSuite('TLS_AES_128_GCM_SHA256')).toBe(true);
    expect(opensslCiphers(['TLS_AES_128_GCM_SHA256'])).toBe(tls13);
  });

  test('Cipher suites keep their order', () => {
    const names = ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'];
    expect(opensslCiphers(names)).toBe(`${tls13}:AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256`);
  });

  test.each(['', 'TLS_NULL_WITH_NULL_NULL', 'AES128-GCM-SHA256', 'tls_rsa_with_aes_128_gcm_sha256'])(
    'Cipher suites: %j is no name of a cipher suite',
    (name) => expect(isCipherSuite(name)).toBe(false),
  );
});
