import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { OpensslPair } from './openssl.ts';

/**
 * Whether a TLS server of this version of Node is shown the certificates in between that a client sends. That of
 * 24.21.0 and of 26.8.0 is not: Node takes them out itself.
 * @param chain a client's certificate and those of its issuers
 * @see {@link https://github.com/nodejs/node/issues/65579}
 */
export async function runtimeShowsIssuers(chain: OpensslPair, authority: OpensslPair): Promise<boolean> {
  const server = tls
    .createServer({
      cert: authority.certificate,
      key: authority.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'secureConnection') as Promise<[tls.TLSSocket]>;
  const client = tls.connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    cert: chain.certificate,
    key: chain.key,
  });
  const [socket] = await accepted;
  const isShown = socket.getPeerX509Certificate()?.issuerCertificate !== undefined;
  for (const end of [client, socket]) end.destroy();
  server.close();
  return isShown;
}
