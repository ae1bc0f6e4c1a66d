/** Sockets on their way to being connected. */
import type { Duplex } from 'node:stream';
import { readableSocketError } from '../../http2/client/socket-error.ts';

export interface TcpEndpoint {
  readonly host: string;
  readonly port: number;
}

export function endpointOf({ hostname, port, protocol }: URL): TcpEndpoint {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

/** The socket once it is connected; destroyed where it does not become so. */
export function connected<S extends Duplex>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(readableSocketError(error));
    };
    const onAbort = (): void => fail(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // An error can come after the promise is settled: it then ends the connection.
    socket.on('error', fail);
    socket.once('close', () => fail(new Error('the peer closed the connection')));
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
  });
}
