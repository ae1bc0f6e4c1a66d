/**
 * Codecs: values in memory ↔ protobuf ↔ JSON, compiled per type from the schema when a type is first used.
 *
 * One set serves a whole process; it has no state but the compiled functions.
 */
import type { SchemaRegistry } from '../schema.ts';
import type { Decoded } from '../json/body.ts';
import { JsonBody, normalizeValue } from '../json/body.ts';
import { writeLiteral } from '../json/bytes.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { writeTypeMeta } from './compile-to-json.ts';
import { compilers } from './compilers.ts';
import type { TypeMeta } from './envelope.ts';
import { envelopeTail, openEnvelope } from './envelope.ts';
import { typeMetaMembers } from './json-literals.ts';
import type { TypeLink } from './link.ts';
import { Links } from './link.ts';
import { copyOut, Scratch } from '../bytes/scratch.ts';
import { maxMessages } from './size-limits.ts';
import { budget, maxDepth } from './wire-read.ts';

export { DecodeError, EncodeError } from './decode-error.ts';
export type { Envelope, TypeMeta } from './envelope.ts';
export type { KeptFields } from './plan.ts';
export { createPartialReader, type PartialReader } from './partial-reader.ts';
export { hasEnvelope, readEnvelope, writeEnvelope } from './envelope.ts';

export interface TypeCodec {
  /** `core/v1.Pod` */
  readonly id: string;

  /**
   * A protobuf message as a normalized value, without apiVersion and kind, which lie in the envelope.
   * Throws `DecodeError`. Strings are copied, nothing refers to `bytes` afterwards.
   */
  decode(bytes: Buffer): JsonObject;

  /** A normalized value as a protobuf message, exactly as upstream writes it. Throws `EncodeError`. */
  encode(value: JsonObject): Buffer;

  /** The message in its envelope, as it is stored; one allocation. */
  encodeEnvelope(value: JsonObject, typeMeta: TypeMeta): Buffer;

  /**
   * A protobuf message as the JSON that upstream prints for it, without a value in between. Throws `DecodeError`.
   */
  transcode(bytes: Buffer, options?: JsonOptions): Buffer;

  /** A normalized value as the same JSON; its apiVersion and kind are used when the options name none. */
  toJson(value: JsonObject, options?: JsonOptions): Buffer;

  /**
   * A JSON document as a normalized value. Throws `JsonSyntaxError`, and `JsonTypeError` for a member of the wrong
   * type, with the messages of upstream's decoder; what only strict decoding refuses is in `problems`.
   */
  fromJson(input: JsonBody | Uint8Array | string): Decoded;

  /**
   * A JSON value that did not come from text (from a patch, from YAML) as a normalized value. The input is not changed.
   * @param path where it stands in the object (`metadata`), for the paths of problems
   */
  normalize(value: JsonValue, path?: string): Decoded;

  /** The value of an empty message: `{}` with the structs that are always there. */
  empty(): JsonObject;
}

export interface JsonOptions {
  /** Written as the first members. Items of a list have none. */
  readonly typeMeta?: TypeMeta;
  /** End with a line break, as upstream's answers do. */
  readonly newline?: boolean;
}

export interface Codecs {
  /** The codec of a type. Throws for a name that does not exist. */
  of(typeId: string): TypeCodec;
}

const jsonScratch = new Scratch();
const scratch = new Scratch();

export function createCodecs(schemas: SchemaRegistry): Codecs {
  const links = new Links(schemas, compilers);
  const codecs = new Map<string, TypeCodec>();
  return {
    of(typeId) {
      let codec = codecs.get(typeId);
      if (codec === undefined) codecs.set(typeId, (codec = new CompiledCodec(links.of(typeId), links)));
      return codec;
    },
  };
}

class CompiledCodec implements TypeCodec {
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  get id(): string {
    return this.#link.plan.id;
  }

  decode(bytes: Buffer): JsonObject {
    budget.messages = maxMessages(bytes.length);
    return this.#link.decode(bytes, 0, bytes.length, {}, maxDepth);
  }

  encode(value: JsonObject): Buffer {
    return scratch.run((b) => copyOut(b, this.#link.encode(b, b.length, value, maxDepth), b.length));
  }

  encodeEnvelope(value: JsonObject, typeMeta: TypeMeta): Buffer {
    return scratch.run((b) => {
      const end = b.length - envelopeTail.length;
      b.set(envelopeTail, end);
      return copyOut(b, openEnvelope(b, this.#link.encode(b, end, value, maxDepth), end, typeMeta), b.length);
    });
  }

  transcode(bytes: Buffer, options?: JsonOptions): Buffer {
    return this.#object(options, (out, o) => {
      budget.messages = maxMessages(bytes.length);
      return this.#link.transcode(out, o, bytes, 0, bytes.length, maxDepth);
    });
  }

  toJson(value: JsonObject, options?: JsonOptions): Buffer {
    return this.#object(options, (out, o) => {
      if (options?.typeMeta === undefined && this.#link.plan.kind) o = writeTypeMeta(out, o, value);
      return this.#link.toJson(out, o, value, maxDepth);
    });
  }

  #object(options: JsonOptions | undefined, writeMembers: (out: Buffer, o: number) => number): Buffer {
    return jsonScratch.run((out) => {
      out[0] = 0x7b;
      let o = options?.typeMeta === undefined ? 1 : writeLiteral(out, 1, typeMetaMembers(options.typeMeta));
      o = writeMembers(out, o);
      if (o > 1) o--;
      out[o++] = 0x7d;
      if (options?.newline === true) out[o++] = 0x0a;
      return copyOut(out, 0, o);
    });
  }

  fromJson(input: JsonBody | Uint8Array | string): Decoded {
    return (input instanceof JsonBody ? input : new JsonBody(input)).decodeAs(this.#links, this.id);
  }

  normalize(value: JsonValue, path?: string): Decoded {
    return normalizeValue(this.#links, this.id, value, path);
  }

  empty(): JsonObject {
    return this.#link.fill({});
  }
}
