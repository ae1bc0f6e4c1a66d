/** Opens the connection to a server: TCP, through a proxy where one is configured, and TLS. */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClientConfig } from '../client-config.ts';
import { deadline } from '../deadline.ts';
import type { ConnectionObserver } from '../connection-observer.ts';
import { timedLookup } from '../timed-lookup.ts';
import type { ClientPair } from '../transport-config.ts';
import { openTunnel } from './proxy-tunnel.ts';
import { checkServerIdentity } from '../../pki/server-identity.ts';
import { connected, endpointOf } from './socket.ts';

export interface DialTarget extends Pick<ClientConfig, 'ca' | 'serverName' | 'skipVerify' | 'proxyUrl'> {
  readonly url: URL;
  readonly pair: ClientPair | undefined;
  /** For what HTTP/2 is not meant to carry. */
  readonly onlyHttp1?: boolean;
}

export interface DialOptions {
  readonly clock?: Clock;
  readonly observer?: ConnectionObserver | undefined;
}

export interface Dialed {
  readonly socket: Duplex;
  readonly isHttp2: boolean;
}

/** As client-go. */
const dialTimeoutMs = 30_000;
const tcpKeepaliveMs = 30_000;

/** Rejects with the cause in words, when the signal aborts, and after 30 s. */
export async function dial(
  target: DialTarget,
  signal: AbortSignal,
  { clock = systemClock, observer }: DialOptions = {},
): Promise<Dialed> {
  const limited = deadline(clock, dialTimeoutMs, signal, 'no connection');
  try {
    const { url, proxyUrl } = target;
    const endpoint = endpointOf(url);
    const lookup = timedLookup(observer);
    const carrier =
      proxyUrl === undefined
        ? await connected(net.connect({ ...endpoint, lookup }), 'connect', limited.signal)
        : await openTunnel(new URL(proxyUrl), endpoint, { signal: limited.signal, lookup });
    if (carrier instanceof net.Socket) {
      carrier.setNoDelay(true);
      carrier.setKeepAlive(true, tcpKeepaliveMs);
    }
    if (url.protocol !== 'https:') return { socket: carrier, isHttp2: false };
    const secure = tls.connect({ ...tlsOptions(target), socket: carrier });
    await connected(secure, 'secureConnect', limited.signal);
    return { socket: secure, isHttp2: secure.alpnProtocol === 'h2' };
  } finally {
    limited.end();
  }
}

function tlsOptions({ url, ca, serverName, skipVerify, pair, onlyHttp1 = false }: DialTarget): tls.ConnectionOptions {
  const { host } = endpointOf(url);
  const name = serverName ?? host;
  return {
    // What the certificate is checked against; server names are for names only (RFC 6066, section 3).
    host: name,
    servername: net.isIP(name) === 0 ? name : '',
    rejectUnauthorized: skipVerify !== true,
    checkServerIdentity,
    minVersion: 'TLSv1.2',
    ALPNProtocols: onlyHttp1 ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...(ca === undefined ? {} : { ca }),
    ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
  };
}
