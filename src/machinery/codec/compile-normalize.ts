/**
 * JSON value → normalized value, compiled per type for clean input: every member known, of its type, and in the usual
 * notation. For any other input it gives up ({@link notClean}) and the exact, slower decoder of `json/exact.ts` starts
 * again, which finds all errors with their paths and messages.
 */
import { QuantityError, canonicalQuantity } from '../quantity.ts';
import {
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  parseUtcSeconds,
  TimeParseError,
  zeroTimeSeconds,
} from '../time.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap, RawJson } from '../value.ts';
import { DurationParseError, formatDuration, parseDuration } from '../duration.ts';
import { zeroTime } from './well-known-read.ts';
import type { Links, NormalizeContext, NormalizeFunction, TypeLink } from './link.ts';
import { needsFill } from './compile-decode.ts';
import type { ChoiceType, Element, Member } from './plan.ts';
import { FunctionSource, functionName, member } from './source.ts';

/** Thrown where the quick way ends. Never leaves the codec. */
export const notClean = new Error('needs the exact decoder');

function giveUp(): never {
  throw notClean;
}

type Read = (value: JsonValue, context: NormalizeContext, depth: number) => JsonValue | undefined;

const readInt =
  (least: number, most: number): Read =>
  (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) giveUp();
    return value === 0 ? 0 : value;
  };

const readLong =
  (least: bigint, most: bigint): Read =>
  (value) => {
    if (typeof value === 'number')
      return Number.isSafeInteger(value) && (least < 0n || value >= 0) ? (value === 0 ? 0 : value) : giveUp();
    return typeof value === 'bigint' && value >= least && value <= most ? value : giveUp();
  };

const readFloat: Read = (value) => (typeof value === 'number' ? value : giveUp());

const readBytes: Read = (value) => {
  if (typeof value !== 'string' || Buffer.from(value, 'base64').toString('base64') !== value) giveUp();
  return value;
};

const readTime: Read = (value) => {
  if (typeof value !== 'string') giveUp();
  const seconds = parseUtcSeconds(value);
  if (seconds !== undefined) return seconds === zeroTimeSeconds ? undefined : value;
  const exact = parseOr(TimeParseError, () => parseTime(value).seconds);
  return exact === zeroTimeSeconds ? undefined : formatTime(exact);
};

const readMicroTime: Read = (value) => {
  if (typeof value !== 'string') giveUp();
  const { seconds, nanos } = parseOr(TimeParseError, () => parseMicroTime(value));
  return seconds === zeroTimeSeconds && nanos === 0 ? undefined : formatMicroTime(seconds, nanos);
};

const readDuration: Read = (value) => {
  if (typeof value !== 'string') giveUp();
  return parseOr(DurationParseError, () => formatDuration(parseDuration(value)));
};

const readQuantity: Read = (value) => {
  if (typeof value !== 'string' && typeof value !== 'number') giveUp();
  return parseOr(QuantityError, () => canonicalQuantity(String(value).trim()));
};

function parseOr<T>(failure: new (message: string) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof failure) giveUp();
    throw error;
  }
}

const readIntOrString: Read = (value, context, depth) =>
  typeof value === 'string' ? value : readInt32(value, context, depth);
const readInt32 = readInt(-0x80000000, 0x7fffffff);
const int64 = readLong(-(2n ** 63n), 2n ** 63n - 1n);

const readRaw: Read = (value, context) => {
  if (value instanceof RawJson) return value.asValue();
  countMembers(value, context);
  return new RawJson(context.raw(value)).asValue();
};

/** Maps without prototype inside; counts members. */
const readJson: Read = (value, context, depth) => {
  if (depth === 0) giveUp();
  if (Array.isArray(value)) return value.map((item) => readJson(item, context, depth - 1) ?? null);
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value;
  const map = createMap<JsonValue | undefined>();
  for (const key of Object.keys(value)) {
    context.members++;
    map[key] = readJson(value[key]!, context, depth - 1);
  }
  return map;
};

