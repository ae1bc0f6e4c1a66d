/** The network of this machine, as far as a node's addresses come from it. */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { HostNetwork } from '../../node-agent/node/addresses.ts';
import { routedAddress } from '../public-address.ts';

export const hostNetwork: HostNetwork = {
  interfaceAddresses: () =>
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
  async lookup(name) {
    const found = await lookup(name, { all: true }).catch(() => []);
    return found.map(({ address }) => address);
  },
  routedAddress: (family) => routedAddress(family === 4 ? 'udp4' : 'udp6'),
};
