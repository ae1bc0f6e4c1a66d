/**
 * Serves gRPC services at a Unix socket, by the tables that `npm run generate` makes of their protocols. A request has
 * a length and a time in which it arrives; one client cannot open more than so many calls.
 */
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { MessageCodec, type WireSchema } from '../base/protobuf/message-codec.ts';
import { ProtobufError, ProtoReader } from '../base/protobuf/reader.ts';
import { GrpcError } from './grpc-error.ts';
import type { ServiceTables } from './service-client.ts';
import { GrpcCode } from './status.ts';

/** Functions answer once, or with several messages. A `GrpcError` is the answer; another error has code Unknown. */
export type ServedHandlers<Methods> = {
  readonly [M in keyof Methods]?: Methods[M] extends readonly [infer Request, infer Response]
    ? (request: Request, signal: AbortSignal) => Response | Promise<Response> | AsyncIterable<Response>
    : never;
};

export interface ServedService {
  readonly tables: ServiceTables;
  readonly handlers: object;
}

export interface ServiceServerLimits {
  /** Of a request, in bytes. */
  readonly maxMessageBytes: number;
  readonly maxConnections: number;
  /** Of one connection at a time. */
  readonly maxCalls: number;
  /** In which a request arrives whole. */
  readonly requestMs: number;
}

const usualLimits: ServiceServerLimits = {
  maxMessageBytes: 4 << 20,
  maxConnections: 100,
  maxCalls: 100,
  requestMs: 10_000,
};

const prefixBytes = 5;
const ownerOnly = 0o600;

export class ServiceServer {
  readonly #server: http2.Http2Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #limits: ServiceServerLimits;
  readonly #socket: string;

  constructor(socket: string, services: readonly ServedService[], limits: Partial<ServiceServerLimits> = {}) {
    this.#socket = socket;
    this.#limits = { ...usualLimits, ...limits };
    this.#routes = new Map(services.flatMap(routesOf));
    const { maxCalls, maxConnections } = this.#limits;
    this.#server = http2.createServer({ settings: { maxConcurrentStreams: maxCalls } });
    this.#server.on('session', (session) => {
      if (this.#sessions.size >= maxConnections) return session.destroy();
      this.#sessions.add(session);
      session.on('error', () => undefined).on('close', () => this.#sessions.delete(session));
    });
    this.#server.on('sessionError', () => undefined);
    this.#server.on('stream', (stream, headers) => void this.#serve(stream, headers[':path'] ?? ''));
  }

  /** A socket of before is replaced. Its file is for the owner only. */
  async listen(): Promise<void> {
    await rm(this.#socket, { force: true });
    this.#server.listen(this.#socket);
    await once(this.#server, 'listening');
    await chmod(this.#socket, ownerOnly);
  }

  /** Ends all calls, and removes the socket. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    if (!this.#server.listening) return;
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#socket, { force: true });
  }

  async #serve(stream: http2.ServerHttp2Stream, path: string): Promise<void> {
    const ended = new AbortController();
    stream.on('error', () => undefined).on('close', () => ended.abort());
    try {
      const route = this.#routes.get(path);
      if (route === undefined) throw new GrpcError(GrpcCode.unimplemented, `unknown method ${path}`);
      const body = await readBody(stream, this.#limits);
      await answer(stream, route(body, ended.signal));
    } catch (error) {
      if (!stream.destroyed) refuse(stream, error as Error);
    }
  }
}

type Answers = AsyncIterable<Buffer>;
type Route = (body: Buffer, signal: AbortSignal) => Answers;

function routesOf({ tables: { enums, messages, methods }, handlers }: ServedService): [string, Route][] {
  const codec = new MessageCodec({ enums, messages } as WireSchema);
  const functions = handlers as Readonly<
    Record<string, ((request: object, signal: AbortSignal) => unknown) | undefined>
  >;
  return Object.entries(methods).flatMap(([name, [path, requestType, responseType]]): [string, Route][] => {
    const handler = functions[name];
    if (handler === undefined) return [];
    return [
      [
        path,
        async function* route(body, signal) {
          const answers = handler(codec.decode(requestType, new ProtoReader(body, 0, body.length)), signal);
          if (isIterable(answers)) for await (const each of answers) yield codec.encodeGrpc(responseType, each);
          else yield codec.encodeGrpc(responseType, (await answers) as object);
        },
      ],
    ];
  });
}

const isIterable = (value: unknown): value is AsyncIterable<object> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function readBody(
  stream: http2.ServerHttp2Stream,
  { maxMessageBytes, requestMs }: ServiceServerLimits,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const arrived = new Promise<Buffer>((resolve, reject) => {
    timer = setTimeout(() => reject(tooLate), requestMs);
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= maxMessageBytes + prefixBytes) pieces.push(piece);
      else reject(tooLong(maxMessageBytes));
    });
    stream.on('end', () => resolve(Buffer.concat(pieces)));
    stream.on('close', () => reject(tooLate));
  });
  return arrived.then(messageIn).finally(() => clearTimeout(timer));
}

function messageIn(whole: Buffer): Buffer {
  if (whole.length < prefixBytes || whole[0] !== 0 || whole.readUInt32BE(1) !== whole.length - prefixBytes)
    throw new GrpcError(GrpcCode.internal, 'a request is one message that is not compressed');
  return whole.subarray(prefixBytes);
}

const tooLate = new GrpcError(GrpcCode.deadlineExceeded, 'the request did not arrive');
const tooLong = (limit: number): GrpcError =>
  new GrpcError(GrpcCode.resourceExhausted, `a request of more than ${limit} bytes`);

/** A client that takes nothing holds the answers up. */
async function answer(stream: http2.ServerHttp2Stream, answers: Answers): Promise<void> {
  let isOpen = false;
  for await (const message of answers) {
    if (stream.destroyed) return;
    if (!isOpen) open(stream);
    isOpen = true;
    if (!stream.write(message)) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
  }
  if (stream.destroyed) return;
  if (!isOpen) open(stream);
  stream.end();
}

const contentType = 'application/grpc';

function open(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': contentType }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
}

function refuse(stream: http2.ServerHttp2Stream, error: Error): void {
  if (stream.headersSent) return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  const code =
    error instanceof GrpcError
      ? error.code
      : error instanceof ProtobufError
        ? GrpcCode.invalidArgument
        : GrpcCode.unknown;
  stream.respond(
    {
      ':status': 200,
      'content-type': contentType,
      'grpc-status': String(code),
      'grpc-message': encodeURIComponent(error.message),
    },
    { endStream: true },
  );
  // What of the request has not arrived is of no use.
  stream.close(http2.constants.NGHTTP2_NO_ERROR);
}
