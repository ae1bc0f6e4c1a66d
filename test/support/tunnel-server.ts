/**
 * A tunnel server by konnectivity's protocol, by another implementation of gRPC and of protobuf, that connects from its
 * own process. A test can make it lie.
 */
import net from 'node:net';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const { root } = protobuf.parse(`
  syntax = "proto3";
  enum PacketType { DIAL_REQ = 0; DIAL_RSP = 1; CLOSE_REQ = 2; CLOSE_RSP = 3; DATA = 4; DIAL_CLS = 5; DRAIN = 6; }
  message Packet {
    PacketType type = 1;
    DialRequest dialRequest = 2;
    DialResponse dialResponse = 3;
    Data data = 4;
    CloseRequest closeRequest = 5;
    CloseResponse closeResponse = 6;
    CloseDial closeDial = 7;
  }
  message DialRequest { string protocol = 1; string address = 2; int64 random = 3; }
  message DialResponse { string error = 1; int64 connectID = 2; int64 random = 3; }
  message CloseRequest { int64 connectID = 1; }
  message CloseResponse { string error = 1; int64 connectID = 2; }
  message CloseDial { int64 random = 1; }
  message Data { int64 connectID = 1; string error = 2; bytes data = 3; }
`);
const type = root.lookupType('Packet');

export interface TunnelPacket {
  readonly type: string;
  readonly dialRequest?: { readonly protocol: string; readonly address: string; readonly random: string };
  readonly dialResponse?: { readonly error?: string; readonly connectID?: string; readonly random?: string };
  readonly data?: { readonly connectID: string; readonly data?: Buffer; readonly error?: string };
  readonly closeRequest?: { readonly connectID: string };
  readonly closeResponse?: { readonly connectID: string; readonly error?: string };
  readonly closeDial?: { readonly random: string };
}

export type TunnelStream = ServerDuplexStream<TunnelPacket, TunnelPacket>;

export interface TunnelServer extends AsyncDisposable {
  /** What dials asked for. */
  readonly asked: string[];
  /** Types of the packets that came. */
  readonly received: string[];
}

export interface TunnelServerOptions {
  /** Where a name leads to, by its `host:port`; others go where they say. */
  readonly routes?: Readonly<Record<string, string>>;
  /** In place of what a tunnel server does with a stream. */
  readonly serve?: (stream: TunnelStream, packet: TunnelPacket) => void;
}

/** @param path of the unix socket */
export async function startTunnelServer(path: string, options: TunnelServerOptions = {}): Promise<TunnelServer> {
  const asked: string[] = [];
  const received: string[] = [];
  const server = new Server();
  server.addService(
    {
      Proxy: {
        path: '/ProxyService/Proxy',
        requestStream: true,
        responseStream: true,
        requestSerialize: encode,
        requestDeserialize: decode,
        responseSerialize: encode,
        responseDeserialize: decode,
      },
    },
    {
      Proxy(stream: TunnelStream) {
        const serve = options.serve ?? connecting(options.routes ?? {});
        stream.on('error', () => undefined);
        stream.on('data', (packet: TunnelPacket) => {
          received.push(packet.type);
          if (packet.dialRequest !== undefined) asked.push(packet.dialRequest.address);
          serve(stream, packet);
        });
      },
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  return {
    asked,
    received,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}

const encode = (packet: TunnelPacket): Buffer => Buffer.from(type.encode(type.fromObject(packet)).finish());
const decode = (bytes: Buffer): TunnelPacket => {
  const members = type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: Buffer, defaults: false });
  return { type: 'DIAL_REQ', ...members };
};

/** One connection for each stream. */
function connecting(routes: Readonly<Record<string, string>>): (stream: TunnelStream, packet: TunnelPacket) => void {
  let socket: net.Socket | undefined;
  return (stream, { dialRequest, data, closeRequest }) => {
    if (dialRequest !== undefined) {
      const { address, random } = dialRequest;
      const connectID = '7';
      const [host, port] = (routes[address] ?? address).split(/:(?=\d+$)/);
      const opened = (socket = net.connect(Number(port), host));
      stream.on('close', () => opened.destroy());
      opened.once('connect', () => stream.write({ type: 'DIAL_RSP', dialResponse: { connectID, random } }));
      opened.on('error', (error) => stream.write({ type: 'DIAL_RSP', dialResponse: { error: error.message, random } }));
      opened.on('data', (piece) => {
        if (stream.write({ type: 'DATA', data: { connectID, data: piece } })) return;
        opened.pause();
        stream.once('drain', () => opened.resume());
      });
      opened.once('close', () => {
        stream.write({ type: 'CLOSE_RSP', closeResponse: { connectID } });
        stream.end();
      });
    }
    if (data !== undefined && socket?.write(data.data ?? Buffer.alloc(0)) === false) {
      stream.pause();
      socket.once('drain', () => stream.resume());
    }
    if (closeRequest !== undefined) socket?.end();
  };
}
