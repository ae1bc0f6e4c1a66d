import { describe, expect, test } from 'vitest';
import { CpuSet } from './cpu-set.ts';
import { distributeCpus } from './distribute-cpus.ts';
import { takeCpus } from './take-cpus.ts';
import { type MachineShape, machineOf } from './testing/topologies.ts';

const twoSockets: MachineShape = { sockets: 2, coresPerNuma: 4, threads: 2 };
const fourNodes: MachineShape = { sockets: 2, numaPerSocket: 2, coresPerNuma: 4, threads: 2 };
const caches: MachineShape = { sockets: 1, coresPerNuma: 8, threads: 2, uncoresPerNuma: 2 };

describe('CPUs that lie close together', () => {
  test.each([
    { name: 'one thread is one of the first core', machine: twoSockets, free: '0-15', count: 1, taken: '0' },
    { name: 'two threads are one core', machine: twoSockets, free: '0-15', count: 2, taken: '0,8' },
    { name: 'a third thread lies on the next core', machine: twoSockets, free: '0-15', count: 3, taken: '0-1,8' },
    { name: 'a half-used core is used up before a whole one', machine: twoSockets, free: '1-15', count: 1, taken: '8' },
    { name: 'whole cores go before a half-used one', machine: twoSockets, free: '1-15', count: 2, taken: '1,9' },
    { name: 'a whole socket is taken whole', machine: twoSockets, free: '0-15', count: 8, taken: '0-3,8-11' },
    {
      name: 'the socket with fewer free CPUs comes first',
      machine: twoSockets,
      free: '0-4,8-12',
      count: 2,
      taken: '4,12',
    },
    {
      name: 'a whole socket is left when another one is half-used',
      machine: twoSockets,
      free: '2-15',
      count: 8,
      taken: '4-7,12-15',
    },
    {
      name: 'more than a socket goes on with the other',
      machine: twoSockets,
      free: '0-15',
      count: 10,
      taken: '0-4,8-12',
    },
    { name: 'a NUMA node of a socket is taken whole', machine: fourNodes, free: '0-31', count: 8, taken: '0-3,16-19' },
    {
      name: 'a socket of two NUMA nodes is taken whole',
      machine: fourNodes,
      free: '0-31',
      count: 16,
      taken: '0-7,16-23',
    },
    { name: 'everything can be taken', machine: twoSockets, free: '0-15', count: 16, taken: '0-15' },
    { name: 'none are none', machine: twoSockets, free: '0-15', count: 0, taken: '' },
  ])('Where CPUs lie close together, $name', ({ machine, free, count, taken }) => {
    expect(takeCpus(machineOf(machine), CpuSet.parse(free), count).toString()).toBe(taken);
  });

  test('More CPUs than are free are refused', () => {
    expect(() => takeCpus(machineOf(twoSockets), CpuSet.parse('0-2'), 4)).toThrow(
      'not enough cpus available to satisfy request: requested=4, available=3',
    );
  });

  test('Threads of as many cores as possible are taken where that is asked for', () => {
    const taken = takeCpus(machineOf(twoSockets), CpuSet.parse('0-15'), 4, { spreadsOverCores: true });
    expect(taken.toString()).toBe('0-3');
  });

  test.each([
    { name: 'a whole cache is taken whole', free: '0-15', count: 8, taken: '0-3,8-11' },
    { name: 'a cache that has all of it is taken from, not two', free: '0-1,4-9,12-15', count: 6, taken: '4-6,12-14' },
    {
      name: 'no cache has all of it: cores of both are taken',
      free: '0-1,4-5,8-9,12-13',
      count: 6,
      taken: '0-1,4,8-9,12',
    },
  ])('Where shared caches count, $name', ({ free, count, taken }) => {
    const options = { prefersUncore: true };
    expect(takeCpus(machineOf(caches), CpuSet.parse(free), count, options).toString()).toBe(taken);
  });
});

describe('CPUs in equal parts of NUMA nodes', () => {
  test.each([
    { name: 'what fits into one node stays there', free: '0-31', count: 8, group: 1, taken: '0-3,16-19' },
    { name: 'two nodes give half each', free: '0-31', count: 10, group: 1, taken: '0-2,4-6,16-17,20-21' },
    { name: 'two nodes give whole cores', free: '0-31', count: 12, group: 2, taken: '0-2,4-6,16-18,20-22' },
    { name: 'an odd core comes from one of them', free: '0-31', count: 10, group: 2, taken: '0-2,4-5,16-18,20-21' },
    {
      name: 'three nodes give a third each',
      free: '0-31',
      count: 18,
      group: 2,
      taken: '0-2,4-6,8-10,16-18,20-22,24-26',
    },
    {
      name: 'nodes are taken that stay alike',
      free: '0-3,5-7,8-23,25-31',
      count: 14,
      group: 1,
      taken: '0-3,12-15,16-18,28-30',
    },
    { name: 'an odd thread is packed where cores are handed out', free: '0-31', count: 3, group: 2, taken: '0-1,16' },
  ])('Where nodes give equal parts, $name', ({ free, count, group, taken }) => {
    expect(distributeCpus(machineOf(fourNodes), CpuSet.parse(free), count, group).toString()).toBe(
      CpuSet.parse(taken).toString(),
    );
  });
});
