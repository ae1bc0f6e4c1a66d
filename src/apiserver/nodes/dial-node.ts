/** How this server opens a connection to a node, a pod or an endpoint of a service: all of them go through here. */
import net from 'node:net';
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
