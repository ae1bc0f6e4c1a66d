/** How this server opens a connection to a node, a pod or an endpoint of a service: all of them go through here. */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock, type Timer } from '../../base/clock.ts';
import type { Dialer } from '../../base/dialer.ts';
import type { Address } from '../webhooks/service-resolver.ts';

/** Rejects with what went wrong on the way, or with the reason of the signal; nothing is left open then. */
export type DialNode = (address: Address, signal: AbortSignal) => Promise<net.Socket>;

/** A silent peer is probed, so that one that vanished is noticed. */
const keepAliveMs = 30_000;

/** Over the network of this machine. */
export const dialNode: DialNode = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const socket = net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    const failed = (error: Error): void => {
      signal.removeEventListener('abort', abort);
      reject(error);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', failed);
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', failed);
      resolve(socket);
    });
  });

/** Through a tunnel: nothing is connected past it. */
export const dialNodeThrough =
  (dialer: Dialer): DialNode =>
  async (address, signal) =>
    asSocket(await dialer(address, signal));

/** With what Node's HTTP client asks of connections that it keeps. A tunnel has its own keepalive. */
function asSocket(stream: Duplex): net.Socket {
  if (stream instanceof net.Socket) return stream;
  let idle: Timer | undefined;
  const self = (): Duplex => stream;
  const methods = {
    setKeepAlive: self,
    setNoDelay: self,
    ref: self,
    unref: self,
    setTimeout(ms: number): Duplex {
      idle?.cancel();
      idle = ms > 0 ? systemClock.after(ms, () => stream.emit('timeout')) : undefined;
      return stream;
    },
  };
  stream.once('close', () => idle?.cancel());
  return Object.assign(stream, methods) as unknown as net.Socket;
}
