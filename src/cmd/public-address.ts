/** Which of a machine's addresses others use. */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { isWildcard } from '../pki/serving-names.ts';

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/**
 * Addresses for documentation (RFC 5737, RFC 3849). Nothing is sent to them: connecting a datagram socket only asks for
 * the route.
 */
const anywhere = { udp4: '192.0.2.1', udp6: '2001:db8::1' } as const;

/**
 * The advertised address, else the address bound to, else, where that is every address or loopback, the one that the
 * machine would use to reach the world. Loopback when it has no other.
 */
export async function findPublicAddress(advertiseAddress: string | undefined, bindAddress: string): Promise<string> {
  if (advertiseAddress !== undefined && !isWildcard(advertiseAddress)) return advertiseAddress;
  if (!isWildcard(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const [first, second] = bindAddress.includes(':') ? (['udp6', 'udp4'] as const) : (['udp4', 'udp6'] as const);
  return (await routedAddress(first)) ?? (await routedAddress(second)) ?? anyOutsideAddress() ?? '127.0.0.1';
}

export function routedAddress(family: keyof typeof anywhere): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(family);
    const finish = (address?: string): void => {
      socket.close();
      resolve(address === undefined || isLoopback(address) || isWildcard(address) ? undefined : address);
    };
    socket.once('error', () => finish());
    socket.once('connect', () => finish(socket.address().address));
    socket.connect(9, anywhere[family]);
  });
}

const anyOutsideAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, address }) => !internal && !address.startsWith('fe80:'))?.address;
