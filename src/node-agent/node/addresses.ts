/** Which addresses of its machine a node has. */
import type { NodeAddress } from '../../api/gen/types/core-v1.ts';
import { isWildcard } from '../../pki/serving-names.ts';

export type AddressFamily = 4 | 6;

/** What the network of the machine says. */
export interface HostNetwork {
  /** Of all its interfaces. */
  interfaceAddresses(): readonly string[];
  /** Of a name, by DNS and the hosts file; none where it is not known. */
  lookup(name: string): Promise<readonly string[]>;
  /** The one that packets to the world come from. */
  routedAddress(family: AddressFamily): Promise<string | undefined>;
}

export const familyOf = (address: string): AddressFamily => (address.includes(':') ? 6 : 4);

/** Why a node cannot have an address of `--node-ip`. */
export function nodeIpProblem(ip: string, own: readonly string[]): string | undefined {
  if (ip === '127.0.0.1' || ip.startsWith('127.') || ip === '::1') return `nodeIP can't be loopback address`;
  if (/^(22[4-9]|23\d)\./.test(ip) || /^ff/i.test(ip)) return `nodeIP can't be a multicast address`;
  if (ip.startsWith('169.254.') || /^fe80:/i.test(ip)) return `nodeIP can't be a link-local unicast address`;
  if (isWildcard(ip)) return undefined;
  return own.includes(ip) ? undefined : `node IP: ${JSON.stringify(ip)} not found in the host's network interfaces`;
}

export interface AddressRequest {
  readonly nodeName: string;
  /** Of the machine. */
  readonly hostname: string;
  readonly nodeIPs: readonly string[];
}

/**
 * The addresses of `--node-ip`; else those of the host name, IPv4 in front; else the one of the default route.
 *
 * @throws Error where there is none
 */
export async function findNodeAddresses(
  { nodeName, hostname, nodeIPs }: AddressRequest,
  network: HostNetwork,
): Promise<NodeAddress[]> {
  const ips = await Promise.all(
    (nodeIPs.length === 0 ? [undefined] : nodeIPs).map(async (ip) => {
      if (ip !== undefined && !isWildcard(ip)) return ip;
      return await defaultAddress(ip === undefined ? undefined : familyOf(ip), hostname, network);
    }),
  );
  return [
    ...ips.map((address): NodeAddress => ({ type: 'InternalIP', address })),
    { type: 'Hostname', address: nodeName },
  ];
}

async function defaultAddress(
  family: AddressFamily | undefined,
  hostname: string,
  network: HostNetwork,
): Promise<string> {
  const own = network.interfaceAddresses();
  const known = (await network.lookup(hostname)).filter((address) => nodeIpProblem(address, own) === undefined);
  const families: readonly AddressFamily[] = family === undefined ? [4, 6] : [family];
  for (const wanted of families) {
    const address = known.find((other) => familyOf(other) === wanted);
    if (address !== undefined) return address;
  }
  for (const wanted of families) {
    const address = await network.routedAddress(wanted);
    if (address !== undefined) return address;
  }
  throw new Error(`can't get ip address of node ${hostname}: no default routes found`);
}
