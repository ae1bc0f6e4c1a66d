/**
 * Cipher suites by their registered names, and as OpenSSL calls them. Those of TLS 1.3 may be named but cannot be
 * chosen.
 * @see {@link https://www.iana.org/assignments/tls-parameters/tls-parameters.xhtml#tls-parameters-4 | TLS Cipher
 *   Suites}
 */
import tls from 'node:tls';

const tls13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

/** For each kind of key exchange, the suites and what OpenSSL puts after its name of the kind. */
const kinds = [
  { prefix: 'TLS_ECDHE_ECDSA_WITH_', openssl: 'ECDHE-ECDSA-' },
  { prefix: 'TLS_ECDHE_RSA_WITH_', openssl: 'ECDHE-RSA-' },
  { prefix: 'TLS_RSA_WITH_', openssl: '' },
];
const ciphers: readonly (readonly [string, string])[] = [
  ['AES_128_CBC_SHA', 'AES128-SHA'],
  ['AES_256_CBC_SHA', 'AES256-SHA'],
  ['AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['CHACHA20_POLY1305_SHA256', 'CHACHA20-POLY1305'],
  ['CHACHA20_POLY1305', 'CHACHA20-POLY1305'],
  ['3DES_EDE_CBC_SHA', 'DES-CBC3-SHA'],
  ['RC4_128_SHA', 'RC4-SHA'],
];

/** What this runtime can do. */
const known = new Map<string, string>(
  kinds
    .flatMap(({ prefix, openssl }) => ciphers.map(([name, cipher]) => [prefix + name, openssl + cipher] as const))
    .filter(([, openssl]) => tls.getCiphers().includes(openssl.toLowerCase())),
);

export const isCipherSuite = (name: string): boolean => known.has(name) || tls13.includes(name);

/** The suites as OpenSSL takes them, in the order given, with those of TLS 1.3. */
export const opensslCiphers = (names: readonly string[]): string =>
  [...tls13, ...names.flatMap((name) => known.get(name) ?? [])].join(':');
