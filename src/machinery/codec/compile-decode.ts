/**
 * Protobuf message → normalized value, compiled per type: one loop over the fields with a switch on the tag.
 *
 * Repeated singular fields are merged or overwritten as protobuf demands. Fields of unknown number are skipped.
 */
import { createMap } from '../value.ts';
import {
  readBytes,
  readDuration,
  readIntOrString,
  readJsonMessage,
  readMicroTime,
  readQuantity,
  readRaw,
  readTexts,
  readTime,
  readUnknown,
  zeroTime,
} from './well-known-read.ts';
import type { DecodeFunction, FillFunction, Links, TypeLink } from './link.ts';
import type { Element, Member } from './plan.ts';
import { wireTypeOf } from './plan.ts';
import { readChoice } from './choice-read.ts';
import { FunctionSource, functionName, member } from './source.ts';
import {
  at,
  budget,
  failTooDeep,
  failTooMany,
  failUnexpectedEnd,
  readBool,
  readDouble,
  readInt32,
  readInt64,
  readString,
  readUint,
  readUint32,
  readUint64,
  skipField,
} from './wire-read.ts';

const varints: Readonly<Record<string, { read: unknown; zero: string; one: (byte: string) => string }>> = {
  bool: { read: readBool, zero: 'false', one: (byte) => `${byte} !== 0` },
  int32: { read: readInt32, zero: '0', one: (byte) => byte },
  uint32: { read: readUint32, zero: '0', one: (byte) => byte },
  int64: { read: readInt64, zero: '0', one: (byte) => byte },
  uint64: { read: readUint64, zero: '0', one: (byte) => byte },
  goDuration: { read: readInt64, zero: '0', one: (byte) => byte },
};

/** Readers of length-delimited field types, with the JavaScript text of their zero value. */
const delimited: Readonly<Record<string, { read: unknown; zero: string }>> = {
  string: { read: readString, zero: '""' },
  bytes: { read: readBytes, zero: 'undefined' },
  time: { read: readTime, zero: 'undefined' },
  microtime: { read: readMicroTime, zero: 'undefined' },
  duration: { read: readDuration, zero: '"0s"' },
  quantity: { read: readQuantity, zero: '"0"' },
  intOrString: { read: readIntOrString, zero: '0' },
  rawExtension: { read: readRaw, zero: 'undefined' },
  fieldsV1: { read: readRaw, zero: 'undefined' },
  unknown: { read: readUnknown, zero: 'undefined' },
  json: { read: readJsonMessage, zero: 'null' },
  texts: { read: readTexts, zero: 'undefined' },
};

/** What stands in a list or map for a value that is left out elsewhere. */
function zeroInContainer(element: Element): string {
  switch (element.fieldType) {
    case 'time':
    case 'microtime':
      return JSON.stringify(zeroTime);
    case 'bytes':
      return '""';
    case 'rawExtension':
    case 'fieldsV1':
    case 'unknown':
    case 'json':
      return 'null';
    case 'texts':
      return '[]';
    case 'struct':
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
    case 'any':
      return 'undefined';
    case 'double':
      return '0';
    default:
      return varints[element.fieldType]?.zero ?? delimited[element.fieldType]!.zero;
  }
}

/** Field types whose message can stand for an absent value. */
const mayBeMissing = (fieldType: Element['fieldType']): boolean =>
  fieldType !== 'bytes' && fieldType !== 'texts' && delimited[fieldType]?.zero === 'undefined';

