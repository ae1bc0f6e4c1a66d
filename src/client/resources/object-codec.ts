/**
 * Objects as bytes and back: protobuf for built-in types, JSON for all others and where it is asked for.
 *
 * An object is its JSON value in either case (`machinery/value.ts`), with apiVersion and kind. What it carries as JSON
 * of any form (managed fields, the data of a revision) is read too.
 */
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { type PartialReader, readEnvelope } from '../../machinery/codec/index.ts';
import { JsonBody } from '../../machinery/json/body.ts';
import { encodeJson } from '../../machinery/json/writer.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../../machinery/value.ts';

export const json = 'application/json';
export const protobuf = 'application/vnd.kubernetes.protobuf';

export interface EncodedObject {
  readonly contentType: string;
  readonly body: Buffer;
}

/** @param asProtobuf where the type has such an encoding */
export function encodeObject(object: KubeObject, asProtobuf: boolean): EncodedObject {
  const { apiVersion = '', kind = '' } = object;
  const typeId = asProtobuf ? schemas.ofKind(apiVersion, kind) : undefined;
  if (typeId !== undefined) {
    const codec = codecs.of(typeId);
    const { value, problems } = codec.normalize(object as JsonObject);
    // Fields that are unknown here are sent as JSON: it is the server that knows them, or refuses them.
    if (problems.length === 0)
      return { contentType: protobuf, body: codec.encodeEnvelope(value, { apiVersion, kind }) };
  }
  return { contentType: json, body: encodeJson(object as JsonObject) };
}

export interface DecodeOptions {
  /** Objects come without managed fields: only few readers want them, and they are a large part of many objects. */
  readonly dropManagedFields?: boolean;
  /** For callers that want little of the objects. */
  readonly partial?: PartialReader | undefined;
}

/** @param contentType of the bytes. Throws for bytes that are no such object. */
export function decodeObject(bytes: Buffer, contentType: string, options: DecodeOptions = {}): KubeObject {
  const object = contentType.startsWith(protobuf) ? decodeEnvelope(bytes, options) : pruned(decodeJson(bytes), options);
  if (options.dropManagedFields === true)
    for (const { metadata } of itemsOf(object as JsonObject) as readonly KubeObject[]) delete metadata?.managedFields;
  return object;
}

function decodeEnvelope(bytes: Buffer, { dropManagedFields = false, partial }: DecodeOptions): KubeObject {
  const { apiVersion, kind, raw, contentType: carried } = readEnvelope(bytes);
  if (carried === json) return decodeJson(raw);
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined)
    throw new Error(`the server answered with a ${kind} of ${apiVersion}, which is unknown here`);
  const object = partial === undefined ? codecs.of(typeId).decode(raw) : partial.decode(typeId, raw);
  if (carriesJson(typeId)) readCarried(object);
  else if (!dropManagedFields) for (const each of itemsOf(object)) readManagedFields(each);
  return Object.assign(object, { apiVersion, kind });
}

/** With integers of 64 bits and all names of members as they are. */
function decodeJson(bytes: Buffer): KubeObject {
  const { value } = new JsonBody(bytes).value();
  if (!isObject(value)) throw new Error('the server answered with JSON that is no object');
  return value as KubeObject;
}

/** An object that was read from JSON. */
export function pruned(object: KubeObject, { partial }: DecodeOptions): KubeObject {
  const typeId = partial === undefined ? undefined : schemas.ofKind(object.apiVersion ?? '', object.kind ?? '');
  if (typeId !== undefined) partial!.prune(typeId, object as JsonObject);
  return object;
}

function itemsOf(object: JsonObject): readonly JsonValue[] {
  const { items } = object;
  return Array.isArray(items) ? items : [object];
}

function readManagedFields(object: JsonValue): void {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  if (isObject(metadata) && metadata['managedFields'] !== undefined) readCarried(metadata['managedFields']);
}

/** Replaces carried JSON by its value, everywhere below. */
function readCarried(value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  const members = value as JsonObject;
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (member instanceof RawJson) members[name] = new JsonBody(member.text).value().value;
    else if (typeof member === 'object') readCarried(member);
  }
}

const known = new Map<string, boolean>();
const jsonTypes: ReadonlySet<string> = new Set(['rawExtension', 'fieldsV1', 'any']);
/** Messages that JSON shows as a scalar. */
const scalarTypes: ReadonlySet<string> = new Set(['time', 'microtime', 'duration', 'quantity', 'intOrString']);
/** Their managed fields are read in any case. */
const metadataTypes: ReadonlySet<string> = new Set(['meta/v1.ObjectMeta', 'meta/v1.ListMeta']);

/** Whether an object of the type can have carried JSON elsewhere than in its managed fields. */
function carriesJson(typeId: string): boolean {
  const before = known.get(typeId);
  if (before !== undefined) return before;
  // A type that contains itself: what else it contains decides.
  known.set(typeId, false);
  const { fields, alias } = schemas.type(typeId);
  const types = [...fields, ...(alias === undefined ? [] : [alias])].map(({ type }) => type);
  const carries = types.some((type) => jsonTypes.has(type) || carriesIn(type));
  known.set(typeId, carries);
  return carries;
}

function carriesIn(type: string): boolean {
  if (!type.includes('.') || metadataTypes.has(type)) return false;
  const { jsonType } = schemas.type(type);
  return jsonType === undefined ? carriesJson(type) : !scalarTypes.has(jsonType);
}
