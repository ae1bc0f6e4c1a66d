/** A gRPC server at a Unix socket that answers calls by functions of a test, by the tables of the protocol. */
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import path from 'node:path';
import { MessageCodec, type WireSchema } from '../../base/protobuf/message-codec.ts';
import { ProtoReader } from '../../base/protobuf/reader.ts';
import { GrpcError } from '../grpc-error.ts';
import { GrpcCode } from '../status.ts';
import type { ServiceTables } from '../service-client.ts';

/** A `GrpcError` is the answer; another error is one of code Unknown. What has no function is unimplemented. */
export type ServiceHandlers<Methods> = {
  readonly [M in keyof Methods]?: Methods[M] extends readonly [infer Request, infer Response]
    ? (request: Request) => Response | Promise<Response>
    : never;
};

export interface ServiceServer extends AsyncDisposable {
  readonly socket: string;
  /** As when its process is killed. The socket file stays when it says so. */
  close(options?: { readonly keepsSocket?: boolean }): Promise<void>;
}

export interface Service {
  readonly tables: ServiceTables;
  readonly handlers: object;
}

const prefixBytes = 5;

export async function serveAt(socket: string, services: readonly Service[]): Promise<ServiceServer> {
  const sessions = new Set<http2.ServerHttp2Session>();
  const routes = new Map(services.flatMap((service) => Object.entries(routesOf(service))));
  const server = http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => void answer(stream, routes.get(headers[':path'] ?? '')));
  await mkdir(path.dirname(socket), { recursive: true });
  server.listen(socket);
  await once(server, 'listening');
  const close = async ({ keepsSocket = false } = {}): Promise<void> => {
    for (const session of sessions) session.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    if (!keepsSocket) await rm(socket, { force: true });
  };
  return { socket, close, [Symbol.asyncDispose]: close };
}

type Route = (body: Buffer) => Promise<Buffer>;

function routesOf({ tables: { enums, messages, methods }, handlers }: Service): Record<string, Route> {
  const codec = new MessageCodec({ enums, messages } as WireSchema);
  const functions = handlers as Readonly<Record<string, ((request: object) => object | Promise<object>) | undefined>>;
  return Object.fromEntries(
    Object.entries(methods).map(([name, [methodPath, requestType, responseType]]) => {
      const route = async (body: Buffer): Promise<Buffer> => {
        const handler = functions[name];
        if (handler === undefined) throw new GrpcError(GrpcCode.unimplemented, `unknown method ${name}`);
        const request = codec.decode(requestType, new ProtoReader(body, 0, body.length));
        return codec.encodeGrpc(responseType, await handler(request));
      };
      return [methodPath, route];
    }),
  );
}

async function answer(stream: http2.ServerHttp2Stream, route: Route | undefined): Promise<void> {
  const chunks: Buffer[] = [];
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'end').catch(() => undefined);
  const fail = (code: number, message: string): void =>
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(code),
        'grpc-message': encodeURIComponent(message),
      },
      { endStream: true },
    );
  try {
    if (route === undefined) throw new GrpcError(GrpcCode.unimplemented, 'unknown method');
    const bytes = await route(Buffer.concat(chunks).subarray(prefixBytes));
    if (stream.destroyed) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(bytes);
  } catch (error) {
    if (stream.destroyed) return;
    const { code, message } = error as GrpcError;
    fail(error instanceof GrpcError ? code : GrpcCode.unknown, message);
  }
}
