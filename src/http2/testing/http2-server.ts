/** The HTTP/2 server on a loopback port, for tests. */
import net from 'node:net';
import { onTestFinished } from 'vitest';
import { ServerConnection } from '../server/connection.ts';
import type { ServerConnectionOptions } from '../server/connection-options.ts';
import type { ServerStream } from '../server/stream.ts';

export const serverOptions = {
  maxStreams: 100,
  streamWindowBytes: 65_535,
  connectionWindowBytes: 1_048_576,
  maxHeaderListBytes: 65_536,
  idleMs: 60_000,
  stallMs: 60_000,
  leaveMs: 60_000,
} satisfies Omit<ServerConnectionOptions, 'onRequest'>;

export interface StartedServer {
  readonly port: number;
  /** In the order in which they came. */
  readonly connections: ServerConnection[];
  readonly sockets: net.Socket[];
}

/** Work on a request; done at once unless it returns a promise. */
export type Handler = (stream: ServerStream) => void | Promise<void>;

export const onRequest =
  (handler: Handler) =>
  async (stream: ServerStream): Promise<void> =>
    handler(stream);

export async function startServer(
  handler: Handler,
  options: Partial<ServerConnectionOptions> = {},
): Promise<StartedServer> {
  const connections: ServerConnection[] = [];
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    connections.push(new ServerConnection(socket, { ...serverOptions, onRequest: onRequest(handler), ...options }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { port: (server.address() as net.AddressInfo).port, connections, sockets };
}

/** The value of a request's field. */
export function field(stream: ServerStream, name: string): string | undefined {
  const at = stream.fields.findIndex((text, i) => i % 2 === 0 && text === name);
  return at < 0 ? undefined : stream.fields[at + 1];
}

/** Bytes in which a piece that is missing, doubled or out of place shows. */
export function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = i * 7 + (i >> 8);
  return bytes;
}

/** Sends the body of a request back as it comes, and reads no faster than that goes. */
export function echo(stream: ServerStream): void {
  stream.respond(200, []);
  stream.read({
    onData: (piece) => {
      if (stream.write(Buffer.from(piece))) return;
      stream.pause();
      stream.onDrain(() => stream.resume());
    },
    onEnd: () => stream.end(),
  });
}

/** Sends `body` in pieces, waiting whenever it is told to. */
export function sendBody(stream: ServerStream, body: Buffer, pieceBytes = 10_000): void {
  stream.respond(200, []);
  let at = 0;
  const more = (): void => {
    while (at < body.length && !stream.closed) {
      const piece = body.subarray(at, (at += pieceBytes));
      if (!stream.write(piece)) return stream.onDrain(more);
    }
    stream.end();
  };
  more();
}

/** A whole answer of one line. */
export function answer(stream: ServerStream, text = 'ok'): void {
  stream.respond(200, [['content-type', 'text/plain']]);
  stream.end(Buffer.from(text));
}

/** Reads a body to its end. */
export function readBody(stream: ServerStream): Promise<{ readonly body: Buffer; readonly isComplete: boolean }> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    stream.read({
      onData: (piece) => pieces.push(Buffer.from(piece)),
      onEnd: (isComplete) => resolve({ body: Buffer.concat(pieces), isComplete }),
    });
  });
}

/** Settles when a stream is over. */
export const closeOf = (stream: ServerStream): Promise<void> => new Promise((resolve) => stream.onClose(resolve));
