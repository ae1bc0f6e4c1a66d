/** The ranges that are given out from: cluster IPs by family, and node ports. */
import {
  type Cidr,
  cidrSize,
  formatCidr,
  formatIp,
  networkAddress,
  parseCidr,
  parseIp,
} from '../../../../machinery/formats/addresses.ts';
import type { BitmapShape } from './bitmap.ts';

/** Values in the order of their numbers. */
export interface ValueRange<V> extends BitmapShape {
  /** As stored: two servers with different ranges must not share one bitmap. */
  readonly text: string;
  /** Undefined when the range does not have the value. */
  numberOf(value: V): number | undefined;
  valueOf(number: number): V;
}

export interface IpRange extends ValueRange<string> {
  readonly family: 'IPv4' | 'IPv6';
  /** The address of the network itself, which is never given out. */
  readonly network: string;
}

interface StaticBand {
  readonly min: number;
  readonly max: number;
  /** One in so many. */
  readonly share: number;
}

/** A share of the range, but neither few nor very many; none of a small range. */
function staticSize(size: number, { min, max, share }: StaticBand): number {
  return size <= min ? 0 : Math.min(Math.max(min, Math.floor(size / share)), max);
}

const ipBand: StaticBand = { min: 16, max: 256, share: 16 };
const portBand: StaticBand = { min: 16, max: 128, share: 32 };
/** Of a large IPv6 network only so many addresses are used: the bitmap has to stay small. */
const maxIpv6Size = 65_536;

/** Without the first address of the network, and without the last of an IPv4 network, which is for broadcasts. */
export function createIpRange(text: string): IpRange {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`${text} is not a network`);
  const { family } = cidr;
  const all = Number(cidrSize(cidr));
  const size = Math.max(0, family === 6 ? Math.min(all, maxIpv6Size) - 1 : all - 2);
  const base = networkAddress(cidr) + 1n;
  return {
    text: formatCidr(cidr),
    size,
    staticSize: Math.min(size, staticSize(all, ipBand)),
    family: family === 6 ? 'IPv6' : 'IPv4',
    network: formatIp({ family, value: networkAddress(cidr) }),
    numberOf: (value) => numberOfIp(value, cidr, base, size),
    valueOf: (number) => formatIp({ family, value: base + BigInt(number) }),
  };
}

function numberOfIp(text: string, { family }: Cidr, base: bigint, size: number): number | undefined {
  const ip = parseIp(text);
  if (ip === undefined || ip.family !== family) return undefined;
  const number = ip.value - base;
  return number >= 0n && number < BigInt(size) ? Number(number) : undefined;
}

export interface PortRange extends ValueRange<number> {
  readonly first: number;
}

export function createPortRange({ first, last }: { readonly first: number; readonly last: number }): PortRange {
  const size = last - first + 1;
  return {
    first,
    size,
    text: `${first}-${last}`,
    staticSize: staticSize(size, portBand),
    numberOf: (port) => (port >= first && port <= last ? port - first : undefined),
    valueOf: (number) => first + number,
  };
}
