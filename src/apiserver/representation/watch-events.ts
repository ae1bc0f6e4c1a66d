/**
 * Watch events as bytes, one encoding per representation: JSON documents, one per line, YAML documents, or protobuf
 * frames (four bytes of length, then a WatchEvent). A message of a WebSocket is the same without the length.
 *
 * An event is encoded once and the bytes go to every watcher that gets the same event in the same representation.
 */
import { varintSize, writeVarint } from '../../base/protobuf/varint.ts';
import { notAcceptable, type StatusError } from '../../machinery/status.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { ObjectEvent, StoredObject } from '../../storage/objects.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { flagParameter } from '../request/query.ts';
import { isConvertible } from './convertible.ts';
import { json, negotiate, protobuf, type Representation, yaml } from '../request/negotiation.ts';
import type { ApiRequest } from '../request/request.ts';
import type { Encoder, Readable } from './encoder.ts';
import { encodeMetaObject } from './meta-object.ts';
import { partialEnvelope, partialJson } from './partial-metadata.ts';
import { includeObjectParameter, tableJson } from './table.ts';

export interface EventEncoder {
  readonly contentType: string;
  readonly isText: boolean;
  /** Each is sent on its own. */
  readonly areMessages: boolean;
  event(event: ObjectEvent): Buffer;
  /** The event that ends a watch with an error. */
  error(error: StatusError): Buffer;
}

export function watchRepresentation(encoder: Encoder, served: ServedResource, request: ApiRequest): EventEncoder {
  const representation = negotiate({
    accept: request.header('accept'),
    userAgent: undefined,
    pretty: null,
    convertible: isConvertible,
    isCollection: true,
    hasProtobuf: served.servedVersion.custom === undefined,
  });
  if (representation.mediaType === yaml) throw notAcceptable([`${json};stream=watch`, `${protobuf};stream=watch`]);
  // Rows have no place for a bookmark.
  if (representation.as === 'Table' && flagParameter(request.query, 'allowWatchBookmarks'))
    throw notAcceptable([json, yaml, protobuf]);
  const frame = framing(representation);
  const object = objectBytes(encoder, served, request, representation);
  const { mediaType, as = '', asVersion = '' } = representation;
  const key = `event ${served.servedVersion.typeId} ${mediaType} ${as}${asVersion}`;
  // Tables differ from watcher to watcher: only the first one carries the columns.
  const isShared = representation.as !== 'Table';
  return {
    contentType: representation.mediaType === protobuf ? `${protobuf};stream=watch` : json,
    isText: representation.mediaType !== protobuf,
    areMessages: false,
    event: (event) => {
      if (!isShared || event.object === undefined) return frame(event.type, object(event));
      const known = event.representations?.get(key);
      if (known !== undefined) return known;
      const bytes = frame(event.type, object(event));
      event.representations ??= new Map();
      event.representations.set(key, bytes);
      return bytes;
    },
    error: (error) =>
      frame('ERROR', encodeMetaObject('v1', 'Status', error.toStatus(), { ...representation, pretty: false })),
  };
}

/** The same events for messages, which have a length of their own. */
export function asMessages(encoder: EventEncoder): EventEncoder {
  if (encoder.isText) return { ...encoder, areMessages: true };
  return {
    ...encoder,
    areMessages: true,
    event: (event) => encoder.event(event).subarray(lengthBytes),
    error: (error) => encoder.error(error).subarray(lengthBytes),
  };
}

type Frame = (type: string, object: Buffer) => Buffer;

function framing({ mediaType }: Representation): Frame {
  return mediaType === protobuf ? protobufFrame : jsonFrame;
}

function jsonFrame(type: string, object: Buffer): Buffer {
  const end = object[object.length - 1] === 0x0a ? object.length - 1 : object.length;
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object.subarray(0, end), jsonEnd]);
}

const jsonEnd = Buffer.from('}\n');

/** In front of each protobuf frame. */
const lengthBytes = 4;

