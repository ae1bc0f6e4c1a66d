import type { Codecs } from '../../machinery/codec/index.ts';
import type { TypeCodec } from '../../machinery/codec/index.ts';
import type { ObjectCodec } from '../../storage/objects.ts';
import { createStorageCodec, type StorageMediaType } from './storage-codec.ts';
import { createServedVersion } from './served-version.ts';

/** The way in and out of the store for objects that servers keep for each other and that no path serves. */
export interface InternalStorageCodec extends ObjectCodec {
  readonly codec: TypeCodec;
}

export interface InternalStorageCodecOptions {
  readonly apiVersion: string;
  readonly kind: string;
  /** `core/v1.Endpoints` */
  readonly typeId: string;
  readonly codecs: Codecs;
  readonly mediaType: StorageMediaType;
}

const noAttributes = { namespace: '', name: '', labels: new Map<string, string>(), fields: new Map<string, string>() };

export function createInternalStorageCodec({
  apiVersion,
  kind,
  typeId,
  codecs,
  mediaType,
}: InternalStorageCodecOptions): InternalStorageCodec {
  const stored = createServedVersion({
    apiVersion,
    kind,
    listKind: `${kind}List`,
    typeId,
    storedTypeId: typeId,
    codecs,
    rules: undefined,
  });
  return {
    ...createStorageCodec({ stored, others: () => undefined, scan: () => noAttributes, mediaType }),
    codec: stored.codec,
  };
}
