/**
 * A connection through a proxy: HTTP CONNECT, also over TLS (RFC 9110, section 9.3.6), or SOCKS5 (RFC 1928). User and
 * password come from the proxy's URL.
 */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { connected, endpointOf, type TcpEndpoint } from './socket.ts';
import { openSocks5, type ProxyCredentials } from './socks5.ts';

export const proxySchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

export interface TunnelOptions {
  readonly signal: AbortSignal;
  /** Of the name of the proxy. */
  readonly lookup: net.LookupFunction;
}

export async function openTunnel(proxy: URL, to: TcpEndpoint, { signal, lookup }: TunnelOptions): Promise<Duplex> {
  const { host, port: given } = endpointOf(proxy);
  if (proxy.protocol.startsWith('socks5')) {
    const port = proxy.port === '' ? 1080 : given;
    const socket = await connected(net.connect({ host, port, lookup }), 'connect', signal);
    return openSocks5(socket, to, credentialsOf(proxy), signal);
  }
  const asked = { to, proxy: proxy.host, credentials: credentialsOf(proxy), signal };
  const tcp = await connected(net.connect({ host, port: given, lookup }), 'connect', signal);
  if (proxy.protocol === 'http:') return connectMethod(tcp, asked);
  const options = { socket: tcp, host, servername: net.isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] };
  return connectMethod(await connected(tls.connect(options), 'secureConnect', signal), asked);
}

export interface ConnectRequest {
  readonly to: TcpEndpoint;
  /** For messages. */
  readonly proxy: string;
  readonly credentials?: ProxyCredentials | undefined;
  readonly signal: AbortSignal;
}

/** Asks the proxy at the other end of a socket for a tunnel. Destroys the socket where it refuses. */
export function connectMethod(
  socket: Duplex,
  { to: { host, port }, proxy, credentials, signal }: ConnectRequest,
): Promise<Duplex> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const basic = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');
  const refusal = ({ statusCode }: http.IncomingMessage): Error =>
    new Error(`the proxy ${proxy} refused the connection to ${authority}: ${statusCode}`);
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(basic === undefined ? {} : { 'proxy-authorization': `Basic ${basic}` }) },
      createConnection: () => socket,
      signal,
    });
    request.once('error', reject);
    request.once('connect', (answer, tunnel, head) => {
      if (answer.statusCode === 200) {
        if (head.length > 0) tunnel.unshift(head);
        return resolve(tunnel);
      }
      tunnel.destroy();
      reject(refusal(answer));
    });
    request.once('response', (answer) => {
      socket.destroy();
      reject(refusal(answer));
    });
    request.end();
  });
}

const credentialsOf = ({ username, password }: URL): ProxyCredentials | undefined =>
  username === '' ? undefined : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
