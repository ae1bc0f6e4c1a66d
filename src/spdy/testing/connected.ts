/** Two sides of a connection in one process. */
import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { SpdyConnection } from '../connection.ts';

export function connected(options: { usesWindows?: boolean; maxStreams?: number; highWaterMark?: number } = {}) {
  const { highWaterMark, ...spdy } = options;
  const [near, far] = duplexPair(highWaterMark === undefined ? {} : { highWaterMark });
  // As with sockets, the end of one is the end of the other.
  near.once('close', () => setImmediate(() => far.destroy()));
  far.once('close', () => setImmediate(() => near.destroy()));
  const client = new SpdyConnection(near, { side: 'client', ...spdy });
  const server = new SpdyConnection(far, { side: 'server', ...spdy });
  return { client, server, near, far };
}

/** Until what is under way has arrived. */
export const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await turn();
};
