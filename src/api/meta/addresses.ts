/** Rules of fields with IP addresses and networks, and warnings about texts that will not be accepted for ever. */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { type IpAddress, isCidr, isInCidr, isIp, parseCidr, parseIp } from '../../machinery/formats/addresses.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { parseStrictAddress, parseStrictPrefix } from '../../machinery/formats/strict-addresses.ts';
import { checkFormat } from './checks.ts';

/** Returns whether it is one. */
export function checkIp(value: string, path: FieldPath, errors: FieldErrors): boolean {
  const before = errors.length;
  checkFormat(isIp, value, path, errors);
  return errors.length === before;
}

export function checkCidr(value: string, path: FieldPath, errors: FieldErrors): void {
  checkFormat(isCidr, value, path, errors);
}

interface SpecialAddresses {
  readonly has: (ip: IpAddress) => boolean;
  readonly message: string;
}

const inNetworks = (...networks: string[]): SpecialAddresses['has'] => {
  const cidrs = networks.map((network) => parseCidr(network)!);
  return (ip) => cidrs.some((cidr) => isInCidr(cidr, ip));
};

const isIpv4LinkLocalMulticast = inNetworks('224.0.0.0/24');
/** Whatever its flags are. @see {@link https://www.rfc-editor.org/rfc/rfc4291#section-2.7 | RFC 4291, section 2.7} */
const isIpv6LinkLocalMulticast = ({ family, value }: IpAddress): boolean =>
  family === 6 && ((value >> 112n) & 0xff0fn) === 0xff02n;

const specialAddresses: readonly SpecialAddresses[] = [
  { has: inNetworks('127.0.0.0/8', '::1/128'), message: 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  {
    has: inNetworks('169.254.0.0/16', 'fe80::/10'),
    message: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    has: (ip) => isIpv4LinkLocalMulticast(ip) || isIpv6LinkLocalMulticast(ip),
    message: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
];

/** Addresses that mean something else on every machine cannot be where a service is. */
export function checkNonSpecialIp(value: string, path: FieldPath, errors: FieldErrors): void {
  const ip = parseIp(value);
  if (ip === undefined) return void errors.push(invalid(path, value, 'must be a valid IP address'));
  if (ip.value === 0n) errors.push(invalid(path, value, `may not be unspecified (${value})`));
  for (const { has, message } of specialAddresses) if (has(ip)) errors.push(invalid(path, value, message));
}

/** For a value that {@link checkIp} takes. */
export function ipWarnings(path: FieldPath, value: string): string[] {
  const address = parseStrictAddress(value);
  if (!address.ok)
    return [
      `${path.toString()}: IP address was accepted, but will be invalid in a future Kubernetes ` +
        `release: ${address.problem}`,
    ];
  if (address.family === 4 || address.text === value) return [];
  return [
    `${path.toString()}: IPv6 address ${goQuote(value)} is not in RFC 5952 canonical format ` +
      `(${goQuote(address.text)}), which may cause controller apply-loops`,
  ];
}

export function cidrWarnings(path: FieldPath, value: string): string[] {
  const prefix = parseStrictPrefix(value);
  if (!prefix.ok)
    return [
      `${path.toString()}: IP prefix was accepted, but will be invalid in a future Kubernetes ` +
        `release: ${prefix.problem}`,
    ];
  if (prefix.family === 4 || prefix.text === value) return [];
  return [
    `${path.toString()}: IPv6 prefix ${goQuote(value)} is not in RFC 5952 canonical format ` +
      `(${goQuote(prefix.text)}), which may cause controller apply-loops`,
  ];
}
