import { listEnvelope, listItemPrefix } from '../../machinery/codec/splice.ts';
import type { Encoder, Readable } from './encoder.ts';
import { type ChunkedBody, gather, type ListPage } from './list.ts';
import { partialApiVersion, partialJson, partialMessage } from './partial-metadata.ts';

const kind = 'PartialObjectMetadataList';

/** A list of metadata. Its items carry kind and apiVersion in JSON, as upstream's do. */
export function partialListJson(encoder: Encoder, readable: Readable, page: ListPage, version: string): ChunkedBody {
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined || page.remaining === 0 ? {} : { remainingItemCount: page.remaining }),
  };
  function* pieces(): Generator<Buffer> {
    yield Buffer.from(
      `{"kind":"${kind}","apiVersion":"${partialApiVersion(version)}","metadata":${JSON.stringify(metadata)},"items":[`,
    );
    for (const [i, object] of page.objects.entries()) {
      if (i > 0) yield Buffer.from(',');
      yield partialJson(encoder.message(readable, object, object.revision), version);
    }
    yield Buffer.from(']}\n');
  }
  return { chunks: gather(pieces()) };
}

export function partialListProtobuf(
  encoder: Encoder,
  readable: Readable,
  page: ListPage,
  version: string,
): ChunkedBody {
  const items = page.objects.map((object) => partialMessage(encoder.message(readable, object, object.revision)));
  const itemsLength = items.reduce((sum, item) => sum + listItemPrefix(item.length).length + item.length, 0);
  const { head, tail } = listEnvelope({
    apiVersion: partialApiVersion(version),
    kind,
    revision: page.revision,
    itemsLength,
    ...(page.continueToken === undefined ? {} : { continueToken: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remaining: page.remaining }),
  });
  function* pieces(): Generator<Buffer> {
    yield head;
    for (const item of items) {
      yield listItemPrefix(item.length);
      yield item;
    }
    yield tail;
  }
  return { chunks: gather(pieces()), length: head.length + itemsLength + tail.length };
}
