/**
 * Single values as Go's `strconv`, `net` and pflag read them, failing with the same words: operators and their scripts
 * know those.
 *
 * @see {@link https://pkg.go.dev/strconv | strconv}
 * @see {@link https://pkg.go.dev/github.com/spf13/pflag | pflag}
 */
import { isIP } from 'node:net';
import { parseQuantity } from '../../machinery/quantity.ts';

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

export function parseBool(text: string): boolean {
  const value = booleans.get(text);
  if (value === undefined) throw new Error(`strconv.ParseBool: parsing "${text}": invalid syntax`);
  return value;
}

/** Decimal, or with a base prefix (`0x1f`, `0o17`, `017`, `0b11`), underscores between digits allowed. */
const integerForm =
  /^([-+]?)(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/;
const maxInt64 = 2n ** 63n;

/** An int64. Values beyond 2^53 lose precision; no flag has use for them. */
export function parseInteger(text: string): number {
  const form = integerForm.exec(text);
  if (!form) throw new Error(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  const digits = form[2]!.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  const value = form[1] === '-' ? -BigInt(digits) : BigInt(digits);
  if (value >= maxInt64 || value < -maxInt64)
    throw new Error(`strconv.ParseInt: parsing "${text}": value out of range`);
  return Number(value);
}

export function parseInt32(text: string): number {
  const value = parseInteger(text);
  if (value >= 2 ** 31 || value < -(2 ** 31))
    throw new Error(`strconv.ParseInt: parsing "${text}": value out of range`);
  return value;
}

/** A quantity, rounded up to whole bytes. */
export const parseBytes = (text: string): number => Math.ceil(parseQuantity(text).toNumber());

export function parseFloatValue(text: string): number {
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text))
    throw new Error(`strconv.ParseFloat: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** An IPv4 or IPv6 address without a zone. */
export function parseIp(text: string): string {
  const address = text.trim();
  if (isIP(address) === 0 || address.includes('%')) throw new Error(`failed to parse IP: "${text}"`);
  return address;
}

/** Ports `first` to `last`, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** `30000-32767`, `30000+100` (a first port and how many come after it), or one port. */
export function parsePortRange(text: string): PortRange {
  const [, base, sign, end] = /^([^-+]*)(?:([-+])(.*))?$/s.exec(text.trim())!;
  const first = atoi(base!);
  if (sign === undefined) return checkPortRange({ first, last: first }, text);
  const second = atoi(end!);
  return checkPortRange({ first, last: sign === '+' ? first + second : second }, text);
}

function checkPortRange(range: PortRange, text: string): PortRange {
  if (range.first > 65535 || range.last > 65535)
    throw new Error(`the port range cannot be greater than 65535: ${text}`);
  if (range.last < range.first) throw new Error(`end port cannot be less than start port: ${text}`);
  return range;
}

function atoi(text: string): number {
  if (!/^[-+]?\d+$/.test(text)) throw new Error(`strconv.Atoi: parsing "${text}": invalid syntax`);
  return Number(text);
}

/**
 * One line of comma-separated values, fields in double quotes where they contain a comma or quote (RFC 4180, section
 * 2). An empty line is no field at all.
 */
export function parseCsv(line: string): string[] {
  if (line === '') return [];
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const field = line[at] === '"' ? quotedField(line, at) : plainField(line, at);
    fields.push(field.value);
    if (field.end >= line.length) return fields;
    at = field.end + 1;
  }
}

interface CsvField {
  readonly value: string;
  /** Where the field's comma stands, or the length of the line. */
  readonly end: number;
}

function plainField(line: string, start: number): CsvField {
  const comma = line.indexOf(',', start);
  const end = comma < 0 ? line.length : comma;
  const value = line.slice(start, end);
  const quote = value.indexOf('"');
  if (quote >= 0) throw new Error(`parse error on line 1, column ${start + quote + 1}: bare " in non-quoted field`);
  return { value, end };
}

function quotedField(line: string, start: number): CsvField {
  const [text] = /^"((?:[^"]|"")*)"(?=,|$)/s.exec(line.slice(start)) ?? [];
  if (text === undefined)
    throw new Error(`parse error on line 1, column ${line.length + 1}: extraneous or missing " in quoted-field`);
  return { value: text.slice(1, -1).replaceAll('""', '"'), end: start + text.length };
}