function countMembers(value: JsonValue, context: NormalizeContext): void {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next) as JsonValue[];
    if (!Array.isArray(next)) context.members += values.length;
    for (const item of values) if (typeof item === 'object') waiting.push(item);
  }
}

const readers: Readonly<Record<string, Read>> = {
  int32: readInt32,
  uint32: readInt(0, 0xffffffff),
  int64,
  uint64: readLong(0n, 2n ** 64n - 1n),
  goDuration: int64,
  double: readFloat,
  bytes: readBytes,
  time: readTime,
  microtime: readMicroTime,
  duration: readDuration,
  quantity: readQuantity,
  intOrString: readIntOrString,
  rawExtension: readRaw,
  fieldsV1: readRaw,
  unknown: readRaw,
  json: readJson,
  any: readJson,
};

/** JavaScript text of what is left out where a field is no pointer. */
const zeros: Readonly<Record<string, string>> = {
  string: '""',
  bool: 'false',
  int32: '0',
  uint32: '0',
  int64: '0',
  uint64: '0',
  goDuration: '0',
  double: '0',
  duration: '"0s"',
  quantity: '"0"',
  intOrString: '0',
};

/** What null means in a list or a map. */
function nullInContainer({ fieldType }: Element): string {
  switch (fieldType) {
    case 'string':
    case 'bytes':
      return '""';
    case 'time':
    case 'microtime':
      return JSON.stringify(zeroTime);
    case 'texts':
      return '[]';
    case 'schemaOrBool':
      return 'false';
    default:
      return zeros[fieldType] ?? 'null';
  }
}

class NormalizeCompiler {
  readonly #source = new FunctionSource();
  readonly #link: TypeLink;
  readonly #links: Links;

  constructor(link: TypeLink, links: Links) {
    this.#link = link;
    this.#links = links;
  }

