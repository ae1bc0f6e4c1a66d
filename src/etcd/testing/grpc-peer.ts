/** A gRPC server on `node:http2` that answers as a test wants, for what no real etcd can be made to do. */
import type http2 from 'node:http2';
import { ProtoWriter } from '../protobuf/writer.ts';
import { startNodePeer } from './http2-peer.ts';
import type { NodePeer } from './http2-peer.ts';

/** One call that has arrived whole. */
export interface PeerCall {
  readonly path: string;
  readonly headers: http2.IncomingHttpHeaders;
  readonly stream: http2.ServerHttp2Stream;
  /** Answers with this revision in the header, and nothing else. */
  reply(revision: number): void;
  /** Answers with a message made by hand. */
  replyWith(grpcMessage: Buffer): void;
  /** Trailers-only: a status without a message. */
  fail(code: number, message: string): void;
}

export interface GrpcPeer extends NodePeer {
  /** Paths of the calls that arrived, the greeting aside. */
  readonly calls: string[];
  readonly url: string;
}

export const statusPath = '/etcdserverpb.Maintenance/Status';

export interface GrpcPeerOptions {
  readonly version?: string;
  /** Instead of a good answer to the greeting. */
  readonly onGreeting?: (call: PeerCall) => void;
  readonly settings?: http2.Settings;
}

export async function startGrpcPeer(onCall: (call: PeerCall) => void, options: GrpcPeerOptions = {}): Promise<GrpcPeer> {
  const calls: string[] = [];
  let greeted = 0;
  const peer = await startNodePeer(
    (stream, headers) => {
      stream.resume();
      stream.once('end', () => {
        const call = peerCall(stream, headers);
        if (call.path === statusPath && greeted++ < peer.sessions.length) {
          if (options.onGreeting !== undefined) return options.onGreeting(call);
          return call.replyWith(statusMessage(options.version ?? '3.5.16'));
        }
        calls.push(call.path);
        onCall(call);
      });
    },
    options.settings === undefined ? {} : { settings: options.settings },
  );
  return { ...peer, calls, url: `http://127.0.0.1:${peer.port}` };
}

function peerCall(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): PeerCall {
  const replyWith = (grpcMessage: Buffer): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
    stream.end(grpcMessage);
  };
  return {
    path: headers[':path'] ?? '',
    headers,
    stream,
    replyWith,
    reply: (revision) => replyWith(headerMessage(revision)),
    fail: (code, message) => stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code), 'grpc-message': message }, { endStream: true }),
  };
}

function headerMessage(revision: number): Buffer {
  const writer = new ProtoWriter(64);
  writer.uint(3, revision);
  writer.message(1, 0);
  return writer.finishGrpc();
}

export function statusMessage(version: string, isLearner = false): Buffer {
  const writer = new ProtoWriter(128);
  writer.bool(10, isLearner);
  writer.string(2, version);
  const end = writer.length;
  writer.uint(3, 7);
  writer.message(1, end);
  return writer.finishGrpc();
}
