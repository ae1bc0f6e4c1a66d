/**
 * Decodes stored values, in whatever encoding they were stored, to normalized bytes (storage version, defaulted,
 * protobuf), and encodes these. See `docs/architecture.md`, "Objects are kept as bytes".
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { hasEnvelope, readEnvelope, writeEnvelope } from '../../machinery/codec/envelope.ts';
import type { AttributesScanner } from '../../machinery/codec/attributes-scanner.ts';
import { JsonBody } from '../../machinery/json/body.ts';
import { readYaml, writeYaml } from '../../machinery/json/yaml.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { createAttributesInterning } from '../../storage/attributes-interning.ts';
import type { ObjectCodec } from '../../storage/objects.ts';
import type { ServedVersion } from './served-version.ts';

export type StorageMediaType = 'application/vnd.kubernetes.protobuf' | 'application/json' | 'application/yaml';

export interface StorageCodecOptions {
  /** What is stored now. */
  readonly stored: ServedVersion;
  /** Other versions, which older servers may have stored. */
  readonly others: (apiVersion: string, kind: string) => ServedVersion | undefined;
  /**
   * Versions that are stored as text only and have no type here: their JSON into that of the stored version, by
   * apiVersion.
   */
  readonly untyped?: Readonly<Record<string, (object: JsonObject) => JsonObject>>;
  /** Reads the attributes from normalized bytes. */
  readonly scan: AttributesScanner;
  /** `--storage-media-type` */
  readonly mediaType: StorageMediaType;
  /** Fills in what depends on the server and objects of older versions lack. */
  readonly complete?: (object: KubeObject) => void;
}

/**
 * Values that this process encoded a moment ago, by key: they are normalized, so that what comes back of a write of
 * our own, usually before the write's answer, need not be read and written again to see that.
 */
export class OwnValues {
  readonly #byKey = new BoundedCache<Buffer>({
    maxBytes: maxOwnBytes,
    maxKeyLength: maxKeyLength,
    bytesOf: ({ length }) => length,
  });

  add(key: string, value: Buffer): void {
    this.#byKey.set(key, value);
  }

  has(key: string, value: Buffer): boolean {
    const own = this.#byKey.get(key);
    return own !== undefined && (own === value || own.equals(value));
  }
}

/** Also large enough for the largest value. */
const maxOwnBytes = 8 * 1024 * 1024;
const maxKeyLength = 4096;

export function createStorageCodec(options: StorageCodecOptions): ObjectCodec {
  const { stored, scan, mediaType } = options;
  const own = new OwnValues();
  const share = createAttributesInterning();
  const encode = (bytes: Buffer): Buffer =>
    mediaType === 'application/vnd.kubernetes.protobuf'
      ? writeEnvelope(stored.apiVersion, stored.kind, bytes)
      : asText(stored, bytes, mediaType);
  return {
    decode: (key, value, revision) => {
      const bytes = own.has(key, value) && hasEnvelope(value) ? readEnvelope(value).raw : normalized(options, value);
      return { key, revision, bytes, attributes: share(key, scan(bytes)), representations: undefined };
    },
    encode: (key, bytes) => {
      const value = encode(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes));
      own.add(key, value);
      return value;
    },
  };
}

function normalized(options: StorageCodecOptions, value: Buffer): Buffer {
  const { servedVersion, object, raw } = hasEnvelope(value) ? fromEnvelope(options, value) : fromText(options, value);
  servedVersion.setDefaults(object);
  const stored = servedVersion.toStored(object, () => object);
  options.complete?.(stored);
  const bytes = options.stored.codec.encode(asJson(stored));
  // Equal bytes are the rule, and then the ones that are there need no second copy.
  return raw !== undefined && bytes.equals(raw) ? raw : bytes;
}

interface DecodedValue {
  readonly servedVersion: ServedVersion;
  readonly object: KubeObject;
  readonly raw?: Buffer;
}

function fromEnvelope({ stored, others }: StorageCodecOptions, value: Buffer): DecodedValue {
  const { apiVersion, kind, raw } = readEnvelope(value);
  const servedVersion = apiVersion === stored.apiVersion && kind === stored.kind ? stored : others(apiVersion, kind);
  if (servedVersion === undefined)
    throw new Error(`${kind} of ${apiVersion} is stored where ${stored.kind} of ${stored.apiVersion} is expected`);
  return {
    servedVersion,
    object: servedVersion.codec.decode(raw) as KubeObject,
    ...(servedVersion === stored ? { raw } : {}),
  };
}

function fromText({ stored, others, untyped }: StorageCodecOptions, value: Buffer): DecodedValue {
  const body = value[0] === 0x7b ? new JsonBody(value) : readYaml(value);
  const { apiVersion, kind } = body.typeMeta();
  const convert = kind === stored.kind ? untyped?.[apiVersion] : undefined;
  if (convert !== undefined)
    return {
      servedVersion: stored,
      object: stored.codec.normalize(convert(body.value().value as JsonObject)).value as KubeObject,
    };
  const servedVersion = apiVersion === stored.apiVersion && kind === stored.kind ? stored : others(apiVersion, kind);
  if (servedVersion === undefined)
    throw new Error(`${kind} of ${apiVersion} is stored where ${stored.kind} of ${stored.apiVersion} is expected`);
  return { servedVersion, object: servedVersion.codec.fromJson(body).value as KubeObject };
}

function asText({ apiVersion, kind, codec }: ServedVersion, bytes: Buffer, mediaType: StorageMediaType): Buffer {
  const json = Buffer.concat([
    Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`),
    codec.transcode(bytes).subarray(1),
    Buffer.from('\n'),
  ]);
  return mediaType === 'application/json' ? json : Buffer.from(writeYaml(new JsonBody(json).value().value));
}
