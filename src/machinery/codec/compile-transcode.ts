/**
 * Protobuf message → JSON members, compiled per type, without objects in between.
 *
 * First the fields' places in the message are noted, then they are written in declaration order, with a comma after
 * each; the caller that closes the object overwrites the last comma. Where protobuf's rules for repeated singular
 * fields, or maps out of order, would need more than that, the message is decoded and written from its value.
 *
 * One file because all parts of the compiled function share the variables that the others declare.
 */
import {
  checkSpace,
  writeBase64,
  writeCompact,
  writeLiteral,
  writeNumber,
  writeText,
  writeTextBytes,
} from '../json/bytes.ts';
import { writeCarried, writeValue } from '../json/writer.ts';
import { writeChoiceJson } from './choice-json.ts';
import { readChoice } from './choice-read.ts';
import { isOmitted, zeroText } from './compile-to-json.ts';
import {
  rawEnd,
  readDuration,
  readIntOrString,
  readJsonMessage,
  readMicroTime,
  readQuantity,
  readRaw,
  readTexts,
  readTime,
  readUnknown,
} from './well-known-read.ts';
import { constantMember, jsonFalse, jsonNull, jsonTrue, memberName, typeMetaMembers } from './json-literals.ts';
import type { Links, TranscodeFunction, TypeLink } from './link.ts';
import type { Element, Member } from './plan.ts';
import { wireTypeOf } from './plan.ts';
import { FunctionSource, functionName } from './source.ts';
import {
  at,
  failTooDeep,
  failUnexpectedEnd,
  readBool,
  readDouble,
  readInt32,
  readInt64,
  readUint,
  readUint32,
  readUint64,
  skipAny,
  skipField,
} from './wire-read.ts';

const varintReaders: Readonly<Record<string, unknown>> = {
  bool: readBool,
  int32: readInt32,
  uint32: readUint32,
  int64: readInt64,
  uint64: readUint64,
  goDuration: readInt64,
};

/** Readers whose result may be undefined, which JSON shows as null where it cannot leave the member out. */
const optionalReaders: Readonly<Record<string, unknown>> = {
  time: readTime,
  microtime: readMicroTime,
  rawExtension: readRaw,
  unknown: readUnknown,
  json: readJsonMessage,
};

/** Readers of field types that always have a value. */
const formReaders: Readonly<Record<string, unknown>> = {
  quantity: readQuantity,
  duration: readDuration,
  intOrString: readIntOrString,
  texts: readTexts,
};

function writeNumberOrText(out: Buffer, o: number, value: string | number): number {
  return typeof value === 'string' ? writeText(out, o, value) : writeNumber(out, o, value);
}

/** Less than 0 when the first range of bytes comes first. */
function compareRanges(b: Buffer, p: number, q: number, r: number, s: number): number {
  const length = Math.min(q - p, s - r);
  for (let i = 0; i < length; i++) {
    const difference = b[p + i]! - b[r + i]!;
    if (difference !== 0) return difference;
  }
  return q - p - (s - r);
}

