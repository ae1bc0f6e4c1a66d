import { describe, expect, test } from 'vitest';
import { createIpRange, createPortRange } from './ranges.ts';

describe('ranges of cluster IPs', () => {
  test.each([
    { cidr: '10.0.0.0/24', size: 254, staticSize: 16, first: '10.0.0.1', last: '10.0.0.254' },
    { cidr: '10.96.7.7/12', size: 1_048_574, staticSize: 256, first: '10.96.0.1', last: '10.111.255.254' },
    { cidr: '10.0.0.0/20', size: 4094, staticSize: 256, first: '10.0.0.1', last: '10.0.15.254' },
    { cidr: '10.0.0.0/28', size: 14, staticSize: 0, first: '10.0.0.1', last: '10.0.0.14' },
    { cidr: '10.0.0.0/29', size: 6, staticSize: 0, first: '10.0.0.1', last: '10.0.0.6' },
    { cidr: 'fd00::/108', size: 65_535, staticSize: 256, first: 'fd00::1', last: 'fd00::ffff' },
    { cidr: 'fd00::/112', size: 65_535, staticSize: 256, first: 'fd00::1', last: 'fd00::ffff' },
    { cidr: 'fd00::/120', size: 255, staticSize: 16, first: 'fd00::1', last: 'fd00::ff' },
  ])('Ranges of cluster IPs: $cidr', ({ cidr, size, staticSize, first, last }) => {
    const range = createIpRange(cidr);
    expect({
      size: range.size,
      staticSize: range.staticSize,
      first: range.valueOf(0),
      last: range.valueOf(range.size - 1),
    }).toEqual({ size, staticSize, first, last });
    expect([range.numberOf(first), range.numberOf(last)]).toEqual([0, size - 1]);
  });

  test('Addresses of the network itself, of broadcasts, and of others are not in a range of cluster IPs', () => {
    const range = createIpRange('10.0.0.0/24');
    expect(['10.0.0.0', '10.0.0.255', '10.0.1.1', 'fd00::1', 'x'].map((ip) => range.numberOf(ip))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('A range of cluster IPs is stored under the text of the network', () =>
    expect(createIpRange('10.96.7.7/12').text).toBe('10.96.0.0/12'));
});

describe('ranges of node ports', () => {
  test.each([
    { first: 30_000, last: 32_767, size: 2768, staticSize: 86 },
    { first: 30_000, last: 30_015, size: 16, staticSize: 0 },
    { first: 30_000, last: 30_100, size: 101, staticSize: 16 },
    { first: 1, last: 65_535, size: 65_535, staticSize: 128 },
  ])('Ranges of node ports: $first-$last', ({ first, last, size, staticSize }) => {
    const range = createPortRange({ first, last });
    expect(range).toMatchObject({ size, staticSize, text: `${first}-${last}` });
    expect([
      range.numberOf(first),
      range.numberOf(last),
      range.numberOf(first - 1),
      range.numberOf(last + 1),
      range.valueOf(1),
    ]).toEqual([0, size - 1, undefined, undefined, first + 1]);
  });
});
