/**
 * The addresses a request came through: those that proxies name, and last the one that the connection shows, which
 * cannot be made up.
 *
 * A client can send a mebibyte of addresses. Of a list with more entries than there are proxies on a route, the first
 * and the last are used: those name the origin of the request, and the proxies next to this server.
 */
import { remembered, textBytes } from '../../base/bounded-cache.ts';
import { formatIp, parseIp } from '../../machinery/formats/addresses.ts';
import type { Exchange } from '../../server/exchange.ts';

export interface SourceAddresses {
  readonly addresses: readonly string[];
  /** Whether there may have been more. */
  readonly isCut: boolean;
}

/** Entries of a list that are looked at on each side. */
export const maxEntries = 32;
/** Longer than any address with spaces around it. */
const maxEntryLength = 128;

const normal = (text: string): string | undefined => {
  if (text.length > maxEntryLength) return undefined;
  const address = parseIp(text.trim());
  return address === undefined ? undefined : formatIp(address);
};

/** Most requests name no proxy, and a server has not many peers at a time. */
const direct = remembered(
  (remoteAddress): SourceAddresses => ({ addresses: chain([], undefined, normal(remoteAddress)), isCut: false }),
  {
    maxBytes: 1024 * 1024,
    maxKeyLength: maxEntryLength,
    bytesOf: ({ addresses }) => addresses.reduce((sum, address) => sum + textBytes(address), 100),
  },
);

export function sourceAddresses(exchange: Exchange): SourceAddresses {
  const forwarded = exchange.header('x-forwarded-for');
  const real = exchange.header('x-real-ip');
  const { remoteAddress } = exchange;
  if (forwarded === undefined && real === undefined) return direct(remoteAddress);
  const { entries, isCut } = entriesOf(forwarded ?? '');
  return { addresses: chain(entries, real, normal(remoteAddress)), isCut };
}

function chain(entries: readonly string[], real: string | undefined, remote: string | undefined): string[] {
  const addresses = entries.map(normal).filter((address) => address !== undefined);
  const named = real === undefined ? undefined : normal(real);
  if (named !== undefined && !addresses.includes(named)) addresses.push(named);
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

/** The entries between commas: all, or the first and the last ones. */
function entriesOf(list: string): { readonly entries: readonly string[]; readonly isCut: boolean } {
  const first: string[] = [];
  let start = 0;
  while (first.length < maxEntries) {
    const comma = list.indexOf(',', start);
    if (comma < 0) return { entries: [...first, list.slice(start)], isCut: false };
    first.push(list.slice(start, comma));
    start = comma + 1;
  }
  const last: string[] = [];
  let end = list.length;
  while (last.length < maxEntries) {
    const comma = end === 0 ? -1 : list.lastIndexOf(',', end - 1);
    if (comma < start) return { entries: [...first, list.slice(start, end), ...last.reverse()], isCut: false };
    last.push(list.slice(comma + 1, end));
    end = comma;
  }
  return { entries: [...first, ...last.reverse()], isCut: true };
}
