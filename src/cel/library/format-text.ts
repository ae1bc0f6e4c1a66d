/**
 * `'%s is %d'.format([…])`. @see {@link https://pkg.go.dev/github.com/google/cel-go/ext#hdr-Format-Strings | Format}
 */
import { typeNameOf } from '../values/compare.ts';
import { durationText, timestampText } from '../values/time-text.ts';
import { work } from '../values/evaluation-limit.ts';
import { replaceEach } from './search.ts';
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../values/values.ts';

const clause = /%(?:\.(\d+))?(.)?/gsu;
const defaultPrecision = 6;
const maxPrecision = 1000;

class FormatError extends Error {}
class TooLong extends Error {}

/** What one clause takes, whatever it writes. */
const stepsPerClause = 20;
const stepsPerElement = 16;
const stepsPerNumber = 40;

/** Adds up what is written, before it is put together. */
class Length {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** Throws {@link TooLong}. */
  add(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw new TooLong();
    return text;
  }
}

/** Undefined when the result were longer than it may be. */
export function formatText(text: string, args: ListValue, maxLength: number): Value | undefined {
  let next = 0;
  const length = new Length(maxLength);
  try {
    return replaceEach(text, clause, stepsPerClause, ([, precision, verb]) => {
      if (verb === '%' && precision === undefined) return '%';
      if (verb === undefined) throw new FormatError('could not parse formatting clause: unexpected end of string');
      const write = verbs[verb];
      if (write === undefined)
        throw new FormatError(
          `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}`,
        );
      if (next >= args.size) throw new FormatError(`index ${next} out of range`);
      const digits = precision === undefined ? undefined : Number(precision);
      if (digits !== undefined && digits > maxPrecision)
        throw new FormatError('could not parse formatting clause: precision too large');
      return length.add(write(args.at(next++), digits, maxLength));
    });
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}

const fail = (rule: string, value: Value): FormatError =>
  new FormatError(`error during formatting: ${rule}, was given ${typeNameOf(value)}`);

const isInt = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
const specials = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? 'Infinity' : '-Infinity';
const specialTexts = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function decimal(value: Value): string {
  if (isInt(value)) return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Double && !Number.isFinite(value.value)) return specials(value.value)!;
  throw fail('decimal clause can only be used on integers', value);
}

function real(value: Value, rule: string): number {
  if (value instanceof Double) return value.value;
  if (typeof value === 'string' && specialTexts.has(value)) return specialTexts.get(value)!;
  throw fail(rule, value);
}

/** Halves go to the even neighbour, where JavaScript's go up. */
function roundToEven(number: number, precision: number): string {
  const text = number.toFixed(precision);
  if (Math.abs(number) >= 1e21) return BigInt(number).toString() + (precision === 0 ? '' : `.${'0'.repeat(precision)}`);
  const exact = number.toFixed(100);
  const rest = exact.slice(exact.indexOf('.') + 1 + precision);
  if (!/^50*$/.test(rest)) return text;
  const cut = exact.slice(0, exact.length - rest.length).replace(/\.$/, '');
  return /[02468]$/.test(cut) ? cut : text;
}

function fixed(value: Value, precision = defaultPrecision): string {
  if (isInt(value) || value instanceof Uint) throw fail('fixed-point clause can only be used on doubles', value);
  const number = real(value, 'fixed-point clause can only be used on doubles');
  work(stepsPerNumber);
  return (
    specials(number) ??
    (precision <= 100
      ? roundToEven(number, precision)
      : number.toFixed(100).padEnd(number.toFixed(0).length + 1 + precision, '0'))
  );
}

function scientific(value: Value, precision = defaultPrecision): string {
  const number = real(value, 'scientific clause can only be used on doubles');
  return specials(number) ?? number.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, 'e$10$2');
}

const inBase = (value: number | bigint, base: number): string => value.toString(base);

function binary(value: Value): string {
  if (isInt(value)) return inBase(value, 2);
  if (value instanceof Uint) return inBase(value.value, 2);
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw fail('only integers and bools can be formatted as binary', value);
}

function octal(value: Value): string {
  if (isInt(value)) return inBase(value, 8);
  if (value instanceof Uint) return inBase(value.value, 8);
  throw fail('octal clause can only be used on integers', value);
}

function hex(value: Value): string {
  if (isInt(value)) return inBase(value, 16);
  if (value instanceof Uint) return inBase(value.value, 16);
  if (typeof value === 'string') return hexOf(Buffer.from(value, 'utf8'));
  if (value instanceof Uint8Array) return hexOf(value);
  throw fail('only integers, byte buffers, and strings can be formatted as hex', value);
}

function hexOf(bytes: Uint8Array): string {
  work(bytes.length / 4);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

const stringRule =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, ' +
  'durations, and timestamps';

function plain(value: Value, maxLength: number): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'number':
    case 'bigint':
      return String(value);
    default:
      return value === null ? 'null' : plainObject(value, maxLength);
  }
}

function plainObject(value: object, maxLength: number): string {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Double) return specials(value.value) ?? String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return listText(value, maxLength);
  if (value instanceof MapValue && value.objectType === undefined) return mapText(value, maxLength);
  throw fail(stringRule, value as Value);
}

const keyTypes = new Set(['string', 'bool', 'int', 'uint']);

function listText(list: ListValue, maxLength: number): string {
  work(list.size * stepsPerElement);
  const length = new Length(maxLength);
  const texts: string[] = [];
  for (let i = 0, { size } = list; i < size; i++) texts.push(length.add(plain(list.at(i), maxLength)));
  return `[${texts.join(', ')}]`;
}

function mapText(map: MapValue, maxLength: number): string {
  work(map.size * stepsPerElement * 2);
  const length = new Length(maxLength);
  const entries = map.keys().map((key): [string, string] => {
    if (!keyTypes.has(typeNameOf(key))) throw fail(stringRule, key);
    return [length.add(plain(key, maxLength)), length.add(plain(map.get(key)!, maxLength))];
  });
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')}}`;
}

const verbs: Readonly<Record<string, (value: Value, precision: number | undefined, maxLength: number) => string>> = {
  s: (value, _, maxLength) => plain(value, maxLength),
  d: decimal,
  f: fixed,
  e: scientific,
  b: binary,
  o: octal,
  x: hex,
  X: (value) => hex(value).toUpperCase(),
};