  compile(): NormalizeFunction {
    const { plan } = this.#link;
    this.#line(`if (typeof o !== "object" || o === null || Array.isArray(o) || depth === 0) ${this.#bind(giveUp)}();`);
    this.#line('const r = {}; let n = 0, w;');
    this.#line('for (const k in o) { const x = o[k]; n++; if (x === undefined || x === null) {');
    this.#line(
      'if (x === null && ' +
        `!${this.#bind(new Set(memberNames(plan.members, this.#links, plan.kind)))}.has(k)) ${this.#bind(giveUp)}(); ` +
        'continue; }',
    );
    this.#line('switch (k) {');
    if (plan.kind)
      this.#line(
        `case "kind": case "apiVersion": if (typeof x !== "string") ${this.#bind(giveUp)}(); if (x !== ` +
          '"") r[k] = x; break;',
      );
    this.#members(plan.members);
    this.#line(`default: ${this.#bind(giveUp)}();`);
    this.#line('}}');
    this.#line('context.members += n;');
    if (needsFill(this.#links, plan.id)) this.#line(`${this.#bind(this.#link)}.fill(r);`);
    this.#line('return r;');
    return this.#source.compile(functionName('normalize', plan.id), 'o, context, depth');
  }

  #members(members: readonly Member[]): void {
    for (const field of members) {
      if (field.shape === 'inline')
        this.#members(this.#links.plans.of((field.element as Extract<Element, { fieldType: 'struct' }>).type).members);
      else this.#field(field);
    }
  }

  #field(field: Member): void {
    const target = member('r', field.json);
    this.#line(`case ${JSON.stringify(field.json)}: {`);
    switch (field.shape) {
      case 'list':
        this.#list(field.element, 'x', target, field.typeMeta !== undefined);
        break;
      case 'map':
        this.#map(field, target);
        break;
      default:
        this.#single(field, target);
    }
    this.#line('break; }');
  }

  #single({ element, pointer }: Member, target: string): void {
    if (element.fieldType === 'texts') {
      this.#list({ fieldType: 'string' }, 'x', target, false);
      return;
    }
    this.#value(element, 'x');
    const zero = pointer ? undefined : zeros[element.fieldType];
    if (zero !== undefined) this.#line(`if (w !== ${zero}) ${target} = w;`);
    else if (readers[element.fieldType] === undefined || element.fieldType === 'bytes') this.#line(`${target} = w;`);
    else this.#line(`if (w !== undefined) ${target} = w;`);
  }

  #list(element: Element, from: string, target: string, dropTypeMeta: boolean): void {
    this.#line(`{ const s = ${from}; if (!Array.isArray(s)) ${this.#bind(giveUp)}(); const a = new Array(s.length);`);
    this.#line('for (let i = 0; i < s.length; i++) { const y = s[i];');
    this.#item(element, 'y');
    if (dropTypeMeta)
      this.#line('if (w.kind !== undefined) delete w.kind; if (w.apiVersion !== undefined) delete w.apiVersion;');
    this.#line(`a[i] = w; } ${target} = a; }`);
  }

  #map({ element, mapKey }: Member, target: string): void {
    this.#line(`if (typeof x !== "object" || Array.isArray(x)) ${this.#bind(giveUp)}();`);
    this.#line(`const m = ${this.#bind(createMap)}(); let c = 0;`);
    this.#line('for (const e in x) { const y = x[e]; c++; if (y === undefined) continue;');
    if (mapKey !== 'string') this.#line(`if (!/^(0|-?[1-9][0-9]{0,8})$/.test(e)) ${this.#bind(giveUp)}();`);
    if (element.fieldType === 'texts') {
      this.#line('if (y === null) m[e] = []; else');
      this.#list({ fieldType: 'string' }, 'y', 'm[e]', false);
    } else {
      this.#item(element, 'y');
      this.#line('m[e] = w;');
    }
    this.#line(`} context.members += c; ${target} = m;`);
  }

  /** An element of a list or a map, where null is the zero value. */
  #item(element: Element, value: string): void {
    const zero =
      element.fieldType === 'struct'
        ? `${this.#bind(this.#links.of(element.type))}.fill({})`
        : nullInContainer(element);
    this.#line(`if (${value} === null || ${value} === undefined) w = ${zero}; else {`);
    this.#value(element, value);
    if (element.fieldType === 'time' || element.fieldType === 'microtime')
      this.#line(`if (w === undefined) w = ${zero};`);
    this.#line('}');
  }

  /** Checks and converts one value into `w`. */
  #value(element: Element, value: string): void {
    switch (element.fieldType) {
      case 'string':
        this.#line(`if (typeof ${value} !== "string") ${this.#bind(giveUp)}(); w = ${value};`);
        return;
      case 'bool':
        this.#line(`if (typeof ${value} !== "boolean") ${this.#bind(giveUp)}(); w = ${value};`);
        return;
      case 'struct':
        this.#line(`w = ${this.#bind(this.#links.of(element.type))}.normalize(${value}, context, depth - 1);`);
        return;
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray': {
        const read = readChoice(element.fieldType, this.#links.of(element.schema));
        this.#line(`w = ${this.#bind(read)}(${value}, context, depth - 1);`);
        return;
      }
      default:
        this.#line(`w = ${this.#bind(readers[element.fieldType]!)}(${value}, context, depth);`);
    }
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

/** All names that JSON objects of the type may have. */
function memberNames(members: readonly Member[], links: Links, kind: boolean): string[] {
  const names = members.flatMap((field) =>
    field.shape === 'inline'
      ? memberNames(
          links.plans.of((field.element as Extract<Element, { fieldType: 'struct' }>).type).members,
          links,
          false,
        )
      : [field.json],
  );
  return kind ? ['kind', 'apiVersion', ...names] : names;
}

function readChoice(fieldType: ChoiceType, schema: TypeLink): Read {
  return (value, context, depth) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return schema.normalize(value as JsonObject, context, depth);
    if (fieldType === 'schemaOrBool') return typeof value === 'boolean' ? value : giveUp();
    if (!Array.isArray(value)) giveUp();
    if (fieldType === 'schemaOrArray') return value.map((item) => schema.normalize(item as JsonObject, context, depth));
    return value.every((item) => typeof item === 'string') ? value : giveUp();
  };
}

export function compileNormalize(link: TypeLink, links: Links): NormalizeFunction {
  return new NormalizeCompiler(link, links).compile();
}
