import { describe, expect, test } from 'vitest';
import { defaultNamePrefix, nodeAddress, nodePlace, podRange, rangeSizeFor } from './node-addresses.ts';
import { parseRange, PodIPs } from './pod-ips.ts';

describe('addresses of pods', () => {
  test('Each is given once, and again after it was released', () => {
    const ips = new PodIPs(parseRange('10.1.2.0/29')!);
    expect(Array.from({ length: 6 }, () => ips.take())).toEqual([
      '10.1.2.2',
      '10.1.2.3',
      '10.1.2.4',
      '10.1.2.5',
      '10.1.2.6',
      undefined,
    ]);
    ips.release(['10.1.2.4']);
    expect(ips.take()).toBe('10.1.2.4');
  });

  test('An address that was released is not given at once', () => {
    const ips = new PodIPs(parseRange('10.1.2.0/24')!);
    ips.release([ips.take()!]);
    expect(ips.take()).toBe('10.1.2.3');
  });

  test('Addresses of pods that run already are left out', () => {
    const ips = new PodIPs(parseRange('10.1.2.0/24')!);
    ips.reserve(['10.1.2.2', 'fd00::1']);
    expect(ips.take()).toBe('10.1.2.3');
  });

  test.each([
    { text: '10.1.2.77/24', range: { first: 0x0a010200, size: 256 } },
    { text: '192.168.0.0/16', range: { first: 0xc0a80000, size: 65536 } },
    { text: 'fd00::/64', range: undefined },
    { text: '10.1.2.0', range: undefined },
    { text: '10.1.2.0/33', range: undefined },
    { text: '10.1.2.256/24', range: undefined },
  ])('Addresses of pods: $text', ({ text, range }) => {
    expect(parseRange(text)).toEqual(range);
  });

  test('Five thousand hollow nodes have five thousand addresses and ranges', () => {
    const places = Array.from({ length: 5000 }, (_, index) => nodePlace(defaultNamePrefix, index));
    expect(new Set(places.map(nodeAddress)).size).toBe(5000);
    expect(new Set(places.map((place) => podRange(place, rangeSizeFor(110)).first)).size).toBe(5000);
  });

  test.each([
    { pods: 110, size: 256 },
    { pods: 250, size: 512 },
    { pods: 1000, size: 2048 },
  ])('A node for $pods pods has a range of $size', ({ pods, size }) => {
    expect(rangeSizeFor(pods)).toBe(size);
  });

  test('Hollow nodes of another prefix have other addresses', () => {
    expect(nodePlace('other-', 0)).not.toBe(nodePlace(defaultNamePrefix, 0));
  });
});
