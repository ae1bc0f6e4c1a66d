/**
 * JSON value → normalized value, the exact way: finds every unknown and duplicate field with its path and the first
 * value of a wrong type, with the messages of upstream's decoder. Slower than the compiled decoder, which hands over to
 * this one for all unusual input.
 *
 * Behaviour taken from upstream's decoder: members are read in order; a value of the wrong type is noted and the rest
 * still read; an error of a type with its own decoder (time, quantity) ends decoding at once and is reported instead of
 * those noted; null leaves a value as it was; a repeated member is read into the value of the first one.
 *
 * One file because the decoders of messages, lists, maps and single values call each other.
 */
import type { Links } from '../codec/link.ts';
import type { Element, Member } from '../codec/plan.ts';
import { maxDepth } from '../codec/wire-read.ts';
import { goQuote } from '../go-quote.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap, RawJson } from '../value.ts';
import { JsonTypeError } from './json-error.ts';
import { canonicalBase64 } from './base64.ts';
import {
  dropMembers,
  findMember,
  isCarried,
  numberText,
  plain,
  readNumber,
  scalarText,
  setUnlessZero,
  zeroItemOf,
  zeroOf,
} from './exact-values.ts';
import { goNameOf, goTypeOf, kindOf } from './go-types.ts';
import type { JsonDocument } from './reader.ts';
import { ProblemList } from './problems.ts';
import { JsonNumber } from './number.ts';
import { textOfContainer } from './container-text.ts';
import type { WellKnownType } from './well-known-types.ts';
import { FormMismatch, isWellKnownType, readWellKnownType } from './well-known-types.ts';

export interface ExactResult {
  readonly value: JsonObject;
  /** `unknown field "spec.foo"`, `duplicate field "data.k"`: in the order of the text, each once. */
  readonly problems: readonly string[];
}

/** An error of a type with its own decoder: ends the decoding. */
class Fatal extends Error {}

/** A value of another type than the one that Go expects there. */
interface Mismatch {
  readonly what: string;
  readonly goType: string;
}

/**
 * @param document what was read from text, with repeated members and where its containers begin; a bare value has none
 * @param path where the value stands in the object, for the paths of problems
 * @throws JsonTypeError
 */
export function decodeExactly(
  links: Links,
  typeId: string,
  document: Pick<JsonDocument, 'value' | 'repeated' | 'starts' | 'text'>,
  path = '',
): ExactResult {
  return new ExactDecoder(links, document, path).run(typeId);
}

type DecodedDocument = Pick<JsonDocument, 'value' | 'repeated' | 'starts' | 'text'>;

/** A value of a wrong type and its place, or the message of an error. */
type FirstError = (Mismatch & { readonly where: string }) | string;

class ExactDecoder {
  readonly #links: Links;
  readonly #document: DecodedDocument;
  readonly #problems = new ProblemList(true);
  #firstError: FirstError | undefined;
  /** The struct and its members down to here, for messages about types. */
  #struct = '';
  readonly #fields: string[] = [];
  /** Path with indexes and map keys, for problems. */
  #path: string;
  #depth = 0;

  constructor(links: Links, document: DecodedDocument, path: string) {
    this.#links = links;
    this.#document = document;
    this.#path = path;
  }

