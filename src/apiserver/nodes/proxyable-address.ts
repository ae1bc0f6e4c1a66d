/** Which addresses a client may have this server connect to: none that mean this machine or its link. */
import { lookup } from 'node:dns/promises';
import { parseCidr, parseIp, isInCidr } from '../../machinery/formats/addresses.ts';
import { badRequest } from '../../machinery/status.ts';

/** What is no global unicast address (RFC 4291 section 2.4, RFC 1122 section 3.2.1.3); private ones are fine. */
const refused = [
  '0.0.0.0/32',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
].map((text) => parseCidr(text)!);

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export function isProxyable(text: string): boolean {
  const address = parseIp(mapped.exec(text)?.[1] ?? text);
  return address !== undefined && !refused.some((cidr) => cidr.family === address.family && isInCidr(cidr, address));
}

export function checkProxyable(address: string): void {
  if (!isProxyable(address)) throw badRequest('address not allowed');
}

/**
 * An address of a host, all of whose addresses are allowed. The caller connects to that address and not to the name,
 * which could mean another one a moment later.
 */
export async function resolveProxyable(host: string): Promise<string> {
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw badRequest(`lookup ${host}: no such host`, { cause: error });
  });
  if (found.length === 0) throw badRequest('no addresses for hostname');
  for (const { address } of found) checkProxyable(address);
  return found[0]!.address;
}
