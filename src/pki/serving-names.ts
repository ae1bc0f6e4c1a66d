import { hostname, networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import { parseCidr } from '../machinery/formats/addresses.ts';

/** What clients may call a server: the subject alternative names of its certificate. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface ServingNamesInput {
  readonly bindAddress: string;
  readonly advertiseAddress?: string | undefined;
  readonly externalHostname?: string | undefined;
  readonly serviceClusterIpRanges: readonly string[];
}

const clusterNames = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

export const isWildcard = (address: string): boolean => /^[0:.]+$/.test(address);

/** The names of this machine, of the address it listens on, and of the kubernetes service in the cluster. */
export function servingNames({
  bindAddress,
  advertiseAddress,
  externalHostname,
  serviceClusterIpRanges,
}: ServingNamesInput): ServingNames {
  const bound = isWildcard(bindAddress) ? localAddresses() : [bindAddress];
  const all = [
    ...clusterNames,
    hostname(),
    externalHostname,
    '127.0.0.1',
    '::1',
    ...bound,
    advertiseAddress,
    ...serviceClusterIpRanges.map(firstServiceIp),
  ];
  const names = [...new Set(all.filter((name) => name !== undefined))];
  return {
    dnsNames: names.filter((name) => isIP(name) === 0 && isDnsName(name)),
    ipAddresses: names.filter((name) => isIP(name) !== 0),
  };
}

/** The names of this machine and of the address that a daemon listens on. */
export function daemonNames(bindAddress: string): ServingNames {
  const bound = isWildcard(bindAddress) ? localAddresses() : [bindAddress];
  return {
    dnsNames: ['localhost', hostname()].filter(isDnsName),
    ipAddresses: [...new Set(['127.0.0.1', '::1', ...bound])],
  };
}

/** Anything else would make the whole certificate unreadable for strict clients. */
const isDnsName = (name: string): boolean => /^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$/.test(name);

const localAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address.split('%')[0]!),
  );

/** The kubernetes service takes the first address of each range. */
export function firstServiceIp(range: string): string | undefined {
  const cidr = parseCidr(range);
  if (cidr === undefined) return undefined;
  const bits = cidr.family === 4 ? 32 : 128;
  const free = BigInt(bits - cidr.prefixLength);
  return formatIp(((cidr.value >> free) << free) + 1n, cidr.family);
}

function formatIp(value: bigint, family: 4 | 6): string {
  const group = family === 4 ? 8n : 16n;
  const groups = Array.from(
    { length: family === 4 ? 4 : 8 },
    (_, index) => (value >> (group * BigInt((family === 4 ? 3 : 7) - index))) & ((1n << group) - 1n),
  );
  return family === 4
    ? groups.join('.')
    : new URL(`http://[${groups.map((part) => part.toString(16)).join(':')}]`).hostname.slice(1, -1);
}
