import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { checkNonSpecialIp, cidrWarnings, ipWarnings } from './addresses.ts';

const path = FieldPath.of('ip');

describe('addresses that have a meaning of their own', () => {
  test.each([
    { value: '0.0.0.0', problem: 'may not be unspecified (0.0.0.0)' },
    { value: '::', problem: 'may not be unspecified (::)' },
    { value: '127.8.0.1', problem: 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
    { value: '::1', problem: 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
    { value: '169.254.1.1', problem: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)' },
    { value: 'febf::1', problem: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)' },
    { value: '224.0.0.251', problem: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)' },
    { value: 'ff02::fb', problem: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)' },
    { value: 'x', problem: 'must be a valid IP address' },
  ])('The address $value is refused', ({ value, problem }) => {
    const errors = new FieldErrors();
    checkNonSpecialIp(value, path, errors);
    expect(errors.map(fieldErrorText)).toEqual([`ip: Invalid value: "${value}": ${problem}`]);
  });

  test.each(['10.0.0.1', '224.0.1.1', 'fec0::1', 'ff05::1', '2001:db8::1'])(
    'The address %s is not refused',
    (value) => {
      const errors = new FieldErrors();
      checkNonSpecialIp(value, path, errors);
      expect(errors).toEqual([]);
    },
  );
});

describe('warnings about addresses', () => {
  test.each([
    {
      name: 'leading zeros',
      warnings: ipWarnings(path, '010.0.0.1'),
      expected: [
        'ip: IP address was accepted, but will be invalid in a future Kubernetes release: ' +
          'ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
      ],
    },
    {
      name: 'IPv6 that is not in canonical notation',
      warnings: ipWarnings(path, 'FD00::1'),
      expected: [
        'ip: IPv6 address "FD00::1" is not in RFC 5952 canonical format ("fd00::1"), which may cause ' +
          'controller apply-loops',
      ],
    },
    { name: 'good address', warnings: ipWarnings(path, '10.0.0.1'), expected: [] },
    {
      name: 'IPv6 prefix that is not in canonical notation',
      warnings: cidrWarnings(path, 'FD00::/8'),
      expected: [
        'ip: IPv6 prefix "FD00::/8" is not in RFC 5952 canonical format ("fd00::/8"), which may cause ' +
          'controller apply-loops',
      ],
    },
    { name: 'good prefix', warnings: cidrWarnings(path, '10.0.0.0/8'), expected: [] },
  ])('Warnings about addresses: $name', ({ warnings, expected }) => expect(warnings).toEqual(expected));
});
