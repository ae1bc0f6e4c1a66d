/**
 * The addresses a request came through: those that proxies name, and last the one that the connection shows, which
 * cannot be made up.
 */
import { formatIp, parseIp } from '../../machinery/formats/addresses.ts';
import type { Exchange } from '../request.ts';

const normal = (text: string): string | undefined => {
  const address = parseIp(text.trim());
  return address === undefined ? undefined : formatIp(address);
};

/** Most requests name no proxy, and a server has not many peers at a time. */
const maxKnown = 4096;
const known = new Map<string, readonly string[]>();

export function sourceAddresses(exchange: Exchange): readonly string[] {
  const forwarded = exchange.header('x-forwarded-for');
  const real = exchange.header('x-real-ip');
  const { remoteAddress } = exchange;
  if (forwarded !== undefined || real !== undefined) return chain(forwarded, real, normal(remoteAddress));
  let addresses = known.get(remoteAddress);
  if (addresses === undefined) {
    if (known.size >= maxKnown) known.clear();
    known.set(remoteAddress, (addresses = chain(undefined, undefined, normal(remoteAddress))));
  }
  return addresses;
}

function chain(forwarded: string | undefined, real: string | undefined, remote: string | undefined): string[] {
  const addresses = (forwarded ?? '').split(',').map(normal).filter((address) => address !== undefined);
  const named = real === undefined ? undefined : normal(real);
  if (named !== undefined && !addresses.includes(named)) addresses.push(named);
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}
