/**
 * Flags of HTTPS serving, in groups that the serving section of a daemon is composed of: it may have flags of its own
 * between them.
 */
import { goQuote } from '../../../machinery/go-quote.ts';
import { isCipherSuite } from '../../../server/tls/cipher-suites.ts';
import { bool, file, int, ip, optionalText, repeated, strings, text, type ValuesOf } from '../flag.ts';
import { inRange } from '../in-range.ts';
import type { Problems, Spelling } from './problems.ts';
import { readNamedPair, tlsVersions } from './tls.ts';

/** Whether a daemon can do without its port: 0 switches it off. */
export type PortNeed = 'required' | 'optional';

/** @param defaults the port of the daemon */
export const listenFlags = (defaults: { readonly securePort: number }, need: PortNeed = 'required') => ({
  bindAddress: ip('bind-address', 'supported', {
    default: '0.0.0.0',
    help: 'Address to listen on. 0.0.0.0 or :: means every interface.',
  }),
  securePort: int('secure-port', 'supported', {
    default: defaults.securePort,
    help: need === 'required' ? 'HTTPS port. It cannot be switched off with 0.' : 'HTTPS port. 0 switches it off.',
  }),
});

export const listenProblems = (
  { securePort }: ValuesOf<ReturnType<typeof listenFlags>>,
  spelled: Spelling,
  need: PortNeed = 'required',
): Problems => [
  need === 'required'
    ? !inRange(securePort, 1, 65535) &&
      `${spelled('secure-port')} ${securePort} must be between 1 and 65535, inclusive. It cannot be turned off with 0`
    : !inRange(securePort, 0, 65535) &&
      `${spelled('secure-port')} ${securePort} must be between 0 and 65535, inclusive. 0 for turning off secure port`,
];

/**
 * @param pairName of the files of a self-signed certificate, without `.crt` and `.key`
 * @param defaults no directory where the certificate is kept in memory alone
 */
export const servingCertificateFlags = (pairName: string, defaults: { readonly certDir: string }) => ({
  certDir: text('cert-dir', 'supported', {
    default: defaults.certDir,
    help:
      `Directory where a self-signed serving certificate is kept (${pairName}.crt, ${pairName}.key) when ` +
      '--tls-cert-file and --tls-private-key-file are not given.' +
      (defaults.certDir === '' ? ' Without it the certificate is new at each start, and in memory alone.' : ''),
  }),
  tlsCertFile: file('tls-cert-file', 'supported', {
    help: 'PEM file with the serving certificate, followed by the certificates of its issuers if there are any.',
  }),
  tlsPrivateKeyFile: file('tls-private-key-file', 'supported', {
    help: 'PEM file with the private key of --tls-cert-file.',
  }),
});

export const servingCertificateProblems = ({
  tlsCertFile,
  tlsPrivateKeyFile,
}: ValuesOf<ReturnType<typeof servingCertificateFlags>>): Problems => [
  (tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined) && 'missing filename for serving cert',
];

export const tlsFlags = {
  tlsCipherSuites: strings('tls-cipher-suites', 'supported', {
    help: 'Cipher suites for TLS 1.2 and older, by their IANA names. Without it the defaults of the runtime.',
  }),
  tlsMinVersion: optionalText('tls-min-version', 'supported', {
    help: 'Oldest TLS version to accept: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.',
  }),
  tlsSniCertKeys: repeated('tls-sni-cert-key', 'supported', {
    help:
      'A further certificate for clients that ask for one of its names: cert,key[:domain,…]. Without domains, ' +
      'the names in the certificate. Repeatable.',
  }),
} as const;

export const tlsProblems = (
  { tlsCipherSuites, tlsMinVersion, tlsSniCertKeys }: ValuesOf<typeof tlsFlags>,
  spelled: Spelling,
): Problems => [
  ...tlsCipherSuites.map((suite) => !isCipherSuite(suite) && `Cipher suite ${suite} not supported or doesn't exist`),
  tlsMinVersion !== undefined &&
    !Object.hasOwn(tlsVersions, tlsMinVersion) &&
    `unknown tls version ${goQuote(tlsMinVersion)}`,
  ...tlsSniCertKeys.map(
    (pair) =>
      readNamedPair(pair) === undefined &&
      `${spelled('tls-sni-cert-key')} ${goQuote(pair)} invalid, must be of format: cert,key[:domain,...]`,
  ),
];

export const http2Flags = {
  http2MaxStreamsPerConnection: int('http2-max-streams-per-connection', 'supported', {
    help: 'How many streams a client may have open in one HTTP/2 connection. 0 means the default of this server.',
  }),
  disableHttp2Serving: bool('disable-http2-serving', 'supported', { help: 'Serve HTTP/1.1 only.' }),
} as const;

export const http2Problems = (
  { http2MaxStreamsPerConnection }: ValuesOf<typeof http2Flags>,
  spelled: Spelling,
): Problems => [
  http2MaxStreamsPerConnection < 0 && `${spelled('http2-max-streams-per-connection')} can not be negative value`,
];

export const socketSharingFlags = {
  permitAddressSharing: bool('permit-address-sharing', 'supported', {
    help:
      'Bind with SO_REUSEADDR: do not wait for connections in TIME_WAIT, and share wildcard addresses with ' +
      'specific ones. This runtime always does.',
  }),
  permitPortSharing: bool('permit-port-sharing', 'supported', {
    help:
      'Bind with SO_REUSEPORT, so that several servers can listen on the same address and port. Needs ' +
      'Node 22.12 or newer.',
  }),
} as const;

export const socketSharingProblems = (
  { permitPortSharing }: ValuesOf<typeof socketSharingFlags>,
  spelled: Spelling,
): Problems => [
  permitPortSharing &&
    !canSharePorts() &&
    `${spelled('permit-port-sharing')} needs Node 22.12 or newer: this is ${process.versions.node}`,
];

/** Whether this runtime can bind with SO_REUSEPORT: from Node 22.12 and 23.1 on. */
export function canSharePorts(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}
