/**
 * Normalized value → JSON members, compiled per type: what upstream's encoder prints for a built-in object. Members
 * are in declaration order, with a comma after each; the caller that closes the object overwrites the last comma.
 *
 * `omitempty` leaves out what is zero, except structs: those are always there, and a zero time among them is null.
 */
import { checkSpace, writeLiteral, writeLongAscii, writeNumber, writeText } from '../json/bytes.ts';
import { sortedKeys, writeCarried, writeValue } from '../json/writer.ts';
import type { JsonObject } from '../value.ts';
import { writeChoiceJson } from './choice-json.ts';
import { EncodeError } from './decode-error.ts';
import { zeroTime } from './well-known-read.ts';
import { constantMember, jsonFalse, jsonNull, jsonTrue, memberName, typeMetaMembers } from './json-literals.ts';
import type { Links, ToJsonFunction, TypeLink } from './link.ts';
import type { Element, Member } from './plan.ts';
import { FunctionSource, functionName, member } from './source.ts';
import { failNotList, failNotObject } from './wire-write.ts';

/** JSON text of an absent field that is no pointer; undefined for what has no zero of its own. */
export function zeroText({ fieldType }: Element): string | undefined {
  switch (fieldType) {
    case 'string':
      return '""';
    case 'bool':
      return 'false';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'double':
    case 'goDuration':
    case 'intOrString':
      return '0';
    case 'quantity':
      return '"0"';
    case 'duration':
      return '"0s"';
    default:
      return 'null';
  }
}

const structTypes: ReadonlySet<string> = new Set([
  'quantity',
  'duration',
  'intOrString',
  'time',
  'microtime',
  'rawExtension',
  'fieldsV1',
  'unknown',
  'json',
]);

/** Go's `omitempty` has no effect on structs, which some scalars of ours are there. */
export const isOmitted = ({ omitempty, pointer, shape, element }: Member): boolean =>
  omitempty && (pointer || shape !== 'single' || !structTypes.has(element.fieldType));

const emptyObject: JsonObject = Object.freeze({});

function failTooDeep(): never {
  throw new EncodeError('value nested too deep');
}

/** A time inside a list or map, where the zero time is not left out. */
function writeTime(out: Buffer, o: number, value: unknown): number {
  return value === zeroTime ? writeLiteral(out, o, jsonNull) : writeText(out, o, value as string);
}

class ToJsonCompiler {
  readonly #source = new FunctionSource();
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  compile(): ToJsonFunction {
    this.#line(`if (depth === 0) ${this.#bind(failTooDeep)}();`);
    this.#line('let x;');
    this.#members(this.#link.plan.members);
    this.#line(`return ${this.#bind(checkSpace)}(out, o);`);
    return this.#source.compile(functionName('toJson', this.#link.plan.id), 'out, o, v, depth');
  }

