/**
 * Custom objects of one version as bytes: JSON text, members sorted, with kind and apiVersion, as kube-apiserver stores
 * it.
 *
 * What is stored has the storage version; this codec reads it as objects of its own version and writes such objects
 * back.
 */
import { EncodeError, type JsonOptions, type TypeCodec } from '../../machinery/codec/index.ts';
import { JsonBody, type Decoded } from '../../machinery/json/body.ts';
import { JsonTypeError } from '../../machinery/json/json-error.ts';
import { encodeJson } from '../../machinery/json/writer.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { requestEntityTooLarge } from '../../machinery/status.ts';
import { copyValue, maxDefaultBytes, setDefaults } from '../../machinery/structural/defaulting.ts';
import { prune } from '../../machinery/structural/pruning.ts';
import type { Structural } from '../../machinery/structural/schema.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { Converter } from './conversion.ts';
import { coerceMetadata } from './metadata.ts';

export interface VersionSchema {
  readonly apiVersion: string;
  readonly kind: string;
  readonly structural: Structural;
}

export interface CustomCodecOptions {
  readonly version: VersionSchema;
  readonly stored: VersionSchema;
  /** Schemas of all versions, by apiVersion: an object that only a webhook can convert is stored in any of them. */
  readonly versions: ReadonlyMap<string, VersionSchema>;
  readonly converter: Converter;
  /** Of `meta/v1.ObjectMeta`. */
  readonly metadata: TypeCodec;
}

export class CustomCodec implements TypeCodec {
  readonly id: string;
  readonly #options: CustomCodecOptions;
  /** Objects that a webhook converted, by their stored bytes: it is asked once per object version. */
  readonly #converted = new WeakMap<Buffer, JsonObject>();

  constructor(options: CustomCodecOptions) {
    this.id = `${options.version.apiVersion}.${options.version.kind}`;
    this.#options = options;
  }

  decode(bytes: Buffer): JsonObject {
    const { version, converter } = this.#options;
    const object = this.#read(bytes);
    if (object['apiVersion'] === version.apiVersion) return object;
    const known = this.#converted.get(bytes);
    if (known !== undefined) return copyValue(known) as JsonObject;
    const converted = this.#shaped(converter.convert(object as KubeObject, version.apiVersion), version);
    if (converter.asks) this.#converted.set(bytes, copyValue(converted) as JsonObject);
    return converted;
  }

  encode(value: JsonObject): Buffer {
    const { version, stored, converter } = this.#options;
    if (version.apiVersion === stored.apiVersion || !isOfKind(value, version)) return encodeJson(value);
    return encodeJson(this.#shaped(converter.convert(value as KubeObject, stored.apiVersion), stored));
  }

  /** The bytes of an object as its clients see it, in this version. */
  show(value: JsonObject): Buffer {
    return encodeJson(value);
  }

  /** Defaults of this version; an object of another kind is left as it is. Throws 413 when they make it too large. */
  setDefaults(object: JsonObject): void {
    const { version } = this.#options;
    if (isOfKind(object, version) && !setDefaults(object, version.structural))
      throw requestEntityTooLarge(
        `Request entity too large: with the defaults of its schema the object has more than ${maxDefaultBytes} bytes`,
      );
  }

  /** An object of any version in this one. It is not changed. */
  converted(object: JsonObject): JsonObject {
    const { version, converter } = this.#options;
    const other = converter.convert(object as KubeObject, version.apiVersion);
    return asJson(other) === object ? object : this.#shaped(other, version);
  }

  /**
   * A stored value, normalized: of the storage version where that needs no webhook, pruned, with its defaults.
   */
  normalForm(bytes: Buffer): Buffer {
    const { stored, versions, converter } = this.#options;
    const value = new JsonBody(bytes).value().value;
    if (!isObject(value)) throw new JsonTypeError('a custom object is stored as something else');
    const own = converter.asks ? versions.get(value['apiVersion'] as string) : undefined;
    return encodeJson(
      own === undefined
        ? this.#shaped(converter.convert(value as KubeObject, stored.apiVersion), stored)
        : this.#shaped(value as KubeObject, own),
    );
  }

  encodeEnvelope(): Buffer {
    throw new EncodeError('custom objects have no protobuf form');
  }

  transcode(bytes: Buffer): Buffer {
    return bytes;
  }

  toJson(value: JsonObject, options: JsonOptions = {}): Buffer {
    const json = encodeJson(options.typeMeta === undefined ? value : { ...value, ...options.typeMeta });
    return options.newline === true ? Buffer.concat([json, newline]) : json;
  }

  fromJson(input: JsonBody | Uint8Array | string): Decoded {
    const { value, problems } = (input instanceof JsonBody ? input : new JsonBody(input)).value();
    const read = this.#accept(value);
    return { value: read.value, problems: [...problems, ...read.problems] };
  }

  normalize(value: JsonValue): Decoded {
    return this.#accept(copyValue(value));
  }

  empty(): JsonObject {
    const { apiVersion, kind } = this.#options.version;
    return { apiVersion, kind, metadata: {} };
  }

  #read(bytes: Buffer): JsonObject {
    const object = new JsonBody(bytes).value().value as JsonObject;
    object['metadata'] = this.#options.metadata.normalize(object['metadata'] ?? {}).value;
    return object;
  }

  /** What a client sent: an object of another kind is left as it is, and refused when it is validated. */
  #accept(value: JsonValue): Decoded {
    if (!isObject(value))
      throw new JsonTypeError(
        `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type ` +
          'map[string]interface {}',
      );
    const { version, metadata } = this.#options;
    const object = Object.assign(createMap<JsonValue | undefined>(), value) as JsonObject;
    const structural = isOfKind(object, version) ? version.structural : undefined;
    const problems = coerceMetadata(object, structural ?? anything, { codec: metadata, dropInvalid: false });
    if (structural === undefined) return { value: object, problems };
    const unknown = prune(object, structural).map((path) => `unknown field ${goQuote(path)}`);
    return { value: object, problems: [...problems, ...unknown] };
  }

  #shaped(object: KubeObject, { structural }: VersionSchema): JsonObject {
    const value = asJson(object);
    coerceMetadata(value, structural, { codec: this.#options.metadata, dropInvalid: true });
    prune(value, structural);
    setDefaults(value, structural);
    return value;
  }
}

const newline = Buffer.from('\n');

export const isOfKind = (object: JsonObject, { kind }: VersionSchema): boolean => object['kind'] === kind;

const anything: Structural = {
  type: 'object',
  nullable: false,
  intOrString: false,
  embedded: true,
  preserve: true,
  properties: new Map(),
  additional: undefined,
  items: undefined,
  default: undefined,
  listType: '',
  listMapKeys: [],
  rules: {},
  hasDefaults: false,
};
