/**
 * IP addresses and networks, as strictly as Go's net/netip reads them.
 * @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library | Kubernetes IP address
 *   library}
 * @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library | Kubernetes CIDR library}
 */
import { formatIp } from '../../machinery/formats/addresses.ts';
import { parseStrictAddress, parseStrictPrefix } from '../../machinery/formats/strict-addresses.ts';
import { type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { readsFirst, readsFirstTwice, textCost, valueSize } from '../cost/sizes.ts';
import { CelError, Opaque, type Value } from '../values/values.ts';
import { B, I, S } from './signatures.ts';

const ipType = opaqueType('net.IP');
const cidrType = opaqueType('net.CIDR');

class IpValue extends Opaque {
  override readonly type = ipType;
  readonly family: 4 | 6;
  readonly value: bigint;
  constructor(family: 4 | 6, value: bigint) {
    super();
    this.family = family;
    this.value = value;
  }

  override equals(other: Opaque): boolean {
    return other instanceof IpValue && other.family === this.family && other.value === this.value;
  }

  get text(): string {
    return formatIp(this);
  }

  /** Whether the first `length` bits are those of `prefix`, which is a whole address. */
  startsWith(prefix: bigint, length: number): boolean {
    const rest = BigInt((this.family === 4 ? 32 : 128) - length);
    return this.value >> rest === prefix >> rest;
  }
}

class CidrValue extends Opaque {
  override readonly type = cidrType;
  readonly ip: IpValue;
  readonly length: number;
  constructor(ip: IpValue, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  override equals(other: Opaque): boolean {
    return other instanceof CidrValue && other.length === this.length && this.ip.equals(other.ip);
  }

  contains({ family, value }: IpValue): boolean {
    return family === this.ip.family && this.ip.startsWith(value, this.length);
  }

  masked(): CidrValue {
    const rest = BigInt((this.ip.family === 4 ? 32 : 128) - this.length);
    return new CidrValue(new IpValue(this.ip.family, (this.ip.value >> rest) << rest), this.length);
  }
}

function readIp(text: string): IpValue | CelError {
  if (text.includes('%')) return new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  const read = parseStrictAddress(text);
  if (!read.ok)
    return new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${read.problem}`,
    );
  if (isMapped(read)) return new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new IpValue(read.family, read.value);
}

const isMapped = ({ family, value }: { family: 4 | 6; value: bigint }): boolean =>
  family === 6 && value >> 32n === 0xffffn;

function readCidr(text: string): CidrValue | CelError {
  const read = parseStrictPrefix(text);
  if (!read.ok) return new CelError(`network address parse error during conversion from string: ${read.problem}`);
  const slash = text.lastIndexOf('/');
  const address = parseStrictAddress(text.slice(0, slash));
  if (!address.ok || isMapped(address))
    return new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new CidrValue(new IpValue(address.family, address.value), Number(text.slice(slash + 1)));
}

const reads = { cost: readsFirst as (...args: Value[]) => number, estimate: estimates.looksThroughFirst };

const readsTwice = {
  cost: readsFirstTwice as (...args: Value[]) => number,
  estimate: estimates.looksTwiceThroughFirst,
};

const v6 = (text: string): bigint => (parseStrictAddress(text) as { value: bigint }).value;
const v4 = (a: number, b: number): bigint => (BigInt(a) << 24n) | (BigInt(b) << 16n);
const linkLocal6 = v6('fe80::');
const linkLocalMulticast6 = v6('ff02::');
const multicast6 = v6('ff00::');

const isUnspecified = ({ value }: IpValue): boolean => value === 0n;
const isLoopback = (ip: IpValue): boolean => (ip.family === 4 ? ip.startsWith(v4(127, 0), 8) : ip.value === 1n);
const isLinkLocalMulticast = (ip: IpValue): boolean =>
  ip.family === 4 ? ip.startsWith(v4(224, 0), 24) : (ip.value & (0xff0fn << 112n)) === linkLocalMulticast6;
const isLinkLocalUnicast = (ip: IpValue): boolean =>
  ip.family === 4 ? ip.startsWith(v4(169, 254), 16) : ip.startsWith(linkLocal6, 10);
const isMulticast = (ip: IpValue): boolean =>
  ip.family === 4 ? ip.startsWith(v4(224, 0), 4) : ip.startsWith(multicast6, 8);
const isBroadcast = ({ family, value }: IpValue): boolean => family === 4 && value === 0xffffffffn;
const isGlobalUnicast = (ip: IpValue): boolean =>
  !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip) && !isBroadcast(ip);

const property = (name: string, id: string, holds: (ip: IpValue) => boolean): FunctionDeclaration => ({
  name,
  overloads: [memberOverload(id, [ipType], B, holds)],
});

function isCanonical(text: string): Value {
  const ip = readIp(text);
  return ip instanceof CelError ? ip : ip.text === text;
}

export const ips: Library = {
  functions: [
    { name: 'ip', overloads: [globalOverload('string_to_ip', [S], ipType, readIp, reads)] },
    {
      name: 'isIP',
      overloads: [globalOverload('is_ip', [S], B, (text: string) => readIp(text) instanceof IpValue, reads)],
    },
    { name: 'ip.isCanonical', overloads: [globalOverload('ip_is_canonical', [S], B, isCanonical, readsTwice)] },
    { name: 'family', overloads: [memberOverload('ip_family', [ipType], I, ({ family }: IpValue) => family)] },
    property('isUnspecified', 'ip_is_unspecified', isUnspecified),
    property('isLoopback', 'ip_is_loopback', isLoopback),
    property('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    property('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    property('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    { name: 'string', overloads: [globalOverload('ip_to_string', [ipType], S, ({ text }: IpValue) => text)] },
  ],
  types: new Map([['net.IP', ipType]]),
};

/** The other side may be a text. */
function containing<T extends Opaque>(
  read: (text: string) => T | CelError,
  holds: (cidr: CidrValue, other: T) => boolean,
) {
  return (cidr: CidrValue, other: T | string): Value => {
    const value = typeof other === 'string' ? read(other) : other;
    return value instanceof CelError ? value : holds(cidr, value);
  };
}

/** Compares as many bytes as the prefix has; a text is read first. */
const comparesPrefix = (cidr: Value): number => textCost(2 * prefixBytes(cidr));
/** Masks the network as well. */
const comparesMasked = (cidr: Value): number => comparesPrefix(cidr) + textCost(prefixBytes(cidr)) + 1;
const prefixBytes = (cidr: Value): number => Math.ceil((cidr as CidrValue).length / 8);
const orText =
  (cost: (cidr: Value) => number) =>
  (cidr: Value, text?: Value): number =>
    cost(cidr) + textCost(valueSize(text!));

const containsIp = containing(readIp, (cidr, ip) => cidr.contains(ip));
const containsCidr = containing(readCidr, (cidr, other) => cidr.length <= other.length && cidr.contains(other.ip));

export const cidrs: Library = {
  functions: [
    { name: 'cidr', overloads: [globalOverload('string_to_cidr', [S], cidrType, readCidr, reads)] },
    {
      name: 'isCIDR',
      overloads: [globalOverload('is_cidr', [S], B, (text: string) => readCidr(text) instanceof CidrValue, reads)],
    },
    {
      name: 'containsIP',
      overloads: [
        memberOverload('cidr_contains_ip_string', [cidrType, S], B, containsIp, {
          cost: orText(comparesPrefix),
          estimate: estimates.containsAddressText,
        }),
        memberOverload('cidr_contains_ip_ip', [cidrType, ipType], B, containsIp, {
          cost: comparesPrefix,
          estimate: estimates.containsAddress,
        }),
      ],
    },
    {
      name: 'containsCIDR',
      overloads: [
        memberOverload('cidr_contains_cidr_string', [cidrType, S], B, containsCidr, {
          cost: orText(comparesMasked),
          estimate: estimates.containsNetworkText,
        }),
        memberOverload('cidr_contains_cidr', [cidrType, cidrType], B, containsCidr, {
          cost: comparesMasked,
          estimate: estimates.containsNetwork,
        }),
      ],
    },
    { name: 'ip', overloads: [memberOverload('cidr_ip', [cidrType], ipType, ({ ip }: CidrValue) => ip)] },
    {
      name: 'prefixLength',
      overloads: [memberOverload('cidr_prefix_length', [cidrType], I, ({ length }: CidrValue) => length)],
    },
    {
      name: 'masked',
      overloads: [memberOverload('cidr_masked', [cidrType], cidrType, (cidr: CidrValue) => cidr.masked())],
    },
    {
      name: 'string',
      overloads: [
        globalOverload('cidr_to_string', [cidrType], S, ({ ip, length }: CidrValue) => `${ip.text}/${length}`),
      ],
    },
  ],
  types: new Map([['net.CIDR', cidrType]]),
};