class DecodeCompiler {
  readonly #source = new FunctionSource();
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  compile(): DecodeFunction {
    const { plan } = this.#link;
    this.#line(`if (depth === 0) ${this.#bind(failTooDeep)}();`);
    this.#line(`if (--${this.#bind(budget)}.messages < 0) ${this.#bind(failTooMany)}();`);
    this.#line('let t = 0, l = 0, q = 0, v, start = 0;');
    this.#line('while (p < end) {');
    this.#line('start = p; t = b[p++];');
    this.#line('if (t > 127) { t = (t & 127) | (b[p++] << 7); }');
    this.#line('switch (t) {');
    for (const field of plan.wire) this.#field(field);
    const known = Object.fromEntries(plan.wire.map((field) => [field.number, field.field.name]));
    this.#line(
      `default: p = ${this.#bind(skipField)}(b, start, end, ${this.#bind(known)}, ${JSON.stringify(goName(plan.id))});`,
    );
    this.#line('}}');
    this.#line(`if (p !== end) ${this.#bind(failUnexpectedEnd)}();`);
    this.#fill();
    this.#line('return o;');
    return this.#source.compile(functionName('decode', plan.id), 'b, p, end, o, depth');
  }

  #fill(): void {
    for (const { shape, element, pointer, json } of this.#link.plan.members) {
      if (element.fieldType !== 'struct' || pointer) continue;
      const child = this.#bind(this.#links.of(element.type));
      if (shape === 'single')
        this.#line(`if (${member('o', json)} === undefined) ${member('o', json)} = ${child}.fill({});`);
      if (shape === 'inline' && needsFill(this.#links, element.type)) this.#line(`${child}.fill(o);`);
    }
  }

  #field(field: Member): void {
    const wireType = field.shape === 'map' ? 2 : wireTypeOf(field.element);
    this.#line(`case ${field.number * 8 + wireType}: {`);
    const target = member('o', field.json);
    if (wireType === 2) this.#readLength('p', 'end', 'l', 'q');
    switch (field.shape) {
      case 'inline':
        this.#line(`${this.#bind(this.#links.of(structType(field)))}.decode(b, p, q, o, depth - 1); p = q;`);
        break;
      case 'map':
        this.#mapEntry(field, target);
        break;
      case 'list':
        this.#value(field.element, 'undefined', 'p', 'q');
        this.#line(
          `if (${target} === undefined) ${target} = [v${this.#elementDefault(field.element)}]; ` +
            `else ${target}.push(v${this.#elementDefault(field.element)});`,
        );
        break;
      case 'single':
        this.#single(field, target);
    }
    this.#line('break; }');
    if (field.shape === 'list' && wireType === 0) this.#packed(field, target);
  }

  #single(field: Member, target: string): void {
    this.#value(field.element, field.element.fieldType === 'struct' ? `(${target} ?? {})` : target, 'p', 'q');
    const zero = field.pointer ? this.#absent(field.element) : this.#zero(field.element);
    if (zero === undefined) this.#line(`${target} = v;`);
    else this.#line(`if (v !== ${zero}) ${target} = v; else if (${target} !== undefined) delete ${target};`);
  }

  /** What a field that is no pointer does not show. */
  #zero({ fieldType }: Element): string | undefined {
    if (fieldType === 'double') return '0';
    return varints[fieldType]?.zero ?? delimited[fieldType]?.zero;
  }

  /** What even a pointer does not show: a zero time, nothing where JSON text should be. */
  #absent({ fieldType }: Element): string | undefined {
    if (fieldType === 'json') return 'null';
    return mayBeMissing(fieldType) ? 'undefined' : undefined;
  }

  #elementDefault(element: Element): string {
    return mayBeMissing(element.fieldType) ? ` ?? ${zeroInContainer(element)}` : '';
  }

  /** Reads one value into `v` and moves `position` behind it. */
  #value(element: Element, into: string, position: string, limit: string): void {
    const varint = varints[element.fieldType];
    if (varint !== undefined) {
      this.#line(
        `v = b[${position}++]; if (v > 127) { v = ${this.#bind(varint.read)}(b, ${position} - 1); ${position} ` +
          `= ${this.#bind(at)}.p; }`,
      );
      this.#line(element.fieldType === 'bool' ? 'else v = v !== 0;' : '');
      return;
    }
    if (element.fieldType === 'double') {
      this.#line(`v = ${this.#bind(readDouble)}(b, ${position}); ${position} += 8;`);
      return;
    }
    this.#line(`v = ${this.#delimitedValue(element, into, position, limit)}; ${position} = ${limit};`);
  }

  #delimitedValue(element: Element, into: string, position: string, limit: string): string {
    switch (element.fieldType) {
      case 'struct':
        return (
          `${this.#bind(this.#links.of(element.type))}.decode(b, ${position}, ${limit}, ` +
          `${into === 'undefined' ? '{}' : into}, ` +
          'depth - 1)'
        );
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return (
          `${this.#bind(readChoice(element.fieldType, this.#links.of(element.schema)))}(b, ${position}, ${limit}, ` +
          'depth - 1)'
        );
      default:
        return `${this.#bind(delimited[element.fieldType]!.read)}(b, ${position}, ${limit})`;
    }
  }

  #mapEntry(field: Member, target: string): void {
    const { element } = field;
    const initial =
      element.fieldType === 'struct'
        ? `${this.#bind(this.#links.of(element.type))}.fill({})`
        : zeroInContainer(element);
    const valueTag = 16 + wireTypeOf(element);
    this.#line(`let k = ${field.mapKey === 'string' ? '""' : '0'}, r = 0; let w = undefined;`);
    this.#line('while (p < q) { start = p; t = b[p++];');
    if (field.mapKey === 'string') {
      this.#line('if (t === 10) {');
      this.#readLength('p', 'q', 'l', 'r');
      this.#line(`k = ${this.#bind(readString)}(b, p, r); p = r; }`);
    } else
      this.#line(
        `if (t === 8) { k = ${this.#bind(field.mapKey === 'int32' ? readInt32 : readInt64)}(b, p); p ` +
          `= ${this.#bind(at)}.p; }`,
      );
    this.#line(`else if (t === ${valueTag}) {`);
    if (wireTypeOf(element) === 2) this.#readLength('p', 'q', 'l', 'r');
    this.#value(element, 'undefined', 'p', 'r');
    this.#line('w = v; }');
    this.#line(`else p = ${this.#bind(skipField)}(b, start, q, ${this.#bind(entryFields)}, "Entry"); }`);
    this.#line(`if (p !== q) ${this.#bind(failUnexpectedEnd)}();`);
    this.#line(`if (${target} === undefined) ${target} = ${this.#bind(createMap)}();`);
    this.#line(`${target}[k] = w ?? ${initial};`);
  }

  /** Other writers may pack numbers; ours and upstream's do not. */
  #packed(field: Member, target: string): void {
    this.#line(`case ${field.number * 8 + 2}: {`);
    this.#readLength('p', 'end', 'l', 'q');
    this.#line('while (p < q) {');
    this.#value(field.element, 'undefined', 'p', 'q');
    this.#line(`if (${target} === undefined) ${target} = [v]; else ${target}.push(v); }`);
    this.#line(`if (p !== q) ${this.#bind(failUnexpectedEnd)}();`);
    this.#line('break; }');
  }

  #readLength(position: string, limit: string, length: string, end: string): void {
    this.#line(
      `${length} = b[${position}++]; if (${length} > 127) { ${length} = ${this.#bind(readUint)}(b, ${position} ` +
        `- 1); ${position} = ${this.#bind(at)}.p; }`,
    );
    this.#line(`${end} = ${position} + ${length}; if (!(${end} <= ${limit})) ${this.#bind(failUnexpectedEnd)}();`);
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

