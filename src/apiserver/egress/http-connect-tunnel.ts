/** Connections through a proxy by HTTP CONNECT: over TLS with a client certificate, TCP or a unix socket. */
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { DialAddress } from '../../base/dialer.ts';
import { connectMethod } from '../../client/transport/proxy-tunnel.ts';
import { connected, endpointOf } from '../../client/transport/socket.ts';
import type { Tunnel, TunnelTls } from './configuration.ts';
import type { OnStage } from './dial-stage.ts';

type HttpConnect = Extract<Tunnel, { protocol: 'http_connect' }>;

export async function dialThroughHttpConnect(
  tunnel: HttpConnect,
  address: DialAddress,
  signal: AbortSignal,
  onStage: OnStage,
): Promise<Duplex> {
  const socket = await proxySocket(tunnel, signal);
  onStage('proxy');
  return connectMethod(socket, { to: address, proxy: tunnel.transport === 'uds' ? tunnel.path : tunnel.url, signal });
}

async function proxySocket(tunnel: HttpConnect, signal: AbortSignal): Promise<Duplex> {
  if (tunnel.transport === 'uds') return connected(net.connect({ path: tunnel.path }), 'connect', signal);
  const { host, port } = endpointOf(new URL(tunnel.url));
  const options = tunnel.tls === undefined ? undefined : await tlsOptions(tunnel.tls, host);
  const tcp = await connected(net.connect({ host, port, noDelay: true, keepAlive: true }), 'connect', signal);
  if (options === undefined) return tcp;
  return connected(tls.connect({ ...options, socket: tcp }), 'secureConnect', signal);
}

async function tlsOptions({ caFile, certFile, keyFile }: TunnelTls, host: string): Promise<tls.ConnectionOptions> {
  const [ca, cert, key] = await Promise.all([
    caFile === undefined ? undefined : readFile(caFile),
    readFile(certFile),
    readFile(keyFile),
  ]);
  return { ca, cert, key, host, servername: net.isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] };
}
