/** Peers for tests of the HTTP/2 connection: Node's own implementation, and one that says what it is told to. */
import http2 from 'node:http2';
import net from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { Http2Connection } from '../client/connection.ts';
import type { ConnectionOptions } from '../client/connection.ts';
import { FrameReader } from '../frame-reader.ts';
import { FrameType, connectionPreface, frame } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import type { Headers } from '../hpack/stateless.ts';
import type { Http2Error, StreamHandler } from '../client/stream.ts';

export const post = encodeHeaders([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/x'],
  [':authority', 'localhost'],
]);

export interface NodePeer {
  readonly port: number;
  readonly sessions: http2.ServerHttp2Session[];
}

/** A server on `node:http2`: nghttp2 judges what we send. */
export async function startNodePeer(
  onStream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  options: http2.ServerOptions = {},
): Promise<NodePeer> {
  const server = http2.createServer(options);
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('session', (session) => {
    session.on('error', () => {});
    sessions.push(session);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    onStream(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const session of sessions) session.destroy();
    await closed;
  });
  return { port: (server.address() as net.AddressInfo).port, sessions };
}

/** Sends every body back, with `grpc-status: 0` as its trailer. */
export function echo(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.pipe(stream);
}

/** A server that greets and then only listens; the test writes frames by hand. */
export interface RawPeer {
  readonly port: number;
  /** What the client has sent: type, flags, stream, payload in hex. */
  readonly heard: { type: number; flags: number; streamId: number; payload: Buffer }[];
  send(...frames: Buffer[]): void;
  close(): void;
}

export async function startRawPeer(): Promise<RawPeer> {
  const sockets: net.Socket[] = [];
  const heard: RawPeer['heard'] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(frame(FrameType.settings, 0, 0, Buffer.alloc(0)));
    let preface = connectionPreface.length;
    let data = Buffer.alloc(0);
    const reader = new FrameReader(
      {
        dataStart: () => (data = Buffer.alloc(0)),
        dataPiece: (_, piece) => (data = Buffer.concat([data, piece])),
        dataEnd: (streamId, end) => heard.push({ type: FrameType.data, flags: end ? 1 : 0, streamId, payload: data }),
        frame: (type, flags, streamId, payload) => heard.push({ type, flags, streamId, payload: Buffer.from(payload) }),
        oversized: () => {},
      },
      1 << 24,
    );
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length);
      preface -= skipped;
      reader.push(chunk.subarray(skipped));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    close();
    await closed;
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    heard,
    send: (...frames) => sockets.at(-1)!.write(Buffer.concat(frames)),
    close,
  };
}

export async function connectTo(port: number, options: Partial<ConnectionOptions> = {}): Promise<Http2Connection> {
  const socket = net.connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const connection = new Http2Connection(socket, {
    clock: systemClock,
    streamWindowBytes: 65_536,
    keepaliveMs: 10_000,
    keepaliveTimeoutMs: 5_000,
    ...options,
  });
  onTestFinished(() => connection.destroy(new Error('the test is over')));
  await connection.ready;
  return connection;
}

/** A handler that keeps everything. */
export class Exchange implements StreamHandler {
  readonly headers: Headers[] = [];
  readonly #pieces: Buffer[] = [];
  readonly closed: Promise<Http2Error | undefined>;
  #resolve!: (error: Http2Error | undefined) => void;
  closes = 0;

  constructor() {
    this.closed = new Promise((resolve) => (this.#resolve = resolve));
  }

  get body(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  header(name: string): string | undefined {
    return this.headers.map((headers) => headers.get(name)).find((value) => value !== undefined);
  }

  onHeaders(headers: Headers): void {
    this.headers.push(headers);
  }

  onData(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece));
  }

  onClose(error?: Http2Error): void {
    this.closes++;
    this.#resolve(error);
  }
}
