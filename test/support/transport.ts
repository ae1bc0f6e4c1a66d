/** The transport alone: TLS and both versions of HTTP on a loopback port, in front of a handler of the test's. */
import { fixedText } from '../../src/base/reloadable-file.ts';
import type { ServingTls } from '../../src/server/tls/certificate-reload.ts';
import { listen, type TransportOptions } from '../../src/server/listener.ts';
import { caSubject, createAuthority, createServing } from '../../src/pki/pki.ts';

export interface TestTransport extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** PEM */
  readonly ca: string;
}

const now = new Date();
const authority = createAuthority(caSubject, now);
const pair = createServing(authority, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now);

/** For `localhost` and 127.0.0.1. */
export const testTls: ServingTls = {
  certificate: fixedText(pair.certificate),
  key: fixedText(pair.key),
  named: [],
  clientAuthorities: undefined,
  cipherSuites: [],
  minVersion: 'TLSv1.2',
  withoutHttp2: false,
};

export async function startTransport(
  options: Pick<TransportOptions, 'handle'> & Partial<TransportOptions>,
): Promise<TestTransport> {
  const transport = await listen({
    address: '127.0.0.1',
    port: 0,
    maxStreamsPerConnection: 0,
    ...options,
    tls: testTls,
  });
  return {
    url: `https://127.0.0.1:${transport.port}`,
    port: transport.port,
    ca: authority.certificate,
    [Symbol.asyncDispose]: () => transport.close(0),
  };
}
