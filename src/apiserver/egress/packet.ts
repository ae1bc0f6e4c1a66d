/**
 * Messages of konnectivity's `ProxyService`, as far as the client of a tunnel sends and reads them.
 * @see {@link https://github.com/kubernetes-sigs/apiserver-network-proxy | konnectivity} (`client.proto`)
 */
import type { ProtoReader } from '../../base/protobuf/reader.ts';
import { ProtoWriter } from '../../base/protobuf/writer.ts';
import type { Method } from '../../grpc/call.ts';

/** What the tunnel server says. Identifiers are int64. */
export type Packet =
  | { readonly type: 'dialed'; readonly random: bigint; readonly connectId: bigint; readonly error: string }
  | { readonly type: 'dialClosed'; readonly random: bigint }
  | { readonly type: 'data'; readonly connectId: bigint; readonly data: Buffer; readonly error: string }
  | { readonly type: 'closed'; readonly connectId: bigint; readonly error: string }
  /** Of a kind that says nothing to a client. */
  | { readonly type: 'other' };

/** Values of `PacketType`, and the number of the field that has the payload. */
const kinds = {
  dialRequest: { type: 0, field: 2 },
  dialResponse: { type: 1, field: 3 },
  closeRequest: { type: 2, field: 5 },
  closeResponse: { type: 3, field: 6 },
  data: { type: 4, field: 4 },
  closeDial: { type: 5, field: 7 },
} as const;

function packet(kind: keyof typeof kinds, capacity: number, write: (writer: ProtoWriter) => void): Buffer {
  const { type, field } = kinds[kind];
  const writer = new ProtoWriter(capacity);
  write(writer);
  writer.message(field, 0);
  if (type !== 0) writer.uint(1, type);
  return writer.finishGrpc();
}

/** As a whole gRPC message, like those below. @param address `host:port` */
export const dialRequest = (address: string, random: bigint): Buffer =>
  packet('dialRequest', 128, (writer) => {
    writer.bigint(3, random);
    writer.string(2, address);
    writer.string(1, 'tcp');
  });

export const dataPacket = (connectId: bigint, data: Uint8Array): Buffer =>
  packet('data', data.length + 64, (writer) => {
    writer.bytes(3, data);
    writer.bigint(1, connectId);
  });

export const closeRequest = (connectId: bigint): Buffer =>
  packet('closeRequest', 64, (writer) => writer.bigint(1, connectId));

/** Gives a dial up that has no answer yet. */
export const closeDial = (random: bigint): Buffer => packet('closeDial', 64, (writer) => writer.bigint(1, random));

export const proxyMethod: Method<Packet> = { path: '/ProxyService/Proxy', decode: readPacket };

/** Throws a ProtobufError. */
function readPacket(reader: ProtoReader): Packet {
  let type = 0;
  const payloads = new Map<number, Payload>();
  while (reader.next(reader.end)) {
    if (reader.field === 1) type = reader.uint();
    else if (reader.field in payloadFields) payloads.set(reader.field, readPayload(reader));
    else reader.skip();
  }
  const of = (kind: keyof typeof kinds): Payload => payloads.get(kinds[kind].field) ?? { ...nothing };
  switch (type) {
    case kinds.dialResponse.type: {
      const { text: error, first: connectId, second: random } = of('dialResponse');
      return { type: 'dialed', error, connectId, random };
    }
    case kinds.closeResponse.type: {
      const { text: error, first: connectId } = of('closeResponse');
      return { type: 'closed', error, connectId };
    }
    case kinds.data.type: {
      const { text: error, first: connectId, data } = of('data');
      return { type: 'data', error, connectId, data };
    }
    case kinds.closeDial.type:
      return { type: 'dialClosed', random: of('closeDial').first };
    default:
      return { type: 'other' };
  }
}

interface Payload {
  text: string;
  first: bigint;
  second: bigint;
  data: Buffer;
}

const nothing: Payload = { text: '', first: 0n, second: 0n, data: Buffer.alloc(0) };

/** By the field of the payload: which field is what in it. */
const payloadFields: Readonly<Record<number, Readonly<Record<number, keyof Payload>>>> = {
  [kinds.dialResponse.field]: { 1: 'text', 2: 'first', 3: 'second' },
  [kinds.closeResponse.field]: { 1: 'text', 2: 'first' },
  [kinds.data.field]: { 1: 'first', 2: 'text', 3: 'data' },
  [kinds.closeDial.field]: { 1: 'first' },
};

function readPayload(reader: ProtoReader): Payload {
  const payload = { ...nothing };
  const members = payloadFields[reader.field]!;
  const end = reader.message();
  while (reader.next(end)) {
    const member = members[reader.field];
    if (member === undefined) reader.skip();
    else if (member === 'text') payload.text = reader.string();
    else if (member === 'data') payload.data = reader.bytes();
    else payload[member] = reader.int64();
  }
  return payload;
}