class TranscodeCompiler {
  readonly #source = new FunctionSource();
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  compile(): TranscodeFunction {
    const { plan } = this.#link;
    this.#line(`if (depth === 0) ${this.#bind(failTooDeep)}();`);
    this.#line('const first = p, begin = o; let t = 0, l = 0, q = 0, start = 0, x;');
    for (const field of plan.wire)
      this.#line(
        isNumber(field)
          ? `let v${field.number} = ${zeroOf(field.element)}, h${field.number} = false;`
          : `let a${field.number} = -1, z${field.number} = -1;`,
      );
    this.#line('while (p < end) { start = p; t = b[p++]; if (t > 127) t = (t & 127) | (b[p++] << 7); switch (t) {');
    for (const field of plan.wire) this.#note(field);
    const known = Object.fromEntries(plan.wire.map((field) => [field.number, field.field.name]));
    this.#line(
      `default: p = ${this.#bind(skipField)}(b, start, ` +
        `end, ${this.#bind(known)}, ${JSON.stringify(plan.id.slice(plan.id.lastIndexOf('.') + 1))});`,
    );
    this.#line('}}');
    this.#line(`if (p !== end) ${this.#bind(failUnexpectedEnd)}();`);
    for (const field of plan.members) this.#write(field);
    this.#line(`return ${this.#bind(checkSpace)}(out, o);`);
    return this.#source.compile(functionName('transcode', plan.id), 'out, o, b, p, end, depth');
  }

  /** The way that always works. */
  #slowly(): string {
    const link = this.#bind(this.#link);
    return `return ${link}.toJson(out, begin, ${link}.decode(b, first, end, {}, depth), depth);`;
  }

  /** Notes where a field lies. */
  #note(field: Member): void {
    const { number, element, shape } = field;
    const wireType = shape === 'map' ? 2 : wireTypeOf(element);
    this.#line(`case ${number * 8 + wireType}:`);
    if (isNumber(field)) {
      this.#number(element, `v${number}`);
      this.#line(`h${number} = true; break;`);
      return;
    }
    if (wireType === 0) this.#number(element, 'x');
    else if (wireType === 1) this.#line('p += 8;');
    else {
      this.#length('end');
      // Of a text that comes twice the last one counts, messages are merged.
      if (shape === 'inline' || (shape === 'single' && element.fieldType !== 'string' && element.fieldType !== 'bytes'))
        this.#line(`if (a${number} >= 0) { ${this.#slowly()} }`);
    }
    if (shape === 'list' || shape === 'map')
      this.#line(`if (a${number} < 0) a${number} = start; ${wireType === 2 ? 'p = q;' : ''} z${number} = p; break;`);
    else this.#line(`a${number} = p; z${number} = p = q; break;`);
    if (shape === 'list' && wireType === 0) this.#line(`case ${number * 8 + 2}: ${this.#slowly()}`);
  }

  #write(field: Member): void {
    const { number, element, shape } = field;
    if (shape === 'inline')
      this.#range(
        (from, to) =>
          this.#line(
            `o = ${this.#bind(this.#links.of(structType(element)))}.transcode(out, o, b, ${from}, ${to}, depth - 1);`,
          ),
        number,
      );
    else if (shape === 'list') this.#list(field);
    else if (shape === 'map') this.#map(field);
    else if (isNumber(field)) this.#writeNumberField(field);
    else this.#writeDelimited(field);
  }

  /** For a struct that is always there, also when its field is not. */
  #range(use: (from: string, to: string) => void, number: number): void {
    this.#line(`if (a${number} < 0) { a${number} = z${number} = 0; }`);
    use(`a${number}`, `z${number}`);
  }

  #writeNumberField(field: Member): void {
    const { number, element, pointer } = field;
    const omitted = isOmitted(field);
    const zero = zeroOf(element);
    this.#line(pointer ? `if (h${number}) {` : omitted ? `if (v${number} !== ${zero}) {` : '{');
    this.#name(field.json);
    this.#writeScalar(element, `v${number}`);
    this.#line('out[o++] = 44; }');
    if (pointer && !omitted) this.#line(`else ${this.#constant(field.json, 'null')}`);
  }

  #writeDelimited(field: Member): void {
    const { number, element, pointer, json } = field;
    const omitted = isOmitted(field);
    const there = `a${number} >= 0`;
    const otherwise = omitted ? undefined : this.#constant(json, pointer ? 'null' : zeroText(element)!);
    const from = `a${number}`;
    const to = `z${number}`;
    if (element.fieldType === 'struct' && !pointer) {
      this.#name(json);
      this.#range((p, q) => this.#struct(element.type, p, q), number);
      this.#line('out[o++] = 44;');
      return;
    }
    if (element.fieldType === 'fieldsV1')
      this.#line(`x = ${there} ? ${this.#bind(rawEnd)}(b, ${from}, ${to}) : -1; if (x >= 0) {`);
    else if (element.fieldType in optionalReaders)
      this.#line(
        `x = ${there} ? ${this.#bind(optionalReaders[element.fieldType])}(b, ${from}, ${to}) : undefined; if (x !== ` +
          'undefined && x !== null) {',
      );
    else if (isChoice(element))
      this.#line(`x = ${there} ? ${this.#choice(element, from, to)} : undefined; if (x !== undefined) {`);
    else if (!pointer && omitted) this.#line(`if (${from} < ${to}) {`);
    else this.#line(`if (${there}) {`);
    this.#name(json);
    this.#content(element, from, to);
    this.#line('out[o++] = 44; }');
    if (otherwise !== undefined) this.#line(`else ${otherwise}`);
  }

  /** The value between two positions; `x` holds it where its presence had to be known. */
  #content(element: Element, from: string, to: string): void {
    switch (element.fieldType) {
      case 'string':
        this.#line(`o = ${this.#bind(writeTextBytes)}(out, o, b, ${from}, ${to});`);
        break;
      case 'bytes':
        this.#line(`o = ${this.#bind(writeBase64)}(out, o, b, ${from}, ${to});`);
        break;
      case 'struct':
        this.#struct(element.type, from, to);
        break;
      case 'time':
      case 'microtime':
        this.#line(`o = ${this.#bind(writeText)}(out, o, x);`);
        break;
      case 'fieldsV1':
        this.#line(`o = ${this.#bind(writeCompact)}(out, o, b, ${this.#bind(at)}.p, x);`);
        break;
      case 'rawExtension':
      case 'unknown':
        this.#line(`o = ${this.#bind(writeCarried)}(out, o, x, true);`);
        break;
      case 'json':
        this.#line(`o = ${this.#bind(writeValue)}(out, o, x);`);
        break;
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        this.#line(
          `o = ${this.#bind(writeChoiceJson)}(out, o, x, ${this.#bind(this.#links.of(element.schema))}, depth - 1);`,
        );
        break;
      case 'texts':
        this.#line(`o = ${this.#bind(writeValue)}(out, o, ${this.#bind(readTexts)}(b, ${from}, ${to}));`);
        break;
      default:
        this.#line(
          `o = ${this.#bind(writeNumberOrText)}(out, o, ${this.#bind(formReaders[element.fieldType])}(b, ${from}, ` +
            `${to}));`,
        );
    }
  }

  /** An element of a list or map, where nothing is null. */
  #item(element: Element, from: string, to: string): void {
    const isOptional = element.fieldType in optionalReaders || isChoice(element);
    if (element.fieldType === 'fieldsV1')
      this.#line(`x = ${this.#bind(rawEnd)}(b, ${from}, ${to}); if (x < 0) o = ${this.#null()}; else {`);
    else if (isOptional) {
      const value = isChoice(element)
        ? this.#choice(element, from, to)
        : `${this.#bind(optionalReaders[element.fieldType])}(b, ${from}, ${to})`;
      this.#line(`x = ${value}; if (x === undefined || x === null) o = ${this.#null()}; else {`);
    } else this.#line('{');
    this.#content(element, from, to);
    this.#line('}');
  }

  #list(field: Member): void {
    const { number, element, json, typeMeta } = field;
    const wireType = wireTypeOf(element);
    this.#line(`if (a${number} >= 0) {`);
    this.#name(json);
    this.#line(
      `out[o++] = 91; p = a${number}; while (p < z${number}) { start = p; t = b[p++]; if (t > 127) t = (t & ` +
        '127) | (b[p++] << 7);',
    );
    this.#line(`if (t !== ${number * 8 + wireType}) { p = ${this.#bind(skipAny)}(b, start, end); continue; }`);
    if (wireType === 0) {
      this.#number(element, 'x');
      this.#writeScalar(element, 'x');
    } else if (wireType === 1) {
      this.#number(element, 'x');
      this.#writeScalar(element, 'x');
    } else {
      this.#length('end');
      if (element.fieldType === 'struct')
        this.#struct(
          element.type,
          'p',
          'q',
          typeMeta === undefined ? undefined : this.#bind(typeMetaMembers(typeMeta)),
        );
      else this.#item(element, 'p', 'q');
      this.#line('p = q;');
    }
    this.#line(`out[o++] = 44; ${this.#bind(checkSpace)}(out, o); }`);
    this.#line('out[o - 1] = 93; out[o++] = 44; }');
    if (!isOmitted(field)) this.#line(`else ${this.#constant(json, 'null')}`);
  }

  #map(field: Member): void {
    const { number, json, element } = field;
    if (field.mapKey !== 'string') {
      this.#line(`if (a${number} >= 0) { ${this.#slowly()} }`);
      if (!isOmitted(field)) this.#line(`else ${this.#constant(json, 'null')}`);
      return;
    }
    const valueType = wireTypeOf(element);
    this.#line(`if (a${number} >= 0) { let ka = -1, kz = -1, pa = -1, pz = -1, va = -1, vz = -1, e = 0, w;`);
    this.#name(json);
    this.#line(
      `out[o++] = 123; p = a${number}; while (p < z${number}) { start = p; t = b[p++]; if (t > 127) t = (t & ` +
        '127) | (b[p++] << 7);',
    );
    this.#line(`if (t !== ${number * 8 + 2}) { p = ${this.#bind(skipAny)}(b, start, end); continue; }`);
    this.#length('end');
    this.#line(
      `e = q; ka = kz = va = vz = p; w = ${valueType === 2 ? 'undefined' : zeroOf(element)}; l = 0; let found = false;`,
    );
    this.#line('while (p < e) { start = p; t = b[p++]; if (t === 10) {');
    this.#length('e');
    this.#line(`ka = p; kz = p = q; } else if (t === ${16 + valueType}) {`);
    if (valueType === 2) {
      this.#length('e');
      this.#line('va = p; vz = p = q; found = true; }');
    } else {
      this.#number(element, 'w');
      this.#line('}');
    }
    this.#line(`else p = ${this.#bind(skipField)}(b, start, e, ${this.#bind({})}, "Entry"); }`);
    this.#line(`if (p !== e) ${this.#bind(failUnexpectedEnd)}();`);
    this.#line(`if (pa >= 0 && ${this.#bind(compareRanges)}(b, pa, pz, ka, kz) >= 0) { ${this.#slowly()} }`);
    this.#line('pa = ka; pz = kz;');
    this.#line(`o = ${this.#bind(writeTextBytes)}(out, o, b, ka, kz); out[o++] = 58;`);
    if (valueType === 2) this.#item(element, 'va', 'vz');
    else this.#writeScalar(element, 'w');
    this.#line(`out[o++] = 44; ${this.#bind(checkSpace)}(out, o); }`);
    this.#line('out[o - 1] = 125; out[o++] = 44; }');
    if (!isOmitted(field)) this.#line(`else ${this.#constant(json, 'null')}`);
  }

  #struct(type: string, from: string, to: string, typeMeta?: string): void {
    this.#line('out[o++] = 123;');
    if (typeMeta !== undefined) this.#line(`o = ${this.#bind(writeLiteral)}(out, o, ${typeMeta});`);
    this.#line(`o = ${this.#bind(this.#links.of(type))}.transcode(out, o, b, ${from}, ${to}, depth - 1);`);
    this.#line('if (out[o - 1] === 44) out[o - 1] = 125; else out[o++] = 125;');
  }

  #choice(element: Extract<Element, { schema: string }>, from: string, to: string): string {
    return `${this.#bind(readChoice(element.fieldType, this.#links.of(element.schema)))}(b, ${from}, ${to}, depth - 1)`;
  }

  #writeScalar({ fieldType }: Element, value: string): void {
    if (fieldType === 'bool')
      this.#line(
        `o = ${this.#bind(writeLiteral)}(out, o, ${value} ? ${this.#bind(jsonTrue)} : ${this.#bind(jsonFalse)});`,
      );
    else this.#line(`o = ${this.#bind(writeNumber)}(out, o, ${value});`);
  }

  /** Reads a varint or a double into a variable. */
  #number({ fieldType }: Element, target: string): void {
    if (fieldType === 'double') {
      this.#line(`${target} = ${this.#bind(readDouble)}(b, p); p += 8;`);
      return;
    }
    this.#line(
      `${target} = b[p++]; if (${target} > 127) { ${target} = ${this.#bind(varintReaders[fieldType])}(b, p - 1); p ` +
        `= ${this.#bind(at)}.p; }`,
    );
    if (fieldType === 'bool') this.#line(`else ${target} = ${target} !== 0;`);
  }

  #length(limit: string): void {
    this.#line(`l = b[p++]; if (l > 127) { l = ${this.#bind(readUint)}(b, p - 1); p = ${this.#bind(at)}.p; }`);
    this.#line(`q = p + l; if (!(q <= ${limit})) ${this.#bind(failUnexpectedEnd)}();`);
  }

  #name(name: string): void {
    this.#line(`o = ${this.#bind(writeLiteral)}(out, o, ${this.#bind(memberName(name))});`);
  }

  #constant(name: string, value: string): string {
    return `o = ${this.#bind(writeLiteral)}(out, o, ${this.#bind(constantMember(name, value))});`;
  }

  #null(): string {
    return `${this.#bind(writeLiteral)}(out, o, ${this.#bind(jsonNull)})`;
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

const isNumber = ({ shape, element }: Member): boolean => shape === 'single' && wireTypeOf(element) !== 2;

const zeroOf = ({ fieldType }: Element): string => (fieldType === 'bool' ? 'false' : '0');

const isChoice = (element: Element): element is Extract<Element, { schema: string }> => 'schema' in element;

const structType = (element: Element): string => (element as Extract<Element, { fieldType: 'struct' }>).type;

export function compileTranscode(link: TypeLink, links: Links): TranscodeFunction {
  return new TranscodeCompiler(link, links).compile();
}
