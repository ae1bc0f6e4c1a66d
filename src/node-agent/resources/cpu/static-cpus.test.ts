import { describe, expect, test } from 'vitest';
import { anyNode, type Hint } from '../topology/hints.ts';
import { maskOf, nodesOf } from '../topology/numa-mask.ts';
import { type CpuOptions, noCpuOptions } from './cpu-options.ts';
import { CpuSet } from './cpu-set.ts';
import type { CpuState } from './cpu-state.ts';
import { StaticCpus } from './static-cpus.ts';
import { containerOf, type MachineShape, machineOf, podWith } from './testing/topologies.ts';

const eight: MachineShape = { sockets: 1, coresPerNuma: 4, threads: 2 };
const twoSockets: MachineShape = { sockets: 2, coresPerNuma: 4, threads: 2 };

const create = (
  shape: MachineShape,
  { reserved = 1, state, ...options }: Partial<CpuOptions> & { reserved?: number | CpuSet; state?: CpuState } = {},
): StaticCpus =>
  new StaticCpus({ topology: machineOf(shape), options: { ...noCpuOptions, ...options }, reserved }, state);

const asking = (cpu: string) => containerOf('main', { cpu });
const single = (uid: string, cpu: string) => podWith(uid, [asking(cpu)]);

describe('CPUs of a container', () => {
  test.each([
    { name: 'one that asks for whole CPUs has them for itself', pod: single('a', '2'), cpus: '1,5' },
    { name: 'one that asks for a part shares them', pod: single('a', '1500m'), cpus: '0-7' },
    {
      name: 'one that may have more shares them',
      pod: podWith('a', [{ name: 'main', resources: { requests: { cpu: '2' } } }]),
      cpus: '0-7',
    },
  ])('Of containers $name', ({ pod, cpus }) => {
    const policy = create(eight);
    policy.allocate(pod, pod.spec.containers![0]!, anyNode);
    expect(policy.cpusOf('a', 'main').toString()).toBe(cpus);
  });

  test('What a container has is not shared any more, and comes back when its pod has ended', () => {
    const policy = create(eight);
    policy.allocate(single('a', '2'), asking('2'), anyNode);
    expect(policy.cpusOf('b', 'main').toString()).toBe('0,2-4,6-7');
    expect(policy.release('a')).toBe(true);
    expect(policy.cpusOf('b', 'main').toString()).toBe('0-7');
  });

  test('What an init container had goes to the containers after it', () => {
    const [init, main, other] = [asking('4'), containerOf('b', { cpu: '2' }), containerOf('c', { cpu: '4' })];
    const pod = podWith('a', [main, other], [{ ...init, name: 'init' }]);
    const policy = create(eight);
    for (const container of [...pod.spec.initContainers!, main, other]) policy.allocate(pod, container, anyNode);
    const of = (name: string): string => policy.cpusOf('a', name).toString();
    expect([of('init'), of('b'), of('c')]).toEqual(['1-2,5-6', '1,5', '2-3,6-7']);
  });

  test('A sidecar keeps what it has', () => {
    const pod = podWith('a', [asking('2')], [{ ...containerOf('side', { cpu: '2' }), restartPolicy: 'Always' }]);
    const policy = create(eight);
    for (const container of [...pod.spec.initContainers!, ...pod.spec.containers!])
      policy.allocate(pod, container, anyNode);
    expect([policy.cpusOf('a', 'side').toString(), policy.cpusOf('a', 'main').toString()]).toEqual(['1,5', '2,6']);
  });

  test('What a container has already stays', () => {
    const policy = create(eight);
    expect(policy.allocate(single('a', '2'), asking('2'), anyNode)).toBe(true);
    expect(policy.allocate(single('a', '2'), asking('2'), anyNode)).toBe(false);
  });

  test('Reserved CPUs stay shared, however many a container asks for', () => {
    const policy = create(eight, { reserved: CpuSet.parse('0-1') });
    expect(() => policy.allocate(single('a', '7'), asking('7'), anyNode)).toThrow(
      'not enough cpus available to satisfy request: requested=7, available=6',
    );
    policy.allocate(single('a', '6'), asking('6'), anyNode);
    expect(policy.cpusOf('b', 'main').toString()).toBe('0-1');
  });

  test('With strict reservation containers do not share the reserved CPUs', () => {
    const policy = create(eight, { reserved: CpuSet.parse('0,4'), reservesStrictly: true });
    expect(policy.cpusOf('b', 'main').toString()).toBe('1-3,5-7');
  });

  test.each([
    { cpu: '3', message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2' },
    {
      cpu: '8',
      message:
        'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, ' +
        'CPUs per core = 2',
    },
  ])('With whole cores $cpu CPUs are refused', ({ cpu, message }) => {
    const policy = create(eight, { fullCores: true });
    const allocate = () => policy.allocate(single('a', cpu), asking(cpu), anyNode);
    expect(allocate).toThrow(expect.objectContaining({ reason: 'SMTAlignmentError', message }));
  });

  test.each([
    { name: 'of the NUMA node', hint: [1], cpu: '2', cpus: '4,12' },
    { name: 'of the NUMA node as far as it has them', hint: [1], cpu: '10', cpus: '1,4-7,9,12-15' },
  ])('CPUs are those $name that is hinted at', ({ hint, cpu, cpus }) => {
    const policy = create(twoSockets);
    policy.allocate(single('a', cpu), asking(cpu), { affinity: maskOf(hint), preferred: true });
    expect(policy.cpusOf('a', 'main').toString()).toBe(cpus);
  });
});

describe('NUMA nodes for CPUs', () => {
  const shown = (hints: readonly Hint[] | undefined): string[] =>
    (hints ?? []).map(({ affinity, preferred }) => `${nodesOf(affinity!).join('+')}${preferred ? '!' : ''}`);

  test.each([
    { name: 'either node has enough', cpu: '4', hints: ['0!', '1!', '0+1'] },
    { name: 'one node has enough', cpu: '8', hints: ['1!', '0+1'] },
    { name: 'it takes both nodes', cpu: '10', hints: ['0+1!'] },
    { name: 'no node has enough', cpu: '16', hints: [] },
    { name: 'a container shares CPUs', cpu: '500m', hints: [] },
  ])('Where $name the hints are $hints', ({ cpu, hints }) => {
    const policy = create(twoSockets);
    expect(shown(policy.hintsOfContainer(single('a', cpu), asking(cpu)).get('cpu'))).toEqual(hints);
  });

  test('A container is hinted at the node of what it has already', () => {
    const policy = create(twoSockets);
    policy.allocate(single('a', '4'), asking('4'), { affinity: maskOf([1]), preferred: true });
    expect(shown(policy.hintsOfContainer(single('a', '4'), asking('4')).get('cpu'))).toEqual(['1!', '0+1']);
  });

  test('For a pod the peak of its containers counts', () => {
    const pod = podWith('a', [containerOf('b', { cpu: '4' }), containerOf('c', { cpu: '4' })], [asking('2')]);
    expect(shown(create(twoSockets).hintsOfPod(pod).get('cpu'))).toEqual(['1!', '0+1']);
  });

  test('A socket is as good as a node where CPUs are aligned by socket', () => {
    const policy = create({ sockets: 2, numaPerSocket: 2, coresPerNuma: 2 }, { alignsBySocket: true });
    const hints = shown(policy.hintsOfContainer(single('a', '2'), asking('2')).get('cpu'));
    expect(hints.filter((hint) => hint.endsWith('!'))).toEqual(['1!', '2!', '3!', '0+1!', '2+3!']);
  });
});

describe('The state of before', () => {
  const state = (shared: string, assigned = ''): CpuState => ({
    defaultCpus: CpuSet.parse(shared),
    assignments: assigned === '' ? new Map() : new Map([['a', new Map([['main', CpuSet.parse(assigned)]])]]),
  });

  test('A state that fits is taken over', () => {
    const policy = create(eight, { state: state('0,2-4,6-7', '1,5') });
    expect(policy.cpusOf('a', 'main').toString()).toBe('1,5');
    expect(policy.uids()).toEqual(['a']);
  });

  test.each([
    { name: 'without shared CPUs', before: state('', '1'), message: 'default cpuset cannot be empty' },
    {
      name: 'without the reserved CPUs',
      before: state('1-7', '0'),
      message: 'not all reserved cpus: "0" are present in defaultCpuSet: "1-7"',
    },
    {
      name: 'with the strictly reserved CPUs',
      before: state('0-7'),
      options: { reservesStrictly: true },
      message: 'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-7"',
    },
    {
      name: 'with CPUs that are shared and not',
      before: state('0-7', '3'),
      message: 'pod: a, container: main cpuset: "3" overlaps with default cpuset "0-7"',
    },
    {
      name: 'of another machine',
      before: state('0-3'),
      message: 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"',
    },
  ])('A state $name is refused', ({ before, options = {}, message }) => {
    expect(() => create(eight, { ...options, state: before })).toThrow(message);
  });

  test('More reserved CPUs than there are keep the agent from starting', () => {
    expect(() => create(eight, { reserved: 9 })).toThrow(
      '[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 9)',
    );
  });
});