  run(typeId: string): ExactResult {
    const element: Element = { fieldType: 'struct', type: typeId };
    let value: JsonValue | undefined;
    try {
      value = this.#element(this.#document.value, element, undefined, goTypeOf(element));
    } catch (error) {
      if (error instanceof Fatal) throw new JsonTypeError(error.message);
      throw error;
    }
    if (this.#firstError !== undefined) throw new JsonTypeError(messageOf(this.#firstError));
    return { value: (value ?? this.#links.of(typeId).fill({})) as JsonObject, problems: this.#problems.slice() };
  }

  /**
   * One value. `known` is what an earlier member of the same name left; `goType` is how Go calls the type.
   * Undefined when the value does not fit or is nothing.
   */
  #element(value: JsonValue, element: Element, known: JsonValue | undefined, goType: string): JsonValue | undefined {
    if (value === null) return known;
    switch (element.fieldType) {
      case 'struct':
        return this.#structValue(value, element.type, known, goType);
      case 'texts':
        return this.#list(value, { fieldType: 'string' }, known, goType, false);
      case 'string':
        return typeof value === 'string' ? value : this.#mismatch(value, goType, known);
      case 'bool':
        return typeof value === 'boolean' ? value : this.#mismatch(value, goType, known);
      case 'bytes':
        return this.#bytes(value, known, goType);
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
      case 'goDuration':
      case 'double':
        return this.#number(value, element.fieldType, known, goType);
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.#choice(value, element);
      case 'rawExtension':
      case 'fieldsV1':
      case 'unknown':
        return this.#carried(value);
      case 'json':
      case 'any':
        return plain(value);
      default:
        return this.#ownForm(value, element.fieldType);
    }
  }

  #ownForm(value: JsonValue, fieldType: WellKnownType): JsonValue | undefined {
    const result = readWellKnownType(fieldType, value, (container) => this.#textOf(container));
    if (result instanceof FormMismatch) throw this.#fatal(result);
    if (result instanceof Error) throw new Fatal(result.message);
    return result;
  }

  #structValue(value: JsonValue, typeId: string, known: JsonValue | undefined, goType: string): JsonValue | undefined {
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber || value instanceof RawJson)
      return this.#mismatch(value, goType, known);
    if (++this.#depth > maxDepth) throw new Fatal('exceeded max depth');
    const link = this.#links.of(typeId);
    const result = (known ?? {}) as JsonObject;
    const saved = { struct: this.#struct, path: this.#path, fields: this.#fields.length };
    const seen = new Set<string>();
    for (const [key, item] of this.#members(value as JsonObject)) {
      this.#path = saved.path === '' ? key : `${saved.path}.${key}`;
      const field = findMember(link.plan, this.#links, key);
      if (field === undefined) this.#report('unknown');
      else {
        if (seen.has(key)) this.#report('duplicate');
        seen.add(key);
        this.#struct = typeId.slice(typeId.lastIndexOf('.') + 1);
        this.#fields.push(key);
        this.#field(result, field, item);
        this.#fields.length = saved.fields;
        this.#struct = saved.struct;
      }
      this.#path = saved.path;
    }
    this.#depth--;
    return link.fill(result);
  }

  #field(result: JsonObject, field: Member | 'typeMeta', value: JsonValue): void {
    if (field === 'typeMeta') {
      const name = this.#fields[this.#fields.length - 1]!;
      setUnlessZero(
        result,
        name,
        value === null
          ? result[name]
          : typeof value === 'string'
            ? value
            : this.#mismatch(value, 'string', result[name]),
        '',
      );
      return;
    }
    const { json, element } = field;
    const known = result[json];
    const goType = goTypeOf(element, field.field);
    if (value === null) {
      if (
        field.pointer ||
        field.shape !== 'single' ||
        element.fieldType === 'bytes' ||
        element.fieldType === 'texts' ||
        isWellKnownType(element.fieldType) ||
        isCarried(element.fieldType)
      )
        delete result[json];
      return;
    }
    switch (field.shape) {
      case 'list':
        setUnlessZero(
          result,
          json,
          this.#list(value, element, known, `[]${goType}`, field.typeMeta !== undefined, field),
        );
        break;
      case 'map':
        setUnlessZero(result, json, this.#map(value, field, known));
        break;
      default:
        setUnlessZero(
          result,
          json,
          this.#element(value, element, known, goType),
          field.pointer ? undefined : zeroOf(element),
        );
    }
  }

  #list(
    value: JsonValue,
    element: Element,
    known: JsonValue | undefined,
    goType: string,
    dropTypeMeta: boolean,
    field?: Member,
  ): JsonValue | undefined {
    const listType = field?.field.alias === undefined ? goType : goNameOf(field.field.alias);
    if (!Array.isArray(value)) return this.#mismatch(value, listType, known);
    const path = this.#path;
    const itemType = field === undefined ? goTypeOf(element) : goTypeOf(element, field.field);
    const items = value.map((item, index) => {
      this.#path = `${path}[${index}]`;
      const result = this.#element(item, element, undefined, itemType) ?? this.#zeroItem(element);
      if (dropTypeMeta) dropMembers(result as JsonObject, 'kind', 'apiVersion');
      return result;
    });
    this.#path = path;
    return items;
  }

  #map(value: JsonValue, field: Member, known: JsonValue | undefined): JsonValue | undefined {
    const { element } = field;
    const itemType = goTypeOf(element, field.field);
    const keyType = field.field.keyNamed === undefined ? field.mapKey : goNameOf(field.field.keyNamed);
    const goType = field.field.alias === undefined ? `map[${keyType}]${itemType}` : goNameOf(field.field.alias);
    if (
      typeof value !== 'object' ||
      value === null ||
      Array.isArray(value) ||
      value instanceof JsonNumber ||
      value instanceof RawJson
    )
      return this.#mismatch(value, goType, known);
    const map = (known ?? createMap<JsonValue>()) as JsonObject;
    const path = this.#path;
    const seen = new Set<string>();
    for (const [key, item] of this.#members(value as JsonObject)) {
      this.#path = `${path}.${key}`;
      if (seen.has(key)) this.#report('duplicate');
      seen.add(key);
      const name = field.mapKey === 'string' ? key : this.#integerKey(key, keyType);
      if (name !== undefined) map[name] = this.#element(item, element, undefined, itemType) ?? this.#zeroItem(element);
    }
    this.#path = path;
    return map;
  }

  #integerKey(key: string, goType: string): string | undefined {
    if (/^[+-]?\d{1,19}$/.test(key) && BigInt(key) === BigInt.asIntN(goType === 'int32' ? 32 : 64, BigInt(key)))
      return String(BigInt(key));
    this.#note(`number ${key}`, goType);
    return undefined;
  }

