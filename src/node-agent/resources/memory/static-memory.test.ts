import { describe, expect, test } from 'vitest';
import { containerOf, podWith } from '../cpu/testing/topologies.ts';
import type { NumaNode } from '../numa-nodes.ts';
import { anyNode, type Hint } from '../topology/hints.ts';
import { maskOf, nodesOf } from '../topology/numa-mask.ts';
import { emptyMemory, formatMemoryState, parseMemoryState } from './memory-state.ts';
import { machineMemory } from './reserved-memory.ts';
import { StaticMemory } from './static-memory.ts';

const gi = 2 ** 30;
const node = (id: number, memoryBytes = 10 * gi): NumaNode => ({ id, memoryBytes, hugePages: [], distances: [] });
const machine = machineMemory([node(0), node(1)], [{ numaNode: 0, limits: { memory: '2Gi' } }], 2 * gi);

const asking = (memory: string, name = 'main') => containerOf(name, { memory, cpu: '1' });
const single = (uid: string, memory: string) => podWith(uid, [asking(memory)]);
const shown = (hints: readonly Hint[] | undefined): string[] =>
  (hints ?? []).map(({ affinity, preferred }) => `${nodesOf(affinity!).join('+')}${preferred ? '!' : ''}`);
const nodesFor = (memory: StaticMemory, uid: string, name = 'main'): readonly number[] =>
  memory.blocksOf(uid, name).flatMap(({ numaAffinity }) => numaAffinity);

describe('Memory of containers', () => {
  test.each([
    { name: 'fits into either node', amount: '4Gi', hints: ['0!', '1!', '0+1'], nodes: [0] },
    { name: 'fits into one node', amount: '9Gi', hints: ['1!', '0+1'], nodes: [1] },
    { name: 'takes both nodes', amount: '12Gi', hints: ['0+1!'], nodes: [0, 1] },
  ])('Memory that $name comes from there', ({ amount, hints, nodes }) => {
    const memory = new StaticMemory(machine);
    expect(shown(memory.hintsOfContainer(single('a', amount), asking(amount)).get('memory'))).toEqual(hints);
    memory.allocate(single('a', amount), asking(amount), anyNode);
    expect(nodesFor(memory, 'a')).toEqual(nodes);
  });

  test('A node that serves containers by itself is in no group', () => {
    const memory = new StaticMemory(machine);
    memory.allocate(single('a', '1Gi'), asking('1Gi'), { affinity: maskOf([1]), preferred: true });
    expect(() => memory.allocate(single('b', '12Gi'), asking('12Gi'), anyNode)).toThrow(
      '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
    );
    memory.release('a');
    memory.allocate(single('b', '12Gi'), asking('12Gi'), anyNode);
    expect(() =>
      memory.allocate(single('c', '1Gi'), asking('1Gi'), { affinity: maskOf([1]), preferred: true }),
    ).toThrow('[memorymanager] preferred hint violates NUMA node allocation');
  });

  test('What an init container had goes to the containers after it, and is counted once', () => {
    const memory = new StaticMemory(machine);
    const pod = podWith('a', [asking('5Gi')], [asking('6Gi', 'init')]);
    for (const container of [...pod.spec.initContainers!, ...pod.spec.containers!])
      memory.allocate(pod, container, { affinity: maskOf([1]), preferred: true });
    expect(memory.state.machineState[1]?.memoryMap['memory']?.reserved).toBe(6 * gi);
    expect(memory.blocksOf('a', 'init')[0]?.size).toBe(1 * gi);
    memory.release('a');
    expect(memory.state.machineState).toEqual(machine);
  });

  test('A container of a pod that is not Guaranteed has memory from any node', () => {
    const memory = new StaticMemory(machine);
    const pod = podWith('a', [{ name: 'main', resources: { requests: { memory: '1Gi' } } }]);
    expect(memory.allocate(pod, pod.spec.containers![0]!, anyNode)).toBe(false);
    expect(memory.blocksOf('a', 'main')).toEqual([]);
  });
});

describe('The state of memory as a file', () => {
  test('A file of another agent is read, and written the same', () => {
    const file =
      '{"policyName":"static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":2048,' +
      '"systemReserved":512,"allocatable":1536,"reserved":512,"free":1024}},"cells":[]}},"entries":{"pod":{' +
      '"container1":[{"numaAffinity":[0],"type":"memory","size":512}]}},"checksum":4215593881}';
    expect(formatMemoryState('static', parseMemoryState(file, 'static'))).toBe(file);
  });

  test('A file without memory is read again', () => {
    const file = formatMemoryState('None', emptyMemory);
    expect(parseMemoryState(file, 'None')).toEqual(emptyMemory);
    expect(() => parseMemoryState(file, 'Static')).toThrow(
      '[memorymanager] configured policy "Static" differs from state checkpoint policy "None"',
    );
    expect(() => parseMemoryState(file.replace('None', 'Nope'), 'Nope')).toThrow('checkpoint is corrupted');
  });

  test.each(['{"policyName":"None","machineState":[]}', '{"policyName":"None","entries":{"a":{"b":[{}]}}}'])(
    'A file with other content is refused: %s',
    (file) => {
      expect(() => parseMemoryState(file, 'None')).toThrow('checkpoint is corrupted');
    },
  );

  test('A state is taken over by the machine that wrote it, and by no other', () => {
    const before = new StaticMemory(machine);
    before.allocate(single('a', '12Gi'), asking('12Gi'), anyNode);
    const state = parseMemoryState(formatMemoryState('Static', before.state), 'Static');
    expect(nodesFor(new StaticMemory(machine, state), 'a')).toEqual([0, 1]);
    const larger = machineMemory([node(0), node(1, 20 * gi)], [{ numaNode: 0, limits: { memory: '2Gi' } }], 2 * gi);
    expect(() => new StaticMemory(larger, state)).toThrow(
      '[memorymanager] the expected machine state is different from the real one',
    );
    const smaller = machineMemory([node(0)], [{ numaNode: 0, limits: { memory: '2Gi' } }], 2 * gi);
    expect(() => new StaticMemory(smaller, state)).toThrow('the memory assignment uses the NUMA that does not exist');
  });
});

test.each([
  {
    name: 'other than the node keeps back',
    reserved: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    message:
      'the total amount "1Gi" of type "memory" is not equal to the value "2Gi" determined by Node Allocatable feature',
  },
  {
    name: 'of a node that is not there',
    reserved: [{ numaNode: 7, limits: { memory: '2Gi' } }],
    message: 'the reserved memory configuration references a NUMA node 7 that does not exist on this machine',
  },
  {
    name: 'twice',
    reserved: [
      { numaNode: 0, limits: { memory: '1Gi' } },
      { numaNode: 0, limits: { memory: '1Gi' } },
    ],
    message: 'the reserved memory has a duplicate value for NUMA node 0 and resource "memory"',
  },
])('Reserved memory $name is refused', ({ reserved, message }) => {
  expect(() => machineMemory([node(0)], reserved, 2 * gi)).toThrow(message);
});
