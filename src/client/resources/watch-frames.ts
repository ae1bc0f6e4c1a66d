/** The events of a watch in the bytes of its answer: JSON documents, one per line, or protobuf frames. */
import { ProtoReader } from '../../base/protobuf/reader.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isObject, type JsonObject } from '../../machinery/value.ts';
import { decodeObject, type DecodeOptions, json, protobuf, pruned } from './object-codec.ts';

export interface WatchDocument {
  readonly type: string;
  readonly object: KubeObject;
}

export interface WatchFrames {
  /** The events that are whole now. Throws for bytes that are none. */
  push(chunk: Uint8Array): readonly WatchDocument[];
}

/** Beyond all that a server of this API sends: objects are bounded by the store to some megabytes. */
const maxFrameBytes = 64 * 1024 * 1024;
const newline = 0x0a;
const lengthBytes = 4;

export function watchFrames(contentType: string, options: DecodeOptions = {}): WatchFrames {
  return contentType.startsWith(protobuf) ? new ProtobufFrames(options) : new JsonLines(options);
}

class JsonLines implements WatchFrames {
  readonly #rest = new Rest();
  readonly #options: DecodeOptions;

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): readonly WatchDocument[] {
    const documents: WatchDocument[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#rest.add(chunk.subarray(start, end));
      start = end + 1;
      const line = this.#rest.take();
      if (line.length > 0) documents.push(jsonDocument(line, this.#options));
    }
    this.#rest.add(chunk.subarray(start));
    return documents;
  }
}

/** What a bookmark says is in its annotations. */
const optionsFor = (type: string, options: DecodeOptions): DecodeOptions => (type === 'BOOKMARK' ? {} : options);

function jsonDocument(line: Buffer, options: DecodeOptions): WatchDocument {
  const document = decodeObject(line, json) as JsonObject;
  const { type, object } = document;
  if (typeof type !== 'string' || !isObject(object)) throw new Error('the server sent an event without type or object');
  const kept = pruned(object as KubeObject, optionsFor(type, options));
  if (options.dropManagedFields === true) delete kept.metadata?.managedFields;
  return { type, object: kept };
}

/** Four bytes of length in network order, then a WatchEvent. */
class ProtobufFrames implements WatchFrames {
  readonly #rest = new Rest();
  /** Of the frame that is under way; undefined before its length is known. */
  #length: number | undefined;
  readonly #options: DecodeOptions;

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): readonly WatchDocument[] {
    const documents: WatchDocument[] = [];
    let start = 0;
    for (;;) {
      const wanted = (this.#length ?? lengthBytes) - this.#rest.length;
      if (chunk.length - start < wanted) break;
      this.#rest.add(chunk.subarray(start, start + wanted));
      start += wanted;
      const bytes = this.#rest.take();
      if (this.#length === undefined) {
        this.#length = bytes.readUInt32BE(0);
        if (this.#length > maxFrameBytes) throw tooLong();
      } else {
        this.#length = undefined;
        documents.push(protobufDocument(bytes, this.#options));
      }
    }
    this.#rest.add(chunk.subarray(start));
    return documents;
  }
}

/** WatchEvent { type = 1, object = 2: RawExtension { raw = 1 } } */
function protobufDocument(bytes: Buffer, options: DecodeOptions): WatchDocument {
  let type = '';
  let object: Buffer | undefined;
  const reader = new ProtoReader(bytes, 0, bytes.length);
  while (reader.next(bytes.length)) {
    if (reader.field === 1) type = reader.string();
    else if (reader.field === 2) object = rawIn(bytes, reader);
    else reader.skip();
  }
  if (object === undefined) throw new Error('the server sent an event without an object');
  return { type, object: decodeObject(object, object[0] === brace ? json : protobuf, optionsFor(type, options)) };
}

/** Custom resources are JSON also here. */
const brace = 0x7b;

/** A slice: decoding copies what it keeps. */
function rawIn(bytes: Buffer, reader: ProtoReader): Buffer | undefined {
  const end = reader.message();
  let raw: Buffer | undefined;
  while (reader.next(end)) {
    if (reader.field !== 1) {
      reader.skip();
      continue;
    }
    const to = reader.message();
    raw = bytes.subarray(reader.at, to);
    reader.at = to;
  }
  return raw;
}

/** The beginning of a frame whose end has not come yet. */
class Rest {
  #pieces: Uint8Array[] = [];
  length = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.length += piece.length;
    if (this.length > maxFrameBytes) throw tooLong();
  }

  take(): Buffer {
    const bytes = Buffer.concat(this.#pieces, this.length);
    this.#pieces = [];
    this.length = 0;
    return bytes;
  }
}

const tooLong = (): Error => new Error('the server sent an event that is too long');
