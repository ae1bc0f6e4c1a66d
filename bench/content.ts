/** Objects as request and answer bodies: what the driver writes and reads, in JSON or protobuf. */
import { codecs } from '../src/api/codecs.ts';
import { readEnvelope } from '../src/machinery/codec/index.ts';
import type { JsonObject } from '../src/machinery/value.ts';

export type ContentType = 'json' | 'protobuf';

/** A type as the API names it, and as the schema does. */
export interface Kind {
  readonly typeId: string;
  readonly apiVersion: string;
  readonly kind: string;
}

const core = (kind: string): Kind => ({ typeId: `core/v1.${kind}`, apiVersion: 'v1', kind });
export const kinds = {
  pod: core('Pod'),
  podList: core('PodList'),
  configMap: core('ConfigMap'),
  configMapList: core('ConfigMapList'),
  namespace: core('Namespace'),
  serviceAccount: core('ServiceAccount'),
  deleteOptions: { typeId: 'meta/v1.DeleteOptions', apiVersion: 'v1', kind: 'DeleteOptions' },
} as const satisfies Record<string, Kind>;

export interface Content {
  readonly mediaType: string;
  encode(kind: Kind, value: JsonObject): Buffer;
  decode(kind: Kind, body: Buffer): JsonObject;
  /** What `decode` returned, perhaps changed in places. */
  reencode(kind: Kind, value: JsonObject): Buffer;
  /** Calls back with each event of a watch as it becomes complete; the bytes are valid until the callback returns. */
  readEvents(onEvent: (event: Buffer) => void): (piece: Buffer) => void;
}

const json: Content = {
  mediaType: 'application/json',
  encode: ({ apiVersion, kind }, value) => Buffer.from(JSON.stringify({ apiVersion, kind, ...value })),
  decode: (_, body) => JSON.parse(body.toString()) as JsonObject,
  reencode: (_, value) => Buffer.from(JSON.stringify(value)),
  readEvents: (onEvent) => splitter((buffer) => buffer.indexOf(0x0a) + 1, onEvent),
};

const protobuf: Content = {
  mediaType: 'application/vnd.kubernetes.protobuf',
  encode: (kind, value) => {
    const codec = codecs.of(kind.typeId);
    return codec.encodeEnvelope(codec.normalize(value).value, kind);
  },
  decode: (kind, body) => codecs.of(kind.typeId).decode(readEnvelope(body).raw),
  reencode: (kind, value) => codecs.of(kind.typeId).encodeEnvelope(value, kind),
  readEvents: (onEvent) => splitter((buffer) => (buffer.length < 4 ? 0 : 4 + buffer.readUInt32BE(0)), onEvent),
};

export const contents: Readonly<Record<ContentType, Content>> = { json, protobuf };

/** @param endOf where the first event of the buffer ends; 0 while that cannot be said */
function splitter(endOf: (buffer: Buffer) => number, onEvent: (event: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = endOf(rest); end > 0 && end <= rest.length; end = endOf(rest)) {
      onEvent(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}
