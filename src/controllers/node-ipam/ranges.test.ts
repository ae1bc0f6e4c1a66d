import { describe, expect, it, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { parseCidr } from '../../machinery/formats/addresses.ts';
import { defaultControllerManagerOptions } from '../manager/options.ts';
import { CidrSet } from './cidr-set.ts';
import { NodeRanges, RangesExhausted } from './ranges.ts';

const options = (more: Partial<(typeof defaultControllerManagerOptions)['nodeIpam']> = {}) => ({
  ...defaultControllerManagerOptions.nodeIpam,
  clusterCidrs: ['10.1.0.0/22'],
  ...more,
});
const node = (name: string, podCIDRs: string[] = [], uid = name): Node =>
  ({ metadata: { name, uid }, spec: { podCIDRs } }) as unknown as Node;
const reservedBy = (ranges: NodeRanges, ...names: string[]): string[][] =>
  names.map((name) => ranges.reserve(node(name)));

describe('ranges of nodes', () => {
  it('Ranges of nodes are given in order, and the same again to the same node', () => {
    expect(reservedBy(new NodeRanges(options()), 'a', 'b', 'a')).toEqual([
      ['10.1.0.0/24'],
      ['10.1.1.0/24'],
      ['10.1.0.0/24'],
    ]);
  });

  it('Ranges of nodes are of both families, each with its size', () => {
    const both = new NodeRanges(options({ clusterCidrs: ['10.1.0.0/16', 'fd00:1::/56'] }));
    expect(reservedBy(both, 'a', 'b')).toEqual([
      ['10.1.0.0/24', 'fd00:1::/64'],
      ['10.1.1.0/24', 'fd00:1:0:1::/64'],
    ]);
  });

  it('Ranges of nodes leave out those that nodes have', () => {
    const ranges = new NodeRanges(options());
    ranges.hold(node('old', ['10.1.0.0/24']));
    expect(reservedBy(ranges, 'a')).toEqual([['10.1.1.0/24']]);
  });

  it('Ranges of nodes leave out those of services', () => {
    const ranges = new NodeRanges(options({ serviceCidrs: ['10.1.0.0/23'] }));
    expect(reservedBy(ranges, 'a')).toEqual([['10.1.2.0/24']]);
  });

  it('Ranges of nodes run out, and are free again when their node is gone', () => {
    const ranges = new NodeRanges(options({ clusterCidrs: ['10.1.0.0/23'] }));
    reservedBy(ranges, 'a', 'b');
    expect(() => ranges.reserve(node('c'))).toThrow(RangesExhausted);
    ranges.release('a');
    expect(reservedBy(ranges, 'c')).toEqual([['10.1.0.0/24']]);
  });

  it('Ranges of nodes are given back when one of the two families has run out', () => {
    const ranges = new NodeRanges(options({ clusterCidrs: ['10.1.0.0/23', 'fd00:1::/64'] }));
    reservedBy(ranges, 'a');
    expect(() => ranges.reserve(node('b'))).toThrow('at idx:1');
    ranges.release('a');
    expect(reservedBy(ranges, 'b')[0]![1]).toBe('fd00:1::/64');
  });

  it('Ranges of nodes are others for another node of the name', () => {
    const ranges = new NodeRanges(options());
    reservedBy(ranges, 'a');
    expect(ranges.reserve(node('a', [], 'later'))).toEqual(['10.1.1.0/24']);
  });

  it('Ranges of nodes are free when the node got others', () => {
    const ranges = new NodeRanges(options({ clusterCidrs: ['10.1.0.0/23'] }));
    reservedBy(ranges, 'a');
    ranges.hold(node('a', ['10.1.1.0/24']));
    expect(reservedBy(ranges, 'b')).toEqual([['10.1.0.0/24']]);
  });

  it('Ranges of nodes that are not of the cluster are told', () => {
    const ranges = new NodeRanges(options());
    expect(ranges.hold(node('a', ['10.9.0.0/24', 'fd00::/64']))).toEqual(['10.9.0.0/24', 'fd00::/64']);
    expect(reservedBy(ranges, 'b')).toEqual([['10.1.0.0/24']]);
  });
});

test.each([
  { name: 'no range', more: { clusterCidrs: [] }, message: 'node ranges need --cluster-cidr' },
  { name: 'no address', more: { clusterCidrs: ['x'] }, message: '"x" is no range of addresses' },
  {
    name: 'two ranges of a family',
    more: { clusterCidrs: ['10.1.0.0/16', '10.2.0.0/16'] },
    message: 'one of each family',
  },
  { name: 'nodes larger than the cluster', more: { nodeMaskSizeIpv4: 20 }, message: 'is larger than 10.1.0.0/22' },
  { name: 'too many nodes', more: { clusterCidrs: ['10.0.0.0/7'] }, message: 'the node CIDR size is too big' },
])('Ranges of nodes are refused with $name', ({ more, message }) => {
  expect(() => new NodeRanges(options(more))).toThrow(message);
});

test.each([
  { name: 'one of its ranges', cidr: '10.1.1.0/24', changed: 1 },
  { name: 'a part of a range', cidr: '10.1.1.128/25', changed: 1 },
  { name: 'several of its ranges', cidr: '10.1.2.0/23', changed: 2 },
  { name: 'all and more', cidr: '10.0.0.0/8', changed: 4 },
  { name: 'a neighbour', cidr: '10.1.4.0/24', changed: undefined },
  { name: 'the other family', cidr: 'fd00::/64', changed: undefined },
])('A set of ranges marks what overlaps $name', ({ cidr, changed }) => {
  const set = new CidrSet(parseCidr('10.1.0.0/22')!, 24);
  expect(set.occupy(parseCidr(cidr)!)).toBe(changed);
  expect(set.usedCount).toBe(changed ?? 0);
  expect(set.release(parseCidr(cidr)!)).toBe(changed);
});

test('A range that was given back is given again after the others', () => {
  const set = new CidrSet(parseCidr('10.1.0.0/22')!, 24);
  const first = set.allocate()!.cidr;
  set.release(first);
  expect(set.allocate()!.cidr.value).toBe(first.value + 256n);
});