  #members(members: readonly Member[]): void {
    for (const field of members) {
      if (field.shape === 'inline')
        this.#members(this.#links.plans.of((field.element as Extract<Element, { fieldType: 'struct' }>).type).members);
      else this.#field(field);
    }
  }

  #field(field: Member): void {
    const { json, element, pointer } = field;
    const omitted = isOmitted(field);
    this.#line(`x = ${member('v', json)};`);
    if (field.shape === 'single' && element.fieldType === 'struct' && !pointer) {
      this.#name(json);
      this.#struct(element.type, `(x ?? ${this.#bind(emptyObject)})`);
      this.#line('out[o++] = 44;');
      return;
    }
    this.#line(`if (${this.#present(field, omitted)}) {`);
    this.#name(json);
    this.#content(field);
    this.#line('out[o++] = 44; }');
    if (!omitted) {
      const empty = field.pointer || field.shape !== 'single' ? 'null' : zeroText(element)!;
      this.#line(`else o = ${this.#bind(writeLiteral)}(out, o, ${this.#bind(constantMember(json, empty))});`);
    }
  }

  #present({ shape, element, pointer }: Member, omitted: boolean): string {
    const there = 'x !== undefined && x !== null';
    if (!omitted || pointer) return there;
    if (shape === 'map') return `${there} && ${this.#bind(hasMembers)}(x)`;
    if (shape === 'list' || element.fieldType === 'texts' || element.fieldType === 'bytes')
      return `${there} && x.length !== 0`;
    const zero = zeroText(element);
    return zero === 'null' ? there : `${there} && x !== ${zero}`;
  }

  #content(field: Member): void {
    const { element, shape, typeMeta } = field;
    if (shape === 'list')
      this.#list(element, 'x', typeMeta === undefined ? undefined : this.#bind(typeMetaMembers(typeMeta)));
    else if (shape === 'map') {
      this.#line(`if (typeof x !== "object") ${this.#bind(failNotObject)}(x);`);
      this.#line(`{ const m = x, a = ${this.#bind(sortedKeys)}(m); out[o++] = 123;`);
      this.#line('for (let i = 0; i < a.length; i++) { const k = a[i]; const y = m[k]; if (y === undefined) continue;');
      this.#line(`o = ${this.#bind(writeText)}(out, o, k); out[o++] = 58;`);
      this.#value(element, 'y');
      this.#line('out[o++] = 44; }');
      this.#close('123', '125');
      this.#line('}');
    } else this.#value(element, 'x');
  }

  #list(element: Element, value: string, typeMeta?: string): void {
    this.#line(`{ const s = ${value}; if (!Array.isArray(s)) ${this.#bind(failNotList)}(s); out[o++] = 91;`);
    this.#line('for (let i = 0; i < s.length; i++) { const z = s[i];');
    this.#value(element, 'z', typeMeta);
    this.#line('out[o++] = 44; }');
    this.#close('91', '93');
    this.#line('}');
  }

  #value(element: Element, value: string, typeMeta?: string): void {
    switch (element.fieldType) {
      case 'string':
      case 'quantity':
      case 'duration':
        this.#line(`o = ${this.#bind(writeText)}(out, o, ${value});`);
        break;
      case 'bool':
        this.#line(
          `o = ${this.#bind(writeLiteral)}(out, o, ${value} === true ? ${this.#bind(jsonTrue)} ` +
            `: ${this.#bind(jsonFalse)});`,
        );
        break;
      case 'bytes':
        this.#line(`o = ${this.#bind(writeLongAscii)}(out, o, ${value});`);
        break;
      case 'time':
      case 'microtime':
        this.#line(`o = ${this.#bind(writeTime)}(out, o, ${value});`);
        break;
      case 'intOrString':
        this.#line(
          `o = typeof ${value} === "string" ? ${this.#bind(writeText)}(out, o, ${value}) ` +
            `: ${this.#bind(writeNumber)}(out, o, ${value});`,
        );
        break;
      case 'rawExtension':
      case 'unknown':
        this.#line(`o = ${this.#bind(writeCarried)}(out, o, ${value}, true);`);
        break;
      case 'fieldsV1':
        this.#line(`o = ${this.#bind(writeCarried)}(out, o, ${value}, false);`);
        break;
      case 'json':
      case 'any':
        this.#line(`o = ${this.#bind(writeValue)}(out, o, ${value});`);
        break;
      case 'struct':
        this.#struct(element.type, value, typeMeta);
        break;
      case 'texts':
        this.#list({ fieldType: 'string' }, value);
        break;
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        this.#line(
          `o = ${this.#bind(writeChoiceJson)}(out, o, ${value}, ${this.#bind(this.#links.of(element.schema))}, ` +
            'depth - 1);',
        );
        break;
      default:
        this.#line(`o = ${this.#bind(writeNumber)}(out, o, ${value});`);
    }
    this.#line(`if (o > out.length - 4096) ${this.#bind(checkSpace)}(out, o);`);
  }

  #struct(type: string, value: string, typeMeta?: string): void {
    const link = this.#bind(this.#links.of(type));
    this.#line('out[o++] = 123;');
    if (typeMeta !== undefined) this.#line(`o = ${this.#bind(writeLiteral)}(out, o, ${typeMeta});`);
    else if (this.#links.plans.of(type).kind) this.#line(`o = ${this.#bind(writeTypeMeta)}(out, o, ${value});`);
    this.#line(`o = ${link}.toJson(out, o, ${value}, depth - 1);`);
    this.#close('123', '125');
  }

  /** Overwrites the comma behind the last member with the closing bracket. */
  #close(open: string, bracket: string): void {
    this.#line(
      `if (out[o - 1] === 44) out[o - 1] = ${bracket}; else if (out[o - 1] === ${open}) out[o++] = ${bracket};`,
    );
  }

  #name(name: string): void {
    this.#line(`o = ${this.#bind(writeLiteral)}(out, o, ${this.#bind(memberName(name))});`);
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

function hasMembers(map: JsonObject): boolean {
  for (const key in map) if (map[key] !== undefined) return true;
  return false;
}

/** kind and apiVersion where the value has them. */
export function writeTypeMeta(out: Buffer, o: number, value: JsonObject): number {
  const { kind, apiVersion } = value;
  if (kind === undefined && apiVersion === undefined) return o;
  return writeLiteral(out, o, typeMetaMembers({ kind: String(kind ?? ''), apiVersion: String(apiVersion ?? '') }));
}

export function compileToJson(link: TypeLink, links: Links): ToJsonFunction {
  return new ToJsonCompiler(link, links).compile();
}
