/**
 * Lists, item by item: memory does not grow with the answer. In protobuf the length is known beforehand, because the
 * length of every item is.
 */
import { listEnvelope, listItemLength, listItemPrefix, writeListItem } from '../../machinery/codec/splice.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { Encoder, Readable } from './encoder.ts';

export interface ListPage {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  readonly continueToken?: string;
  readonly remaining?: number;
}

/** Chunks of about this size go to the connection. */
const chunkBytes = 64 * 1024;

export interface ChunkedBody {
  readonly chunks: Iterable<Buffer>;
  readonly length?: number;
}

/** What a list of objects is made of, item by item. */
export interface ListItems {
  readonly objects: readonly StoredObject[];
  /** Names the representation of the items. */
  readonly key: string;
  /** @param itemsLength bytes of all items, where `length` tells it */
  head(itemsLength: number): Buffer;
  readonly tail: Buffer;
  /**
   * The items from `start` to `end`, without what is behind the last. The same for the same objects, but when `start`
   * is 0.
   */
  bytes(start: number, end: number): Buffer;
  /** How long `bytes` is, where that is known beforehand. */
  length?(start: number, end: number): number;
}

export function protobufItems(encoder: Encoder, readable: Readable, page: ListPage): ListItems {
  const { servedVersion } = readable;
  const { objects, revision, continueToken, remaining } = page;
  const envelope = (itemsLength: number): { head: Buffer; tail: Buffer } =>
    listEnvelope({
      apiVersion: servedVersion.apiVersion,
      kind: servedVersion.listKind,
      revision,
      itemsLength,
      ...(continueToken === undefined ? {} : { continueToken }),
      ...(remaining === undefined ? {} : { remaining }),
    });
  return {
    objects,
    key: `protobuf ${servedVersion.typeId}`,
    tail: envelope(0).tail,
    head: (itemsLength) => envelope(itemsLength).head,
    ...(servedVersion.isStored
      ? splicedItems(objects)
      : convertedItems(objects, (object) => encoder.message(readable, object, object.revision))),
  };
}

/** Stored bytes with their resourceVersion: one copy, and no decoding. */
function splicedItems(objects: readonly StoredObject[]): Required<Pick<ListItems, 'bytes' | 'length'>> {
  const length = (start: number, end: number): number => {
    let sum = 0;
    for (let i = start; i < end; i++) sum += listItemLength(objects[i]!.bytes, objects[i]!.revision);
    return sum;
  };
  return {
    length,
    bytes: (start, end) => {
      const out = Buffer.allocUnsafe(length(start, end));
      for (let i = start, o = 0; i < end; i++) o = writeListItem(out, o, objects[i]!.bytes, objects[i]!.revision);
      return out;
    },
  };
}

function convertedItems(
  objects: readonly StoredObject[],
  messageOf: (object: StoredObject) => Buffer,
): Required<Pick<ListItems, 'bytes' | 'length'>> {
  const made: Buffer[] = [];
  const itemAt = (i: number): Buffer => {
    if (made[i] === undefined) {
      const message = messageOf(objects[i]!);
      made[i] = Buffer.concat([listItemPrefix(message.length), message]);
    }
    return made[i];
  };
  return {
    length: (start, end) => {
      let sum = 0;
      for (let i = start; i < end; i++) sum += itemAt(i).length;
      return sum;
    },
    bytes: (start, end) => Buffer.concat(Array.from({ length: end - start }, (_, i) => itemAt(start + i))),
  };
}

export function jsonItems(encoder: Encoder, readable: Readable, page: ListPage): ListItems {
  const { servedVersion } = readable;
  const { objects } = page;
  const { head, tail } =
    servedVersion.custom === undefined ? jsonEnds(servedVersion, page) : customEnds(servedVersion, page);
  return {
    objects,
    key: `json ${servedVersion.typeId}`,
    head: () => head,
    tail,
    bytes: (start, end) => {
      const pieces: Buffer[] = [];
      for (let i = start; i < end; i++) {
        if (i > 0) pieces.push(comma);
        pieces.push(encoder.jsonItem(readable, objects[i]!, objects[i]!.revision));
      }
      return Buffer.concat(pieces);
    },
  };
}

const comma = Buffer.from(',');
const jsonEnd = Buffer.from(']}\n');

/** What stands before and behind the items. */
function jsonEnds(
  { apiVersion, listKind }: Readable['servedVersion'],
  page: ListPage,
): { readonly head: Buffer; readonly tail: Buffer } {
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined || page.remaining === 0 ? {} : { remainingItemCount: page.remaining }),
  };
  return {
    head: Buffer.from(
      `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(apiVersion)},` +
        `"metadata":${JSON.stringify(metadata)},"items":[`,
    ),
    tail: jsonEnd,
  };
}

/** Lists of custom objects have their members in the order of their names, and always say how to continue. */
function customEnds(
  { apiVersion, listKind }: Readable['servedVersion'],
  { revision, continueToken = '', remaining = 0 }: ListPage,
): { readonly head: Buffer; readonly tail: Buffer } {
  const metadata = {
    continue: continueToken,
    ...(remaining === 0 ? {} : { remainingItemCount: remaining }),
    resourceVersion: String(revision),
  };
  return {
    head: Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"items":[`),
    tail: Buffer.from(`],"kind":${JSON.stringify(listKind)},"metadata":${JSON.stringify(metadata)}}\n`),
  };
}

/** A list as it is, in chunks that are made when they are sent. */
export function plainList(items: ListItems): ChunkedBody {
  const { objects, tail } = items;
  const itemsLength = items.length?.(0, objects.length);
  const head = items.head(itemsLength ?? 0);
  function* pieces(): Generator<Buffer> {
    yield head;
    for (let start = 0, end: number; start < objects.length; start = end) {
      let size = 0;
      for (end = start; end < objects.length && size < chunkBytes; end++) size += objects[end]!.bytes.length;
      yield items.bytes(start, end);
    }
    yield tail;
  }
  return {
    chunks: gather(pieces()),
    ...(itemsLength === undefined ? {} : { length: head.length + itemsLength + tail.length }),
  };
}

/** Puts small pieces together, so that the connection gets few large writes. */
export function* gather(pieces: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < chunkBytes) continue;
    yield Buffer.concat(waiting, size);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}