const entryFields: Readonly<Record<number, string>> = {};

const structType = (field: Member): string => (field.element as Extract<Element, { fieldType: 'struct' }>).type;

/** `Pod` of `core/v1.Pod`, for messages. */
const goName = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

/** Whether an empty value of the type has members. */
export function needsFill(links: Links, id: string): boolean {
  return links.plans
    .of(id)
    .members.some(
      ({ shape, element, pointer }) =>
        element.fieldType === 'struct' &&
        !pointer &&
        (shape === 'single' || (shape === 'inline' && needsFill(links, element.type))),
    );
}

export function compileDecode(link: TypeLink, links: Links): DecodeFunction {
  return new DecodeCompiler(link, links).compile();
}

/** Adds the structs that are no pointers, which are always there. */
export function compileFill(link: TypeLink, links: Links): FillFunction {
  const source = new FunctionSource();
  for (const { shape, element, pointer, json } of link.plan.members) {
    if (element.fieldType !== 'struct' || pointer) continue;
    const child = source.bind(links.of(element.type));
    if (shape === 'single')
      source.line(`if (${member('o', json)} === undefined) ${member('o', json)} = ${child}.fill({});`);
    if (shape === 'inline') source.line(`${child}.fill(o);`);
  }
  source.line('return o;');
  return source.compile(functionName('fill', link.plan.id), 'o');
}
