/** A gRPC server on `node:http2` that answers as a test wants, for what no real etcd can be made to do. */
import { readFileSync } from 'node:fs';
import type http2 from 'node:http2';
import protobuf from 'protobufjs';
import { ProtoWriter } from '../../base/protobuf/writer.ts';
import { startNodePeer } from '../../http2/testing/http2-peer.ts';
import type { NodePeer } from '../../http2/testing/http2-peer.ts';

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

const statusPath = '/etcdserverpb.Maintenance/Status';
const watchPath = '/etcdserverpb.Watch/Watch';
const schema = protobuf.parse(readFileSync(new URL('../etcd.proto', import.meta.url), 'utf8'), { keepCase: true }).root;

export interface GrpcPeerOptions {
  readonly version?: string;
  /** Instead of a good answer to the greeting. */
  readonly onGreeting?: (call: PeerCall) => void;
  readonly settings?: http2.Settings;
  readonly onWatch?: (watch: PeerWatch) => void;
}

/** A watch stream that a client has opened. */
export interface PeerWatch {
  /** `WatchCreateRequest` */
  readonly request: {
    readonly key: string;
    readonly start_revision: number;
    readonly progress_notify: boolean;
    readonly prev_kv: boolean;
    readonly fragment: boolean;
  };
  /** How often progress was asked for. */
  readonly progressRequests: () => number;
  /** A `WatchResponse` in its protobuf names. */
  send(response: object): void;
  readonly stream: http2.ServerHttp2Stream;
}

export async function startGrpcPeer(
  onCall: (call: PeerCall) => void,
  options: GrpcPeerOptions = {},
): Promise<GrpcPeer> {
  const calls: string[] = [];
  let greeted = 0;
  const peer = await startNodePeer(
    (stream, headers) => {
      if (headers[':path'] === watchPath) return acceptWatch(stream, (watch) => options.onWatch?.(watch));
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
    fail: (code, message) =>
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code), 'grpc-message': message },
        { endStream: true },
      ),
  };
}

function acceptWatch(stream: http2.ServerHttp2Stream, onWatch: (watch: PeerWatch) => void): void {
  const requestType = schema.lookupType('etcdserverpb.WatchRequest');
  let received = Buffer.alloc(0);
  let progressRequests = 0;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 5 && received.length >= 5 + received.readUInt32BE(1)) {
      const end = 5 + received.readUInt32BE(1);
      const message = requestType.toObject(requestType.decode(received.subarray(5, end)), {
        longs: Number,
        bytes: Buffer,
        defaults: true,
      });
      received = received.subarray(end);
      if (message['progress_request'] !== undefined) progressRequests++;
      else {
        const request = { ...message['create_request'], key: String(message['create_request'].key) };
        onWatch({
          request,
          progressRequests: () => progressRequests,
          send: (response) => stream.write(watchMessage(response)),
          stream,
        });
      }
    }
  });
}

function watchMessage(response: object): Buffer {
  const type = schema.lookupType('etcdserverpb.WatchResponse');
  const message = Buffer.from(type.encode(type.fromObject(response)).finish());
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
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
