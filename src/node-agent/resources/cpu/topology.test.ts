import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CpuSet } from './cpu-set.ts';
import { readTopology } from './read-topology.ts';
import { type CpuFiles, parseTopology } from './topology.ts';

describe('Lists of CPUs', () => {
  test.each([
    { list: '', shown: '' },
    { list: '3', shown: '3' },
    { list: '0-3,7', shown: '0-3,7' },
    { list: '7,0,1,1\n', shown: '0-1,7' },
  ])('The list "$list" is read, and shown as "$shown"', ({ list, shown }) => {
    expect(CpuSet.parse(list).toString()).toBe(shown);
  });

  test.each(['a', '1-', '3-1', '1-2-3', ',', '99999999'])('The list "%s" is refused', (list) => {
    expect(() => CpuSet.parse(list)).toThrow();
  });
});

const cpu = (id: number, socket: string, siblings: string, sharesCache = ''): CpuFiles => ({
  id,
  package: socket,
  siblings,
  sharesCache,
});

test.each([
  {
    name: 'two threads of each core are counted',
    cpus: [cpu(0, '0', '0,2'), cpu(1, '0', '1,3'), cpu(2, '0', '0,2'), cpu(3, '0', '1,3')],
    numa: [[0, '0-3']],
    shape: { cpusPerCore: 2, sockets: 1, numaNodes: 1, cores: [0, 1] },
  },
  {
    name: 'cores of two sockets with the same numbers are different cores',
    cpus: [cpu(0, '0', '0'), cpu(1, '1', '1')],
    numa: [
      [0, '0'],
      [1, '1'],
    ],
    shape: { cpusPerCore: 1, sockets: 2, numaNodes: 2, cores: [0, 1] },
  },
  {
    name: 'a machine without NUMA nodes has one',
    cpus: [cpu(0, '-1', '0'), cpu(1, '-1', '1')],
    numa: [],
    shape: { cpusPerCore: 1, sockets: 1, numaNodes: 1, cores: [0, 1] },
  },
  {
    name: 'a thread that is offline is passed over',
    cpus: [cpu(1, '0', '0-1')],
    numa: [[0, '0-1']],
    shape: { cpusPerCore: 1, sockets: 1, numaNodes: 1, cores: [1] },
  },
])('Of the topology of CPUs $name', ({ cpus, numa, shape }) => {
  const topology = parseTopology(cpus, new Map(numa as [number, string][]));
  const { cpusPerCore, sockets, numaNodes } = topology;
  expect({ cpusPerCore, sockets, numaNodes, cores: topology.ids('core') }).toEqual(shape);
});

test('The topology of CPUs is read from the files of the kernel', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'orch-cpus-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const write = async (file: string, text: string): Promise<void> => {
    const at = path.join(root, 'sys/devices/system', file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, `${text}\n`);
  };
  await write('cpu/online', '0-3');
  for (const id of [0, 1, 2, 3]) {
    await write(`cpu/cpu${id}/topology/physical_package_id`, String(id % 2));
    await write(`cpu/cpu${id}/topology/thread_siblings_list`, `${id % 2},${(id % 2) + 2}`);
    await write(`cpu/cpu${id}/cache/index3/shared_cpu_list`, `${id % 2},${(id % 2) + 2}`);
  }
  await write('node/node0/cpulist', '0,2');
  await write('node/node1/cpulist', '1,3');
  const topology = await readTopology(root);
  expect(topology.cpusIn('numa', 1).toString()).toBe('1,3');
  expect(topology.ids('uncore')).toEqual([0, 1]);
  expect(topology.unitOf(3, 'socket')).toBe(1);
});
