/**
 * Addresses as Go's net/netip parses them, without what the legacy parser of `addresses.ts` accepts (leading zeros, for
 * one). The API warns with netip's messages about values that only the legacy parser accepts, and some newer fields
 * require the strict notation.
 * @see {@link https://pkg.go.dev/net/netip | package netip}
 */
import { goQuote } from '../go-quote.ts';
import { formatIp } from './addresses.ts';

export type StrictAddress =
  /** `text` is the canonical notation, which may differ from the input. IPv4 inside IPv6 is IPv6 here. */
  | { readonly ok: true; readonly family: 4 | 6; readonly value: bigint; readonly text: string }
  | { readonly ok: false; readonly problem: string };

export type StrictPrefix =
  | { readonly ok: true; readonly family: 4 | 6; readonly text: string; readonly hasHostBits: boolean }
  | { readonly ok: false; readonly problem: string };

/** What is wrong, and from where on. */
class Malformed extends Error {
  readonly at: string;
  constructor(message: string, at = '') {
    super(message);
    this.at = at;
  }
}

export function parseStrictAddress(text: string): StrictAddress {
  const dot = text.indexOf('.');
  const colon = text.indexOf(':');
  try {
    if (dot >= 0 && (colon < 0 || dot < colon)) return { ok: true, family: 4, ...shown(4, readIpv4(text)) };
    if (colon >= 0) return { ok: true, family: 6, ...shown(6, readIpv6(text)) };
    throw new Malformed('unable to parse IP');
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return {
      ok: false,
      problem: `ParseAddr(${goQuote(text)}): ${error.message}${error.at === '' ? '' : ` (at ${goQuote(error.at)})`}`,
    };
  }
}

export function parseStrictPrefix(text: string): StrictPrefix {
  const slash = text.lastIndexOf('/');
  const refuse = (problem: string): StrictPrefix => ({
    ok: false,
    problem: `netip.ParsePrefix(${goQuote(text)}): ${problem}`,
  });
  if (slash < 0) return refuse("no '/'");
  const address = parseStrictAddress(text.slice(0, slash));
  if (!address.ok) return refuse(address.problem);
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(digits)) return refuse(`bad bits after slash: ${goQuote(digits)}`);
  const bits = address.family === 4 ? 32 : 128;
  const length = Number(digits);
  if (length > bits) return refuse('prefix length out of range');
  const hasHostBits = (address.value & ((1n << BigInt(bits - length)) - 1n)) !== 0n;
  return { ok: true, family: address.family, text: `${address.text}/${digits}`, hasHostBits };
}

function shown(family: 4 | 6, value: bigint): { value: bigint; text: string } {
  if (family === 6 && value >> 32n === 0xffffn)
    return { value, text: `::ffff:${formatIp({ family: 4, value: value & 0xffffffffn })}` };
  return { value, text: formatIp({ family, value }) };
}

function readIpv4(text: string): bigint {
  let field = '';
  const fields: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '.') {
      if (field === '' || i === text.length - 1)
        throw new Malformed('IPv4 field must have at least one digit', text.slice(i));
      if (fields.length === 3) throw new Malformed('IPv4 address too long');
      fields.push(field);
      field = '';
    } else if (!/\d/.test(char)) throw new Malformed('unexpected character', text.slice(i));
    else {
      if (field === '0') throw new Malformed('IPv4 field has octet with leading zero');
      field += char;
      if (Number(field) > 255) throw new Malformed('IPv4 field has value >255');
    }
  }
  if (fields.length < 3) throw new Malformed('IPv4 address too short');
  return [...fields, field].reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** Groups of an IPv6 address before and after `::`. */
interface Groups {
  readonly before: bigint[];
  after: bigint[] | undefined;
}

function readIpv6(text: string): bigint {
  if (text.includes('%')) throw new Malformed('zones are not supported');
  const groups: Groups = { before: [], after: undefined };
  const read = (): number => groups.before.length + (groups.after?.length ?? 0);
  let rest = text;
  if (rest.startsWith('::')) {
    groups.after = [];
    rest = rest.slice(2);
  }
  while (rest !== '' && read() < 8) rest = readGroup(rest, groups, read());
  if (rest !== '') throw new Malformed('trailing garbage after address', rest);
  if (read() === 8 && groups.after !== undefined)
    throw new Malformed('the :: must expand to at least one field of zeros');
  if (read() < 8 && groups.after === undefined) throw new Malformed('address string too short');
  const zeros = Array.from({ length: 8 - read() }, () => 0n);
  return [...groups.before, ...zeros, ...(groups.after ?? [])].reduce((sum, part) => (sum << 16n) | part, 0n);
}

/** Reads one group and the colons behind it; returns what is left. */
function readGroup(rest: string, groups: Groups, read: number): string {
  const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest)!;
  if (digits.length > 4) throw new Malformed('each group must have 4 or less digits', rest);
  if (digits === '') throw new Malformed('each colon-separated field must have at least one digit', rest);
  const target = groups.after ?? groups.before;
  if (rest[digits.length] === '.') {
    if (groups.after === undefined && read !== 6)
      throw new Malformed('embedded IPv4 address must replace the final 2 fields of the address', rest);
    if (read > 6) throw new Malformed('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
    const embedded = readIpv4(rest);
    target.push(embedded >> 16n, embedded & 0xffffn);
    return '';
  }
  target.push(BigInt(`0x${digits}`));
  return behindColon(rest.slice(digits.length), groups);
}

function behindColon(rest: string, groups: Groups): string {
  if (rest === '') return '';
  if (!rest.startsWith(':')) throw new Malformed('unexpected character, want colon', rest);
  if (rest === ':') throw new Malformed('colon must be followed by more characters', rest);
  if (rest[1] !== ':') return rest.slice(1);
  if (groups.after !== undefined) throw new Malformed('multiple :: in address', rest.slice(1));
  groups.after = [];
  return rest.slice(2);
}
