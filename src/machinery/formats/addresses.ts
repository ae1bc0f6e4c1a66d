/**
 * IP addresses and networks as upstream's legacy parser reads them: IPv4 parts may have leading zeros, which count as
 * decimal. Zones are not accepted.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { ok } from './messages.ts';
import type { Checker } from './names.ts';

export const ipMessage = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

const sloppyIPv4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** An IPv4 address without leading zeros, or undefined when it is none. */
function normalIPv4(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const match = sloppyIPv4.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1).map(Number);
  return parts.every((part) => part <= 255) ? parts.join('.') : undefined;
}

/** An address inside an IPv6 one (`::ffff:1.2.3.4`) counts as IPv4, as in Go. */
const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export interface IpAddress {
  readonly family: 4 | 6;
  /** Big-endian value. */
  readonly value: bigint;
}

/** The address, or undefined when the text is none. */
export function parseIp(text: string): IpAddress | undefined {
  const v4 = normalIPv4(text);
  if (v4 !== undefined) return { family: 4, value: ipv4Value(v4) };
  if (text.includes('%') || !isIPv6(text)) return undefined;
  const value = ipv6Value(text);
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

const ipv4Value = (text: string): bigint => text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);

function ipv6Value(text: string): bigint {
  const mapped = mappedIPv4.exec(text);
  if (mapped !== null) return (0xffffn << 32n) | ipv4Value(mapped[1]!);
  const [head = '', tail] = text.split('::');
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0n);
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | part, 0n);
}

/** The 16-bit groups of a part of an IPv6 address, whose last group may be written as IPv4. */
function groups(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [BigInt(`0x${part}`)];
    const value = ipv4Value(part);
    return [value >> 16n, value & 0xffffn];
  });
}

/**
 * The canonical text of an address: dotted decimal, and for IPv6 that of RFC 5952.
 * @see {@link https://www.rfc-editor.org/rfc/rfc5952#section-4 | RFC 5952, section 4}
 */
export function formatIp({ family, value }: IpAddress): string {
  return family === 4 ? formatIpv4(value) : formatIpv6(value);
}

const formatIpv4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

function formatIpv6(value: bigint): string {
  const parts = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  const zeros = longestZeros(parts);
  const hex = (from: number, to: number): string =>
    parts
      .slice(from, to)
      .map((part) => part.toString(16))
      .join(':');
  return zeros.length < 2 ? hex(0, 8) : `${hex(0, zeros.start)}::${hex(zeros.start + zeros.length, 8)}`;
}

/** The longest run of zeros, the first of them where several are as long. */
function longestZeros(parts: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < parts.length; start++) {
    let length = 0;
    while (parts[start + length] === 0) length++;
    if (length > longest.length) longest = { start, length };
  }
  return longest;
}

/** Cheaper than {@link parseIp} where only the answer counts. */
export const isIpText = (text: string): boolean =>
  normalIPv4(text) !== undefined || (isIPv6(text) && !text.includes('%'));

export const isIp: Checker = (value) => (isIpText(value) ? ok : [ipMessage]);
export const isIpv4Address: Checker = (value) => (parseIp(value)?.family === 4 ? ok : ['must be a valid IPv4 address']);
export const isIpv6Address: Checker = (value) => (parseIp(value)?.family === 6 ? ok : ['must be a valid IPv6 address']);

export interface Cidr extends IpAddress {
  readonly prefixLength: number;
  /** Whether bits behind the prefix are set. */
  readonly hasHostBits: boolean;
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const ip = parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (ip === undefined || !/^\d{1,3}$/.test(digits)) return undefined;
  const prefixLength = Number(digits);
  // A mapped address is written with 128 bits.
  const written = text.includes(':') ? 128 : 32;
  if (prefixLength > written) return undefined;
  const bits = ip.family === 4 ? 32 : 128;
  const inFamily = Math.max(0, prefixLength - (written - bits));
  const hasHostBits = (ip.value & ((1n << BigInt(bits - inFamily)) - 1n)) !== 0n;
  return { ...ip, prefixLength: inFamily, hasHostBits };
}

/** Addresses of a network, the first and last included. */
export const cidrSize = ({ family, prefixLength }: Cidr): bigint =>
  1n << BigInt((family === 4 ? 32 : 128) - prefixLength);

/** The first address of a network. */
export const networkAddress = (cidr: Cidr): bigint => cidr.value & ~(cidrSize(cidr) - 1n);

export const isInCidr = (cidr: Cidr, { family, value }: IpAddress): boolean =>
  family === cidr.family && (value & ~(cidrSize(cidr) - 1n)) === networkAddress(cidr);

/** `10.0.0.0/24`: without host bits. */
export const containsCidr = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefixLength <= inner.prefixLength && isInCidr(outer, inner);

export const formatCidr = (cidr: Cidr): string =>
  `${formatIp({ family: cidr.family, value: networkAddress(cidr) })}/${cidr.prefixLength}`;

export const isCidr: Checker = (value) =>
  parseCidr(value) === undefined ? ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'] : ok;

export const isSocketAddress: Checker = (value) => {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(value);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3] ?? 0);
  return match !== null && isIpText(host) && port >= 1 && port <= 65535
    ? ok
    : ['must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)'];
};
