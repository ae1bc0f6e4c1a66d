/**
 * Stored objects as clients read them. Bytes are shared: what was made for one reader of an object version serves all.
 */
import { remembered } from '../../base/bounded-cache.ts';
import { spliceResourceVersion } from '../../machinery/codec/splice.ts';
import { spliceJsonResourceVersion } from '../../machinery/json/splice.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { asJson, metaOf } from '../../machinery/object-meta.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { RepresentationBudget } from './budget.ts';

/** The version of the request, and the store of the objects. */
export interface Readable {
  readonly servedVersion: ServedVersion;
  readonly store: ResourceStore | undefined;
}

export class Encoder {
  /** What is kept of what was made. */
  readonly budget: RepresentationBudget;

  /** @param budgetBytes how much memory cached JSON encodings may take */
  constructor(budgetBytes: number) {
    this.budget = new RepresentationBudget(budgetBytes);
  }

  /**
   * The object's bytes in the request's version: a protobuf message, JSON text for custom resources.
   * @param revision the resourceVersion to show; an object that left a watch shows that of the change. 0 shows none.
   */
  message({ servedVersion, store }: Readable, object: StoredObject, revision: number): Buffer {
    if (servedVersion.custom !== undefined) return this.#customText({ servedVersion, store }, object, revision);
    if (servedVersion.isStored) return revision === 0 ? object.bytes : spliceResourceVersion(object.bytes, revision);
    return servedVersion.codec.encode(asJson(this.value({ servedVersion, store }, object, revision)));
  }

  #customText({ servedVersion, store }: Readable, object: StoredObject, revision: number): Buffer {
    // Objects that only a webhook can convert lie in the version in which they were written.
    if (!beginsWith(object.bytes, typeMetaPrefix(servedVersion.apiVersion)))
      return servedVersion.codec.toJson(asJson(this.value({ servedVersion, store }, object, revision)));
    return revision === 0 ? object.bytes : spliceJsonResourceVersion(object.bytes, revision);
  }

  /** The object in the request's version, the caller's own. */
  value({ servedVersion, store }: Readable, object: StoredObject, revision: number): KubeObject {
    const value = store!.decode(object);
    if (revision === 0) delete metaOf(value).resourceVersion;
    else metaOf(value).resourceVersion = String(revision);
    return servedVersion.isStored ? value : servedVersion.fromStored(value);
  }

  /** Protobuf with its envelope. */
  envelope(readable: Readable, object: StoredObject, revision: number): Buffer {
    return writeEnvelope(
      readable.servedVersion.apiVersion,
      readable.servedVersion.kind,
      this.message(readable, object, revision),
    );
  }

  /** JSON as an item of a list: without kind and apiVersion, which only custom objects have there. */
  jsonItem(readable: Readable, object: StoredObject, revision: number): Buffer {
    return this.#json(readable, object, revision, 'item', () =>
      readable.servedVersion.codec.transcode(this.message(readable, object, revision)),
    );
  }

  /** JSON as an object of its own: with kind and apiVersion. */
  json(readable: Readable, object: StoredObject, revision: number): Buffer {
    if (readable.servedVersion.custom !== undefined) return this.jsonItem(readable, object, revision);
    return this.#json(readable, object, revision, 'object', () =>
      withTypeMeta(readable.servedVersion, this.jsonItem(readable, object, revision)),
    );
  }

  #json({ servedVersion }: Readable, object: StoredObject, revision: number, what: string, make: () => Buffer): Buffer {
    // A version that is shown under another revision, or was never stored, is read once.
    if (revision !== object.revision || revision === 0) return make();
    return this.budget.get(object, `${what} ${servedVersion.typeId}`, make);
  }
}

/** Of built-in kinds. */
const prefixes = new Map<string, Buffer>();

/** The first member of stored custom objects. */
const typeMetaPrefix = remembered((apiVersion) => Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},`), {
  maxBytes: 1024 * 1024,
  maxKeyLength: 512,
  bytesOf: ({ length }) => length,
});

const beginsWith = (bytes: Buffer, prefix: Buffer): boolean =>
  bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** `{"kind":"Pod","apiVersion":"v1",` in front of the members. */
function withTypeMeta({ kind, apiVersion }: ServedVersion, item: Buffer): Buffer {
  const key = `${apiVersion} ${kind}`;
  let prefix = prefixes.get(key);
  if (prefix === undefined)
    prefixes.set(
      key,
      (prefix = Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`)),
    );
  return item.length === 2
    ? Buffer.concat([prefix.subarray(0, -1), Buffer.from('}')])
    : Buffer.concat([prefix, item.subarray(1)]);
}
