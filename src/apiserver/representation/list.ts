/**
 * Lists, item by item: memory does not grow with the answer. In protobuf the length is known beforehand, because the
 * length of every item is.
 */
import { listEnvelope, listItemPrefix, splicedLength } from '../../machinery/codec/splice.ts';
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

export function protobufList(encoder: Encoder, readable: Readable, page: ListPage): ChunkedBody {
  const { form } = readable;
  const items = form.isStored ? undefined : page.objects.map((object) => encoder.message(readable, object, object.revision));
  let itemsLength = 0;
  const lengths = page.objects.map((object, i) => {
    const length = items === undefined ? splicedLength(object.bytes, object.revision) : items[i]!.length;
    itemsLength += listItemPrefix(length).length + length;
    return length;
  });
  const { head, tail } = listEnvelope({
    apiVersion: form.apiVersion, kind: form.listKind, revision: page.revision, itemsLength,
    ...(page.continueToken === undefined ? {} : { continueToken: page.continueToken }), ...(page.remaining === undefined ? {} : { remaining: page.remaining }),
  });
  function* pieces(): Generator<Buffer> {
    yield head;
    for (const [i, object] of page.objects.entries()) {
      yield listItemPrefix(lengths[i]!);
      yield items === undefined ? encoder.message(readable, object, object.revision) : items[i]!;
    }
    yield tail;
  }
  return { chunks: gather(pieces()), length: head.length + itemsLength + tail.length };
}

export function jsonList(encoder: Encoder, readable: Readable, page: ListPage): ChunkedBody {
  const { form } = readable;
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined || page.remaining === 0 ? {} : { remainingItemCount: page.remaining }),
  };
  const head = Buffer.from(`{"kind":${JSON.stringify(form.listKind)},"apiVersion":${JSON.stringify(form.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`);
  function* pieces(): Generator<Buffer> {
    yield head;
    for (const [i, object] of page.objects.entries()) {
      if (i > 0) yield comma;
      yield encoder.jsonItem(readable, object, object.revision);
    }
    yield end;
  }
  return { chunks: gather(pieces()) };
}

const comma = Buffer.from(',');
const end = Buffer.from(']}\n');

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
