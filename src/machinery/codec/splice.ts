/**
 * Objects and lists as clients read them, made from stored bytes without decoding: the resourceVersion, which no stored
 * object has, is put into the bytes of ObjectMeta, and the lengths around it are adjusted.
 *
 * All of it relies on normalized bytes: metadata is the first field of every object (1), items the second of every list
 * (2), and fields come in rising order.
 */
import { DecodeError } from './decode-error.ts';
import { varintSize, writeVarint } from '../../base/protobuf/varint.ts';
import { envelopeHead, envelopeTail } from './envelope.ts';
import { at, readLength, readUint, skipAny } from './wire-read.ts';
import { writeString } from './wire-write.ts';

/** Tags of `metadata` in an object and of `resourceVersion` in ObjectMeta. */
const metadataTag = 10;
const versionTag = 50;

// Where the last splice went in the message that was looked at: one set of variables, because this runs for every item
// of every list.
let metaStart = 0;
let metaEnd = 0;
let versionStart = 0;
let versionEnd = 0;
let newMetaLength = 0;
let total = 0;

/** Finds the place for a resourceVersion of so many digits. */
function locate(bytes: Buffer, digits: number): void {
  const end = bytes.length;
  metaStart = metaEnd = 0;
  if (end > 0 && bytes[0] === metadataTag) {
    const length = readLength(bytes, 1, end);
    metaStart = at.p;
    metaEnd = metaStart + length;
  }
  findVersion(bytes);
  newMetaLength = metaEnd - metaStart - (versionEnd - versionStart) + 2 + digits;
  total = 1 + varintSize(newMetaLength) + newMetaLength + end - metaEnd;
}

/** The field that is replaced: empty, in front of the first field behind it, when there is none. */
function findVersion(bytes: Buffer): void {
  let p = metaStart;
  while (p < metaEnd) {
    const tag = bytes[p]!;
    if (tag >= versionTag) break;
    // Fields before it are short texts.
    const length = bytes[p + 1]!;
    p = (tag & 7) === 2 && length < 128 ? p + 2 + length : skipAny(bytes, p, metaEnd);
  }
  if (p > metaEnd) throw new DecodeError('unexpected EOF');
  versionStart = p;
  versionEnd = p < metaEnd && bytes[p] === versionTag ? readLength(bytes, p + 1, metaEnd) + at.p : p;
}

function digitsOf(revision: number): number {
  let digits = 1;
  for (let power = 10; revision >= power; power *= 10) digits++;
  return digits;
}

/** Writes the message that {@link locate} looked at. */
function write(out: Buffer, o: number, bytes: Buffer, revision: number, digits: number): number {
  out[o++] = metadataTag;
  o = writeForward(out, o, newMetaLength);
  o = copy(out, o, bytes, metaStart, versionStart);
  out[o++] = versionTag;
  out[o++] = digits;
  o += digits;
  for (let i = o - 1, rest = revision; i >= o - digits; i--) {
    const quotient = Math.floor(rest / 10);
    out[i] = rest - quotient * 10 + 48;
    rest = quotient;
  }
  return copy(out, o, bytes, versionEnd, bytes.length);
}

/** Copying a few bytes is quicker than asking for it. */
function copy(out: Buffer, o: number, bytes: Buffer, start: number, end: number): number {
  if (end - start > 64) bytes.copy(out, o, start, end);
  else for (let i = start; i < end; i++) out[o + i - start] = bytes[i]!;
  return o + end - start;
}

function writeForward(out: Buffer, o: number, value: number): number {
  while (value > 127) {
    out[o++] = (value & 127) | 128;
    value >>>= 7;
  }
  out[o++] = value;
  return o;
}

/** The object's message with its resourceVersion. */
export function spliceResourceVersion(bytes: Buffer, revision: number): Buffer {
  const digits = digitsOf(revision);
  locate(bytes, digits);
  const out = Buffer.allocUnsafe(total);
  write(out, 0, bytes, revision, digits);
  return out;
}

/** How long {@link spliceResourceVersion} makes the message. */
export function splicedLength(bytes: Buffer, revision: number): number {
  locate(bytes, digitsOf(revision));
  return total;
}

/** The object with its resourceVersion, in its envelope: one allocation, one copy. */
export function spliceEnvelope(apiVersion: string, kind: string, bytes: Buffer, revision: number): Buffer {
  const digits = digitsOf(revision);
  locate(bytes, digits);
  const head = envelopeHead(apiVersion, kind);
  const out = Buffer.allocUnsafe(head.length + varintSize(total) + total + envelopeTail.length);
  head.copy(out, 0);
  const end = write(out, writeForward(out, head.length, total), bytes, revision, digits);
  envelopeTail.copy(out, end);
  return out;
}

/** Bytes that an object takes as an item of a list, its tag and length included. */
export function listItemLength(bytes: Buffer, revision: number): number {
  const length = splicedLength(bytes, revision);
  return 1 + varintSize(length) + length;
}

/**
 * Writes an object as an item of a list at `o`, where {@link listItemLength} bytes must be free; returns the position
 * after it.
 */
export function writeListItem(out: Buffer, o: number, bytes: Buffer, revision: number): number {
  const digits = digitsOf(revision);
  locate(bytes, digits);
  out[o++] = 18;
  return write(out, writeForward(out, o, total), bytes, revision, digits);
}

/** What stands in front of an item of so many bytes. */
export function listItemPrefix(length: number): Buffer {
  const size = varintSize(length);
  const out = Buffer.allocUnsafe(1 + size);
  out[0] = 18;
  writeForward(out, 1, length);
  return out;
}

export interface ListEnvelopeOptions {
  readonly apiVersion: string;
  /** `PodList` */
  readonly kind: string;
  readonly revision: number;
  /** Bytes of all items together, with their tags and lengths. */
  readonly itemsLength: number;
  readonly continueToken?: string;
  /** Objects that are not in this page. */
  readonly remaining?: number;
}

/** What stands before and behind the items of a list. */
export function listEnvelope({
  apiVersion,
  kind,
  revision,
  itemsLength,
  continueToken,
  remaining,
}: ListEnvelopeOptions): { head: Buffer; tail: Buffer } {
  const meta = listMeta(String(revision), continueToken ?? '', remaining);
  const start = envelopeHead(apiVersion, kind);
  const head = Buffer.concat([start, varint(meta.length + itemsLength), meta]);
  return { head, tail: envelopeTail };
}

/** Field 1 of every list: ListMeta { 1 selfLink, 2 resourceVersion, 3 continue, 4 remainingItemCount }. */
function listMeta(resourceVersion: string, continueToken: string, remaining: number | undefined): Buffer {
  const b = Buffer.alloc(8192 + continueToken.length * 3);
  let p = b.length;
  if (remaining !== undefined) {
    p = writeVarint(b, p, remaining);
    b[--p] = 32;
  }
  p = writeString(b, p, continueToken);
  b[--p] = 26;
  p = writeString(b, p, resourceVersion);
  b[--p] = 18;
  b[--p] = 0;
  b[--p] = 10;
  p = writeVarint(b, p, b.length - p);
  b[--p] = metadataTag;
  return b.subarray(p);
}

function varint(value: number): Buffer {
  const b = Buffer.alloc(10);
  return b.subarray(writeVarint(b, 10, value));
}

/** The message of an object that has nothing but its metadata: part of the given one. */
export function metadataField(message: Buffer): Buffer {
  if (message[0] !== metadataTag) return message.subarray(0, 0);
  const length = readUint(message, 1);
  if (at.p + length > message.length) throw new DecodeError('unexpected EOF');
  return message.subarray(0, at.p + length);
}
