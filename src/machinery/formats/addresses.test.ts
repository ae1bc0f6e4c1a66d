import { describe, expect, test } from 'vitest';
import {
  cidrSize,
  formatCidr,
  formatIp,
  isInCidr,
  isIp,
  isIpv4Address,
  isIpv6Address,
  isSocketAddress,
  parseCidr,
  parseIp,
} from './addresses.ts';

describe('IP addresses', () => {
  test.each([
    { name: 'IPv4', text: '10.9.8.7', expected: { family: 4, value: 0x0a090807n } },
    { name: 'leading zeros are decimal', text: '010.009.08.7', expected: { family: 4, value: 0x0a090807n } },
    { name: 'part over 255', text: '256.1.1.1', expected: undefined },
    { name: 'IPv6', text: '2001:db8::ff', expected: { family: 6, value: 0x20010db80000000000000000000000ffn } },
    { name: 'all zeros', text: '::', expected: { family: 6, value: 0n } },
    {
      name: 'all eight groups',
      text: '1:2:3:4:5:6:7:8',
      expected: { family: 6, value: 0x00010002000300040005000600070008n },
    },
    { name: 'IPv4 inside IPv6 counts as IPv4', text: '::ffff:1.2.3.4', expected: { family: 4, value: 0x01020304n } },
    { name: 'the same in hexadecimal', text: '::ffff:102:304', expected: { family: 4, value: 0x01020304n } },
    {
      name: 'dotted end of another IPv6 address',
      text: '64:ff9b::1.2.3.4',
      expected: { family: 6, value: 0x0064ff9b000000000000000001020304n },
    },
    { name: 'zone', text: 'fe80::1%eth0', expected: undefined },
    { name: 'no address', text: 'x', expected: undefined },
  ])('Validation of IP addresses: $name', ({ text, expected }) => expect(parseIp(text)).toEqual(expected));

  test.each([
    { name: 'network', text: '10.0.0.0/8', expected: { family: 4, prefixLength: 8, hasHostBits: false } },
    { name: 'network with host bits', text: '10.0.0.1/8', expected: { family: 4, prefixLength: 8, hasHostBits: true } },
    { name: 'IPv6', text: 'fd00::/64', expected: { family: 6, prefixLength: 64, hasHostBits: false } },
    { name: 'mapped IPv4', text: '::ffff:10.0.0.0/104', expected: { family: 4, prefixLength: 8, hasHostBits: false } },
    { name: 'prefix too long', text: '10.0.0.0/33', expected: undefined },
    { name: 'no prefix', text: '10.0.0.0', expected: undefined },
  ])('CIDR: $name', ({ text, expected }) => {
    if (expected === undefined) expect(parseCidr(text)).toBeUndefined();
    else expect(parseCidr(text)).toMatchObject(expected);
  });

  test.each([
    {
      name: 'any family',
      check: isIp,
      value: 'x',
      message: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    },
    { name: 'IPv6 where IPv4 is asked', check: isIpv4Address, value: '::1', message: 'must be a valid IPv4 address' },
    {
      name: 'IPv4 where IPv6 is asked',
      check: isIpv6Address,
      value: '1.2.3.4',
      message: 'must be a valid IPv6 address',
    },
    {
      name: 'socket address without port',
      check: isSocketAddress,
      value: '1.2.3.4',
      message: 'must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)',
    },
  ])('Message: $name', ({ check, value, message }) => expect(check(value)).toEqual([message]));

  test.each(['0.0.0.0:10254', '[::]:10254'])('Socket address %s', (value) =>
    expect(isSocketAddress(value)).toEqual([]),
  );

  test.each([
    { text: '010.0.0.7', expected: '10.0.0.7' },
    { text: '2001:0db8:0:0:0:0:0:FF', expected: '2001:db8::ff' },
    { text: '::ffff:1.2.3.4', expected: '1.2.3.4' },
    { text: '1:0:0:2:0:0:0:3', expected: '1:0:0:2::3' },
  ])('The IP address $text is written $expected', ({ text, expected }) =>
    expect(formatIp(parseIp(text)!)).toBe(expected),
  );

  test('IP networks know their size, their text and what lies in them', () => {
    const cidr = parseCidr('10.96.0.7/12')!;
    expect(cidrSize(cidr)).toBe(2n ** 20n);
    expect(formatCidr(cidr)).toBe('10.96.0.0/12');
    expect(['10.96.0.0', '10.111.255.255', '10.112.0.0', 'fd00::1'].map((ip) => isInCidr(cidr, parseIp(ip)!))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
