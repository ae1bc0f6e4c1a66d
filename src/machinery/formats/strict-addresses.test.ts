import { describe, expect, test } from 'vitest';
import { parseStrictAddress, parseStrictPrefix } from './strict-addresses.ts';

describe('addresses in strict notation', () => {
  test.each([
    { name: 'IPv4', text: '10.9.8.7', canonical: '10.9.8.7' },
    { name: 'IPv6, longest run of zeros', text: '2001:0DB8:0:0:1:0:0:0', canonical: '2001:db8:0:0:1::' },
    { name: 'IPv6, all zeros', text: '0:0:0:0:0:0:0:0', canonical: '::' },
    { name: 'a single zero stays', text: '1:0:2:3:4:5:6:7', canonical: '1:0:2:3:4:5:6:7' },
    { name: 'leading ::', text: '::1', canonical: '::1' },
    { name: 'trailing ::', text: 'fe80::', canonical: 'fe80::' },
    { name: 'IPv4 inside IPv6 stays inside', text: '::FFFF:1.2.3.4', canonical: '::ffff:1.2.3.4' },
    { name: 'dotted end', text: '64:ff9b::1.2.3.4', canonical: '64:ff9b::102:304' },
  ])('Addresses in strict notation: $name', ({ text, canonical }) =>
    expect(parseStrictAddress(text)).toMatchObject({ ok: true, text: canonical }),
  );

  test.each([
    { text: 'x', problem: 'ParseAddr("x"): unable to parse IP' },
    { text: '010.0.0.1', problem: 'ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero' },
    { text: '1.2.3.256', problem: 'ParseAddr("1.2.3.256"): IPv4 field has value >255' },
    { text: '1.2.3', problem: 'ParseAddr("1.2.3"): IPv4 address too short' },
    { text: '1.2.3.4.5', problem: 'ParseAddr("1.2.3.4.5"): IPv4 address too long' },
    { text: '1..2.3', problem: 'ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")' },
    { text: ' 1.2.3.4', problem: 'ParseAddr(" 1.2.3.4"): unexpected character (at " 1.2.3.4")' },
    { text: '1:2', problem: 'ParseAddr("1:2"): address string too short' },
    { text: ' ::1', problem: 'ParseAddr(" ::1"): each colon-separated field must have at least one digit (at " ::1")' },
    { text: '12345::', problem: 'ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")' },
    { text: '1::2::3', problem: 'ParseAddr("1::2::3"): multiple :: in address (at ":3")' },
    { text: '1:2:3:4:5:6:7:8:9', problem: 'ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")' },
    {
      text: '1:2:3:4:5:6:7::8',
      problem: 'ParseAddr("1:2:3:4:5:6:7::8"): the :: must expand to at least one field of zeros',
    },
    { text: '1:', problem: 'ParseAddr("1:"): colon must be followed by more characters (at ":")' },
    {
      text: '1:2.3.4.5',
      problem:
        'ParseAddr("1:2.3.4.5"): embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")',
    },
  ])('Strict notation refuses the address $text', ({ text, problem }) =>
    expect(parseStrictAddress(text)).toEqual({ ok: false, problem }),
  );
});

describe('prefixes in strict notation', () => {
  test.each([
    { name: 'network', text: '10.0.0.0/8', expected: { text: '10.0.0.0/8', hasHostBits: false } },
    { name: 'address of a host', text: '10.0.0.1/8', expected: { text: '10.0.0.1/8', hasHostBits: true } },
    {
      name: 'IPv6 that is not in canonical notation',
      text: 'FD00:0::/8',
      expected: { text: 'fd00::/8', hasHostBits: false },
    },
  ])('Prefixes in strict notation: $name', ({ text, expected }) =>
    expect(parseStrictPrefix(text)).toMatchObject({ ok: true, ...expected }),
  );

  test.each([
    { text: '10.0.0.0', problem: 'netip.ParsePrefix("10.0.0.0"): no \'/\'' },
    { text: '10.0.0.0/08', problem: 'netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"' },
    { text: '10.0.0.0/33', problem: 'netip.ParsePrefix("10.0.0.0/33"): prefix length out of range' },
    {
      text: ' 192.168.0.0/24 ',
      problem:
        'netip.ParsePrefix(" 192.168.0.0/24 "): ParseAddr(" 192.168.0.0"): unexpected character (at " 192.168.0.0")',
    },
  ])('Strict notation refuses the prefix $text', ({ text, problem }) =>
    expect(parseStrictPrefix(text)).toEqual({ ok: false, problem }),
  );
});
