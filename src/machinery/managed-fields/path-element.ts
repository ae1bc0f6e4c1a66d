/**
 * One step of a path to a field: a member (`f:name`), an item of a keyed list (`k:{"name":"c"}`), an item of a set
 * (`v:"x"`), or an index (`i:0`). Two elements are equal when their texts are.
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/ | Server-Side Apply}
 */
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { copyText } from '../../base/copy-text.ts';
import { compareText } from '../compare-text.ts';
import { goQuote } from '../go-quote.ts';
import { parseJson } from '../json/reader.ts';
import { isObject, type JsonValue } from '../value.ts';

export type ElementKind = 'field' | 'key' | 'value' | 'index';
export type KeyValues = readonly (readonly [name: string, value: JsonValue])[];

const ranks: Record<ElementKind, number> = { field: 0, key: 1, value: 2, index: 3 };

export class PathElement {
  readonly kind: ElementKind;
  /** Canonical text, as FieldsV1 has it. */
  readonly text: string;
  /** Name of a field; '' else. */
  readonly name: string;
  /** Key of a keyed item, sorted by name; the value of a set's item or the index as the one entry. */
  readonly values: KeyValues;
  #quoted: string | undefined;

  constructor(kind: ElementKind, text: string, name: string, values: KeyValues) {
    this.kind = kind;
    this.text = text;
    this.name = name;
    this.values = values;
  }

  /** `"f:name":`, the element as member name of a JSON object. */
  get memberName(): string {
    this.#quoted ??= `${quote(this.text)}:`;
    return this.#quoted;
  }

  /** As messages show it: `.name`, `[name="c"]`, `[="x"]`, `[0]`. */
  toString(): string {
    switch (this.kind) {
      case 'field':
        return `.${this.name}`;
      case 'index':
        return `[${shown(this.values[0]![1])}]`;
      case 'value':
        return `[=${shown(this.values[0]![1])}]`;
      case 'key':
        return `[${this.values.map(([name, value]) => `${name}=${shown(value)}`).join(',')}]`;
    }
  }
}

/** The order of FieldsV1: fields, keys, values, indices; each by their parts. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b || a.text === b.text) return 0;
  if (a.kind !== b.kind) return ranks[a.kind] - ranks[b.kind];
  return a.kind === 'field' ? compareText(a.name, b.name) : compareKeys(a.values, b.values);
}

function compareKeys(a: KeyValues, b: KeyValues): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareText(a[i]![0], b[i]![0]) || compareValues(a[i]![1], b[i]![1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const typeRank = (value: JsonValue): number => {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return value === null ? 5 : Array.isArray(value) ? 3 : 4;
};

/** Numbers before texts before booleans before all else. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = typeRank(a);
  const order = rank - typeRank(b);
  if (order !== 0) return order;
  if (rank === 0) return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  if (rank === 1) return compareText(a as string, b as string);
  return rank === 2 ? Number(a) - Number(b) : compareText(canonical(a), canonical(b));
}

/** Elements by their text: the same fields and keys come with every object. */
const known = new BoundedCache<PathElement>({
  maxBytes: 8 * 1024 * 1024,
  maxKeyLength: 512,
  bytesOf: ({ text }) => elementBytes + 2 * textBytes(text),
});
/** An element without its texts. */
const elementBytes = 150;

/** Lists and maps that are larger have what no other object has. */
export const largestCommon = 256;

export const fieldElement = (name: string): PathElement =>
  known.getOrMake(`f:${name}`, (text) => new PathElement('field', text, text.slice('f:'.length), []));

/** A member of a map of that many; those of large maps would only push out what other objects have too. */
export const memberElement = (name: string, mapSize: number): PathElement =>
  mapSize <= largestCommon ? fieldElement(name) : new PathElement('field', `f:${name}`, name, []);

/**
 * @param values sorted by name
 * @param isCommon whether other objects may have it too; items of long lists would only push those out that are
 */
export function keyElement(values: KeyValues, isCommon = true): PathElement {
  let text = 'k:{';
  for (let i = 0; i < values.length; i++)
    text += `${i === 0 ? '' : ','}${quote(values[i]![0])}:${canonical(values[i]![1])}`;
  const make = (whole: string): PathElement =>
    new PathElement(
      'key',
      whole,
      '',
      values.map(([name, value]) => [copyText(name), ownValue(value)]),
    );
  return isCommon ? known.getOrMake(`${text}}`, make) : make(`${text}}`);
}

const ownValue = (value: JsonValue): JsonValue =>
  typeof value === 'string' ? copyText(value) : typeof value === 'object' ? parseJson(canonical(value)) : value;

export const valueElement = (value: JsonValue): PathElement =>
  new PathElement('value', `v:${canonical(value)}`, '', [['', value]]);

export const indexElement = (index: number): PathElement => new PathElement('index', `i:${index}`, '', [['', index]]);

/**
 * The element a member name of FieldsV1 stands for; undefined for kinds of a future version, which are ignored.
 * @throws Error when the text is not a path element.
 */
export function parseElement(text: string, isCommon = true): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return isCommon ? fieldElement(rest) : memberElement(rest, Infinity);
    case 'k':
      return parseKey(rest, isCommon);
    case 'v':
      return valueElement(parseJson(rest));
    case 'i':
      return parseIndex(rest);
    default:
      return undefined;
  }
}

function parseKey(text: string, isCommon: boolean): PathElement {
  const key = parseJson(text);
  if (!isObject(key)) throw new Error(`not a key: ${text}`);
  return keyElement(Object.entries(key).sort(([a], [b]) => compareText(a, b)) as [string, JsonValue][], isCommon);
}

function parseIndex(text: string): PathElement {
  const index = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  // Larger ones would be written as others.
  if (!Number.isSafeInteger(index)) throw new Error(`not an index: ${text}`);
  return indexElement(index === 0 ? 0 : index);
}

/** A value within an element: compact JSON, members sorted, with Go's escapes for HTML. */
function canonical(value: JsonValue): string {
  if (typeof value === 'string')
    return plainValue.test(value)
      ? `"${value}"`
      : quote(value).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return String(value);
  return `{${Object.keys(value)
    .sort(compareText)
    .map((key) => `${canonical(key)}:${canonical(value[key]!)}`)
    .join(',')}}`;
}

const plain = /^[ !#-[\]-~]*$/;
const plainValue = /^[ !#-%'-;=?-[\]-~]*$/;

/** A JSON text; Go has short escapes for tab, newline and carriage return only. */
function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  if (!/[\b\f]/.test(text)) return quoted;
  return quoted.replace(/\\[bf]/g, (escape, at: number, all: string) =>
    isEscaped(all, at) ? escape : escape === '\\b' ? '\\u0008' : '\\u000c',
  );
}

/** Whether the backslash at `at` is itself escaped. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : canonical(value));