  #number(value: JsonValue, fieldType: string, known: JsonValue | undefined, goType: string): JsonValue | undefined {
    const literal =
      value instanceof JsonNumber
        ? value.text
        : typeof value === 'number' || typeof value === 'bigint'
          ? numberText(value)
          : undefined;
    if (literal === undefined) return this.#mismatch(value, goType, known);
    const result = readNumber(literal, fieldType);
    if (result !== undefined) return result;
    this.#note(`number ${literal}`, goType);
    return known;
  }

  /** Base64, or a list of numbers. */
  #bytes(value: JsonValue, known: JsonValue | undefined, goType: string): JsonValue | undefined {
    if (Array.isArray(value))
      return Buffer.from(
        value.map((item) => Number(item === null ? 0 : this.#number(item, 'uint8', 0, 'uint8'))),
      ).toString('base64');
    if (typeof value !== 'string') return this.#mismatch(value, goType, known);
    // Only the first mistake is told: what comes behind it is not looked at.
    if (this.#firstError !== undefined) return known;
    try {
      return canonicalBase64(value);
    } catch (error) {
      this.#firstError ??= (error as Error).message;
      return known;
    }
  }

  #choice(value: JsonValue, element: Extract<Element, { schema: string }>): JsonValue | undefined {
    const schemaType: Element = { fieldType: 'struct', type: element.schema };
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber))
      return this.#nested(() => this.#element(value, schemaType, undefined, goTypeOf(schemaType)));
    if (element.fieldType === 'schemaOrBool') {
      if (typeof value === 'boolean') return value;
      throw new Fatal('boolean or JSON schema expected');
    }
    if (!Array.isArray(value)) return undefined;
    const item: Element = element.fieldType === 'schemaOrArray' ? schemaType : { fieldType: 'string' };
    return this.#nested(() => this.#list(value, item, undefined, `[]${goTypeOf(item)}`, false));
  }

  /**
   * A type with its own decoder upstream: its errors end everything and are shown as the outer member's, its unknown
   * fields are not reported.
   */
  #nested(read: () => JsonValue | undefined): JsonValue | undefined {
    const saved = { struct: this.#struct, fields: this.#fields.splice(0), error: this.#firstError };
    const before = this.#problems.length;
    this.#struct = '';
    this.#firstError = undefined;
    const result = read();
    const inner = this.#firstError as FirstError | undefined;
    this.#struct = saved.struct;
    this.#fields.push(...saved.fields);
    if (inner !== undefined) throw typeof inner === 'string' ? new Fatal(inner) : this.#fatal(inner);
    this.#firstError = saved.error;
    this.#problems.truncate(before);
    return result;
  }

  #fatal({ what, goType }: Mismatch): Fatal {
    return new Fatal(messageOf({ what, goType, where: this.#where() }));
  }

  #where(): string {
    return this.#fields.length === 0 && this.#struct === ''
      ? 'Go value'
      : `Go struct field ${this.#struct}.${this.#fields.join('.')}`;
  }

  #carried(value: JsonValue): JsonValue {
    if (value instanceof RawJson) return value.asValue();
    return new RawJson(this.#textOf(value)).asValue();
  }

  /** The JSON text of a value, as it was written where that is known. */
  #textOf(value: JsonValue): string {
    const start = typeof value === 'object' && value !== null ? this.#document.starts?.get(value) : undefined;
    return start === undefined ? scalarText(value) : textOfContainer(this.#document.text, start);
  }

  #members(object: JsonObject): readonly (readonly [string, JsonValue])[] {
    const repeated = this.#document.repeated?.get(object);
    if (repeated !== undefined) return repeated;
    return (Object.entries(object) as [string, JsonValue | undefined][]).filter(
      (entry): entry is [string, JsonValue] => entry[1] !== undefined,
    );
  }

  #zeroItem(element: Element): JsonValue {
    return element.fieldType === 'struct' ? this.#links.of(element.type).fill({}) : zeroItemOf(element);
  }

  #mismatch(value: JsonValue, goType: string, known: JsonValue | undefined): JsonValue | undefined {
    this.#note(kindOf(value), goType);
    return known;
  }

  #note(what: string, goType: string): void {
    this.#firstError ??= { what, goType, where: this.#where() };
  }

  #report(problem: 'unknown' | 'duplicate'): void {
    if (!this.#problems.isFull) this.#problems.add(`${problem} field ${goQuote(this.#path)}`);
  }
}

function messageOf(error: (Mismatch & { readonly where: string }) | string): string {
  return typeof error === 'string'
    ? error
    : `json: cannot unmarshal ${error.what} into ${error.where} of type ${error.goType}`;
}
