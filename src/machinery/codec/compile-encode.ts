/**
 * Normalized value → protobuf message, compiled per type, byte for byte as upstream writes it: fields by rising
 * number, non-pointers always, maps sorted by key, never packed. Written back to front, so in falling order here.
 */
import { writeDouble, writeVarint } from '../../base/protobuf/varint.ts';
import { sortNames } from '../json/writer.ts';
import type { JsonObject } from '../value.ts';
import { writeChoice } from './choice-write.ts';
import { EncodeError } from './decode-error.ts';
import type { FormWriter } from './well-known-write.ts';
import {
  writeDuration,
  writeIntOrString,
  writeJsonMessage,
  writeMicroTime,
  writeQuantity,
  writeRaw,
  writeTexts,
  writeTime,
  writeUnknown,
} from './well-known-write.ts';
import type { EncodeFunction, Links, TypeLink } from './link.ts';
import type { Element, Member } from './plan.ts';
import { wireTypeOf } from './plan.ts';
import { FunctionSource, functionName, member } from './source.ts';
import { checkSpace, failNotList, failNotObject, writeBase64, writeInt, writeString } from './wire-write.ts';

/** Writers of messages that JSON shows as scalars; the length and tag are written by the caller. */
const formWriters: Readonly<Record<string, FormWriter>> = {
  time: writeTime,
  microtime: writeMicroTime,
  duration: writeDuration,
  quantity: writeQuantity,
  intOrString: writeIntOrString,
  rawExtension: writeRaw,
  fieldsV1: writeRaw,
  unknown: writeUnknown,
  json: writeJsonMessage,
  texts: writeTexts,
};

/** Field types whose absence is visible in protobuf although they are no pointers. */
const nullable: ReadonlySet<string> = new Set(['bytes', 'texts']);

const emptyObject: JsonObject = Object.freeze({});

function failTooDeep(): never {
  throw new EncodeError('value nested too deep');
}

/** The keys of a map, in the order in which upstream writes the entries. */
function mapKeys(map: unknown): string[] {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return failNotObject(map);
  return sortNames(Object.keys(map));
}

function integerKeys(map: unknown): (number | bigint)[] {
  const keys = mapKeys(map).map((key) => (Number.isSafeInteger(Number(key)) ? Number(key) : BigInt(key)));
  return keys.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

class EncodeCompiler {
  readonly #source = new FunctionSource();
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  compile(): EncodeFunction {
    const { plan } = this.#link;
    if (plan.noProto) throw new EncodeError(`${plan.id} has no protobuf form`);
    this.#line(`if (depth === 0) ${this.#bind(failTooDeep)}();`);
    this.#line('let v, s = 0;');
    for (const field of plan.wire.toReversed()) this.#field(field);
    this.#line(`return ${this.#bind(checkSpace)}(p);`);
    return this.#source.compile(functionName('encode', plan.id), 'b, p, o, depth');
  }

  #field(field: Member): void {
    if (field.shape === 'inline') {
      const type = (field.element as Extract<Element, { fieldType: 'struct' }>).type;
      this.#line(`s = p; p = ${this.#bind(this.#links.of(type))}.encode(b, p, o, depth - 1);`);
      this.#lengthAndTag(field);
      return;
    }
    this.#line(`v = ${member('o', field.json)};`);
    switch (field.shape) {
      case 'list':
        this.#list(field);
        break;
      case 'map':
        this.#map(field);
        break;
      default:
        this.#single(field);
    }
  }

  #single(field: Member): void {
    const { element } = field;
    if (field.pointer || nullable.has(element.fieldType)) this.#line('if (v !== undefined && v !== null) {');
    else this.#line('{');
    this.#value(element, 'v');
    this.#tag(field.number * 8 + wireTypeOf(element));
    this.#line('}');
  }

  #list(field: Member): void {
    this.#line(
      `if (v !== undefined && v !== null) { const a = v; if (!Array.isArray(a)) ${this.#bind(failNotList)}(a);`,
    );
    this.#line('for (let i = a.length - 1; i >= 0; i--) {');
    this.#value(field.element, 'a[i]');
    this.#tag(field.number * 8 + wireTypeOf(field.element));
    this.#line(`${this.#bind(checkSpace)}(p);`);
    this.#line('}}');
  }

  #map(field: Member): void {
    const text = field.mapKey === 'string';
    this.#line(`if (v !== undefined && v !== null) { const m = v, a = ${this.#bind(text ? mapKeys : integerKeys)}(m);`);
    this.#line('for (let i = a.length - 1; i >= 0; i--) { const e = p, k = a[i];');
    this.#value(field.element, 'm[k]');
    this.#tag(16 + wireTypeOf(field.element));
    this.#line(text ? `p = ${this.#bind(writeString)}(b, p, k);` : `p = ${this.#bind(writeInt)}(b, p, k);`);
    this.#line(text ? 'b[--p] = 10;' : 'b[--p] = 8;');
    this.#line(`p = ${this.#bind(writeVarint)}(b, p, e - p);`);
    this.#tag(field.number * 8 + 2);
    this.#line(`${this.#bind(checkSpace)}(p);`);
    this.#line('}}');
  }

  /** Writes one value and its length where it has one. */
  #value(element: Element, value: string): void {
    switch (element.fieldType) {
      case 'string':
        this.#line(
          `{ const x = ${value}; if (x === undefined || x === "") b[--p] = 0; else p ` +
            `= ${this.#bind(writeString)}(b, p, x); }`,
        );
        return;
      case 'bytes':
        this.#line(`p = ${this.#bind(writeBase64)}(b, p, ${value} ?? "");`);
        return;
      case 'bool':
        this.#line(`b[--p] = ${value} === true ? 1 : 0;`);
        return;
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
      case 'goDuration':
        this.#line(`p = ${this.#bind(writeInt)}(b, p, ${value} ?? 0);`);
        return;
      case 'double':
        this.#line(`p = ${this.#bind(writeDouble)}(b, p, ${value} ?? 0);`);
        return;
      default:
        this.#line(`s = p; p = ${this.#message(element, value)};`);
        this.#line(`{ const n = s - p; if (n < 128) b[--p] = n; else p = ${this.#bind(writeVarint)}(b, p, n); }`);
    }
  }

  #message(element: Element, value: string): string {
    switch (element.fieldType) {
      case 'struct':
        return (
          `${this.#bind(this.#links.of(element.type))}.encode(b, p, ${value} ` +
          `?? ${this.#bind(emptyObject)}, depth - 1)`
        );
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray': {
        const write = this.#bind(writeChoice(element.fieldType, this.#links.of(element.schema)));
        return `${write}(b, p, ${value}, depth - 1)`;
      }
      default:
        return `${this.#bind(formWriters[element.fieldType]!)}(b, p, ${value})`;
    }
  }

  #lengthAndTag(field: Member): void {
    this.#line(`p = ${this.#bind(writeVarint)}(b, p, s - p);`);
    this.#tag(field.number * 8 + 2);
  }

  #tag(tag: number): void {
    if (tag < 128) this.#line(`b[--p] = ${tag};`);
    else this.#line(`b[--p] = ${tag >>> 7}; b[--p] = ${(tag & 127) | 128};`);
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

export function compileEncode(link: TypeLink, links: Links): EncodeFunction {
  return new EncodeCompiler(link, links).compile();
}