/** WatchEvent { type = 1, object = 2: RawExtension { raw = 1 } }, behind its length in network order. */
function protobufFrame(type: string, object: Buffer): Buffer {
  const rawLength = 1 + varintSize(object.length) + object.length;
  const length = 2 + type.length + 1 + varintSize(rawLength) + rawLength;
  const out = Buffer.allocUnsafe(lengthBytes + length);
  let p = out.length - object.length;
  object.copy(out, p);
  p = writeVarint(out, p, object.length);
  out[--p] = 0x0a;
  p = writeVarint(out, p, rawLength);
  out[--p] = 0x12;
  p -= type.length;
  out.write(type, p, 'latin1');
  out[--p] = type.length;
  out[--p] = 0x0a;
  out.writeUInt32BE(length, 0);
  return out;
}

/** The revision an event's object shows: an object that left shows the revision at which it did. */
const shownRevision = (event: ObjectEvent, object: StoredObject): number =>
  event.type === 'DELETED' ? event.revision : object.revision;

function objectBytes(
  encoder: Encoder,
  served: ServedResource,
  request: ApiRequest,
  representation: Representation,
): (event: ObjectEvent) => Buffer {
  if (representation.as === 'Table') return tableEvents(encoder, served, request, representation);
  const isProtobuf = representation.mediaType === protobuf;
  if (representation.as !== undefined) return partialEvents(encoder, served, representation, isProtobuf);
  return (event) => {
    if (event.object === undefined) return bookmark(served, event, isProtobuf);
    const revision = shownRevision(event, event.object);
    return isProtobuf ? encoder.envelope(served, event.object, revision) : encoder.json(served, event.object, revision);
  };
}

function partialEvents(
  encoder: Encoder,
  served: ServedResource,
  { asVersion = 'v1' }: Representation,
  isProtobuf: boolean,
): (event: ObjectEvent) => Buffer {
  const encode = isProtobuf ? partialEnvelope : partialJson;
  return (event) =>
    encode(
      event.object === undefined
        ? bookmarkMessage(served, event)
        : encoder.message(served, event.object, shownRevision(event, event.object)),
      asVersion,
    );
}

function tableEvents(
  encoder: Encoder,
  served: ServedResource,
  request: ApiRequest,
  { asVersion = 'v1' }: Representation,
): (event: ObjectEvent) => Buffer {
  const include = includeObjectParameter(request.query.get('includeObject'));
  let withColumns = true;
  return (event) => {
    const revision = event.object === undefined ? event.revision : shownRevision(event, event.object);
    const rows = event.object === undefined ? [] : [{ object: event.object, revision }];
    const bytes = tableJson(encoder, served, rows, {
      include,
      version: asVersion,
      now: new Date(),
      metadata: { resourceVersion: String(revision) },
      withColumns,
    });
    withColumns = false;
    return bytes;
  };
}

/** The last of the initial events also says what an empty list would have looked like (KEP-3157). */
function bookmarkMessage({ servedVersion }: Readable, { revision, initialEventsEnd }: ObjectEvent): Buffer {
  const annotations =
    initialEventsEnd === true
      ? {
          'k8s.io/initial-events-end': 'true',
          'kubernetes.io/initial-events-list-blueprint': listBlueprint(servedVersion),
        }
      : undefined;
  const object: KubeObject = {
    metadata: { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) },
  };
  return servedVersion.custom === undefined
    ? servedVersion.codec.encode(asJson(object))
    : servedVersion.codec.toJson({ ...servedVersion.codec.empty(), ...asJson(object) });
}

const listBlueprint = ({ listKind, apiVersion }: Readable['servedVersion']): string =>
  Buffer.from(`{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":{},"items":null}\n`).toString('base64');

/** An object of the watched kind with nothing but a resourceVersion. */
function bookmark(served: ServedResource, event: ObjectEvent, isProtobuf: boolean): Buffer {
  const { servedVersion } = served;
  const message = bookmarkMessage(served, event);
  if (servedVersion.custom !== undefined) return message;
  if (isProtobuf) return writeEnvelope(servedVersion.apiVersion, servedVersion.kind, message);
  const members = servedVersion.codec.transcode(message);
  return Buffer.concat([
    Buffer.from(
      `{"kind":${JSON.stringify(servedVersion.kind)},"apiVersion":${JSON.stringify(servedVersion.apiVersion)},`,
    ),
    members.subarray(1),
  ]);
}
