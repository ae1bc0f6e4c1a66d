import { expect, test } from 'vitest';
import { isProxyable, resolveProxyable } from './proxyable-address.ts';

test.each([
  { address: '10.0.0.1', allowed: true },
  { address: '192.0.2.1', allowed: true },
  { address: 'fd00::1', allowed: true },
  { address: '127.0.0.1', allowed: false },
  { address: '127.9.9.9', allowed: false },
  { address: '::1', allowed: false },
  { address: '::ffff:127.0.0.1', allowed: false },
  { address: '0.0.0.0', allowed: false },
  { address: '169.254.169.254', allowed: false },
  { address: 'fe80::1', allowed: false },
  { address: '224.0.0.1', allowed: false },
  { address: 'localhost', allowed: false },
  { address: '', allowed: false },
])('Address "$address" may be connected to for a client: $allowed', ({ address, allowed }) => {
  expect(isProxyable(address)).toBe(allowed);
});

test('A host with an address of this machine is refused', async () => {
  await expect(resolveProxyable('localhost')).rejects.toThrow('address not allowed');
});
