import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { findPublicAddress } from './public-address.ts';

test.each([
  { name: 'the advertised address', advertise: '192.0.2.7', bind: '0.0.0.0', address: '192.0.2.7' },
  { name: 'the address it is bound to', advertise: undefined, bind: '192.0.2.8', address: '192.0.2.8' },
  {
    name: 'the address it is bound to, when every address is advertised',
    advertise: '0.0.0.0',
    bind: '192.0.2.8',
    address: '192.0.2.8',
  },
])('The public address of the server: $name', async ({ advertise, bind, address }) => {
  expect(await findPublicAddress(advertise, bind)).toBe(address);
});

test.each(['0.0.0.0', '127.0.0.1', '::'])(
  'Bound to %s, an address of this machine that others reach, if it has one',
  async (bind) => {
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address }) => address);
    const address = await findPublicAddress(undefined, bind);
    expect(isIP(address)).not.toBe(0);
    expect(outside.length === 0 ? ['127.0.0.1'] : outside).toContain(address);
  },
);
