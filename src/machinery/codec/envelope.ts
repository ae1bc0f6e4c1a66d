/**
 * The frame around a protobuf object, in the store and on the wire: the four bytes `k8s\0`, then a `runtime.Unknown`
 * (1 TypeMeta with 1 apiVersion and 2 kind, 2 the object, 3 contentEncoding, 4 contentType; all written, also when
 * empty).
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding | API Concepts: protobuf
 *   encoding}
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { DecodeError } from './decode-error.ts';
import { at, readLength, readString, skipField, unexpectedEnd } from './wire-read.ts';
import { varintSize, writeVarint } from '../../base/protobuf/varint.ts';
import { writeString } from './wire-write.ts';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Envelope extends TypeMeta {
  /** The object's own bytes, part of the buffer that was read. */
  readonly raw: Buffer;
  readonly contentEncoding: string;
  readonly contentType: string;
}

const prefix = Buffer.from('k8s\0', 'latin1');

export function hasEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0;
}

const unknownFields = { 1: 'TypeMeta', 2: 'Raw', 3: 'ContentEncoding', 4: 'ContentType' };
const typeMetaFields = { 1: 'APIVersion', 2: 'Kind' };

const noTypeMeta: TypeMeta = { apiVersion: '', kind: '' };

/** Throws {@link DecodeError}, worded as upstream does. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new DecodeError('empty data');
  if (!hasEnvelope(bytes))
    throw new DecodeError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  if (bytes.length === prefix.length) throw new DecodeError('empty body');
  const end = bytes.length;
  let typeMeta = noTypeMeta;
  let [rawStart, rawEnd, contentEncoding, contentType] = [end, end, '', ''];
  let p = prefix.length;
  while (p < end) {
    const tag = bytes[p]!;
    if (tag !== 10 && tag !== 18 && tag !== 26 && tag !== 34) {
      p = skipField(bytes, p, end, unknownFields, 'Unknown');
      continue;
    }
    const length = readLength(bytes, p + 1, end);
    const from = at.p;
    p = from + length;
    if (tag === 10) typeMeta = readTypeMeta(bytes, from, p);
    else if (tag === 18) [rawStart, rawEnd] = [from, p];
    else if (tag === 26) contentEncoding = readString(bytes, from, p);
    else contentType = readString(bytes, from, p);
  }
  if (p !== end) throw unexpectedEnd();
  // Member by member: copying a value's members is slow, and this runs for every object that comes in.
  return {
    apiVersion: typeMeta.apiVersion,
    kind: typeMeta.kind,
    raw: bytes.subarray(rawStart, rawEnd),
    contentEncoding,
    contentType,
  };
}

function readTypeMeta(b: Buffer, p: number, end: number): TypeMeta {
  let [apiVersion, kind] = ['', ''];
  while (p < end) {
    const tag = b[p]!;
    if (tag !== 10 && tag !== 18) {
      p = skipField(b, p, end, typeMetaFields, 'TypeMeta');
      continue;
    }
    const length = readLength(b, p + 1, end);
    const text = readString(b, at.p, at.p + length);
    p = at.p + length;
    if (tag === 10) apiVersion = text;
    else kind = text;
  }
  if (p !== end) throw unexpectedEnd();
  return { apiVersion, kind };
}

/** What stands behind the object: its empty contentEncoding and contentType. */
export const envelopeTail = Buffer.from([26, 0, 34, 0]);

const heads = new BoundedCache<Buffer>({ maxBytes: 1024 * 1024, maxKeyLength: 256, bytesOf: ({ length }) => length });

/**
 * Prefix and TypeMeta, up to the object's tag; its length comes next. Cached: there are as many as there are kinds.
 */
export function envelopeHead(apiVersion: string, kind: string): Buffer {
  const key = `${apiVersion}\n${kind}`;
  let head = heads.get(key);
  if (head === undefined) {
    const meta = writeTypeMeta(apiVersion, kind);
    head = Buffer.concat([prefix, meta, Buffer.from([18])]);
    heads.set(key, head);
  }
  return head;
}

function writeTypeMeta(apiVersion: string, kind: string): Buffer {
  const b = Buffer.alloc(8192 + (apiVersion.length + kind.length) * 3);
  let p = writeString(b, b.length, kind);
  b[--p] = 18;
  p = writeString(b, p, apiVersion);
  b[--p] = 10;
  p = writeVarint(b, p, b.length - p);
  b[--p] = 10;
  return b.subarray(p);
}

/** Puts the frame around an object's bytes; one allocation. */
export function writeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const head = envelopeHead(apiVersion, kind);
  const rawStart = head.length + varintSize(raw.length);
  const out = Buffer.allocUnsafeSlow(rawStart + raw.length + envelopeTail.length);
  out.set(head, 0);
  writeVarint(out, rawStart, raw.length);
  out.set(raw, rawStart);
  out.set(envelopeTail, rawStart + raw.length);
  return out;
}

/**
 * Writes the part of the envelope before an object that lies between `begin` and `end`; returns where it begins. {@link
 * envelopeTail} writes the part after it.
 */
export function openEnvelope(b: Buffer, begin: number, end: number, { apiVersion, kind }: TypeMeta): number {
  const head = envelopeHead(apiVersion, kind);
  const start = writeVarint(b, begin, end - begin) - head.length;
  b.set(head, start);
  return start;
}
