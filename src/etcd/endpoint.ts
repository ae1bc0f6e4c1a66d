import { readFileSync } from 'node:fs';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Dialer } from '../base/dialer.ts';
import { readableSocketError } from '../http2/client/socket-error.ts';

/** Paths of PEM files. They are read for each new connection, so that renewed ones count. */
export interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface Endpoint {
  /** As given, for messages. */
  readonly url: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** The `:authority` of requests. */
  readonly authority: string;
}

/**
 * Reads `http://host:port` or `https://host:port`; without a scheme TLS is used when there are TLS files. Throws on
 * anything else.
 */
export function parseEndpoint(text: string, hasTls: boolean): Endpoint {
  const invalid = (why: string): Error => new Error(`etcd endpoint ${JSON.stringify(text)}: ${why}`);
  const address = text.trim();
  const withScheme = address.includes('://') ? address : `${hasTls ? 'https' : 'http'}://${address}`;
  if (!URL.canParse(withScheme)) throw invalid('not a URL such as https://10.0.0.1:2379');
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid('the scheme must be http or https');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.username !== '')
    throw invalid('only scheme, host and port are allowed');
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    url: `${url.protocol}//${url.host}`,
    secure,
    host,
    port: Number(url.port === '' ? (secure ? 443 : 80) : url.port),
    authority: url.host,
  };
}

/**
 * Opens TCP, and TLS where the endpoint wants it. Rejects with the cause in words; `signal` gives up.
 * @param dial opens what is below TLS, where that does not go straight to the endpoint
 */
export async function connectSocket(
  endpoint: Endpoint,
  files: TlsFiles,
  signal: AbortSignal,
  dial?: Dialer,
): Promise<Duplex> {
  const carrier = await dial?.(endpoint, signal);
  if (carrier !== undefined && !endpoint.secure) return carrier;
  return new Promise((resolve, reject) => {
    const socket = endpoint.secure
      ? tls.connect({ ...tlsOptions(endpoint, files), ...(carrier === undefined ? {} : { socket: carrier }) })
      : net.connect({ host: endpoint.host, port: endpoint.port });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(readableSocketError(error));
    };
    const onAbort = (): void => fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    // An error can come after the promise is settled; the connection listens by then.
    socket.on('error', fail);
    socket.once(endpoint.secure ? 'secureConnect' : 'connect', () => {
      if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== 'h2')
        return fail(new Error('the server does not speak HTTP/2'));
      signal.removeEventListener('abort', onAbort);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 30_000);
      resolve(socket);
    });
  });
}

function tlsOptions(endpoint: Endpoint, files: TlsFiles): tls.ConnectionOptions {
  const read = (file: string | undefined): Buffer | undefined =>
    file === undefined || file === '' ? undefined : readFileSync(file);
  return {
    host: endpoint.host,
    port: endpoint.port,
    ca: read(files.caFile),
    cert: read(files.certFile),
    key: read(files.keyFile),
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    // Server names are for names only (RFC 6066, section 3).
    servername: net.isIP(endpoint.host) === 0 ? endpoint.host : '',
  };
}
