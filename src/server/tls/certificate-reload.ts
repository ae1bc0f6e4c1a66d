/**
 * What the TLS port shows and asks for. Files behind it may be replaced: connections that come later meet the new ones.
 */
import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { opensslCiphers } from './cipher-suites.ts';
import { isPair } from '../../base/key-pair.ts';

export interface ServingTls extends ServingPair {
  /** For clients that ask for one of their names; the first that has it is shown. */
  readonly named: readonly NamedPair[];
  /** PEM: whose client certificates are asked for. None are when absent. */
  readonly clientAuthorities: ReloadableText | undefined;
  /** By their registered names, for TLS 1.2 and older; those of the runtime when empty. */
  readonly cipherSuites: readonly string[];
  readonly minVersion: tls.SecureVersion;
  /** HTTP/1.1 only. */
  readonly withoutHttp2: boolean;
  /** A whole handshake within this time, or the connection ends. Default ten seconds. */
  readonly handshakeTimeoutMs?: number;
}

export interface ServingPair {
  /** PEM, the server's own first, then those of its issuers. */
  readonly certificate: ReloadableText;
  /** PEM */
  readonly key: ReloadableText;
}

export interface NamedPair extends ServingPair {
  /** `*.example.com` stands for one more label. Empty: the names in the certificate. */
  readonly names: readonly string[];
}

const usualHandshakeTimeoutMs = 10_000;

/** As upstream: then a connection on which nothing comes is asked whether its client still lives. */
const keepAliveMs = 180_000;

/** The options of a TLS server as they are now. */
export function tlsOptions(serving: ServingTls): tls.TlsOptions {
  return {
    ...contextOptions(serving, serving),
    ALPNProtocols: serving.withoutHttp2 ? ['http/1.1'] : ['h2', 'http/1.1'],
    handshakeTimeout: serving.handshakeTimeoutMs ?? usualHandshakeTimeoutMs,
    // A certificate that is not good is refused later, in the API's words.
    ...(serving.clientAuthorities === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
  };
}

/** OpenSSL itself must be told that old versions will do. */
const oldVersions: readonly tls.SecureVersion[] = ['TLSv1', 'TLSv1.1'];

function contextOptions(
  { cipherSuites, minVersion, clientAuthorities }: ServingTls,
  { certificate, key }: ServingPair,
): tls.SecureContextOptions {
  const ciphers = cipherSuites.length === 0 ? tls.DEFAULT_CIPHERS : opensslCiphers(cipherSuites);
  return {
    cert: certificate.get(),
    key: key.get(),
    minVersion,
    ciphers: oldVersions.includes(minVersion) ? `${ciphers}:@SECLEVEL=0` : ciphers,
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities.get() }),
  };
}

interface NamedContext {
  readonly names: readonly string[];
  readonly context: tls.SecureContext;
}

export interface TlsServer {
  readonly server: tls.Server;
  /** Stops watching the files. */
  stop(): void;
}

/** A TLS server that reloads its files. Throws for a certificate or key that cannot be used now. */
export function createTlsServer(serving: ServingTls, onConnection: (socket: tls.TLSSocket) => void): TlsServer {
  let named = serving.named.map((pair) => namedContext(serving, pair));
  const pick: tls.TlsOptions['SNICallback'] = (name, done) => done(null, contextFor(named, name.toLowerCase()));
  const server = tls.createServer(
    {
      ...tlsOptions(serving),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
      ...(named.length === 0 ? {} : { SNICallback: pick }),
    },
    onConnection,
  );
  const renew = (): void => {
    // Certificate and key are two files: between the first and the second change they do not fit.
    if (isPair(serving.certificate.get(), serving.key.get())) server.setSecureContext(tlsOptions(serving));
    named = serving.named.map((pair, index) =>
      isPair(pair.certificate.get(), pair.key.get()) ? namedContext(serving, pair) : named[index]!,
    );
  };
  const stops = [serving, ...serving.named]
    .flatMap(({ certificate, key }) => [certificate, key])
    .concat(serving.clientAuthorities ?? [])
    .map((text) => text.onChange(renew));
  return { server, stop: () => stops.forEach((stop) => stop()) };
}

function namedContext(serving: ServingTls, pair: NamedPair): NamedContext {
  return {
    names: pair.names.length > 0 ? pair.names.map((name) => name.toLowerCase()) : namesOf(pair.certificate.get()),
    context: tls.createSecureContext(contextOptions(serving, pair)),
  };
}

/** The common name and the DNS names. */
function namesOf(pem: string): string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(pem);
  const common = /(?:^|\n)CN=(.*)/.exec(subject)?.[1] ?? '';
  return [common, ...[...subjectAltName.matchAll(/(?:^|, )DNS:([^,]+)/g)].map(([, name]) => name!)]
    .filter((name) => name !== '')
    .map((name) => name.toLowerCase());
}

function contextFor(named: readonly NamedContext[], name: string): tls.SecureContext | undefined {
  const wildcard = name.replace(/^[^.]+/, '*');
  return (named.find(({ names }) => names.includes(name)) ?? named.find(({ names }) => names.includes(wildcard)))
    ?.context;
}
