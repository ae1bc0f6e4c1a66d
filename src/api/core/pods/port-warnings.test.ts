import { describe, expect, test } from 'vitest';
import type { ContainerPort, PodSpec } from '../../gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { pick, randomSource } from '../../../../test/support/random.ts';
import { portWarnings } from './port-warnings.ts';

const path = FieldPath.of('spec');
const specOf = (...containers: ContainerPort[][]): PodSpec =>
  ({ containers: containers.map((ports) => ({ name: 'a', resources: {}, ports })) }) as unknown as PodSpec;
const portOf = (more: Partial<ContainerPort> = {}): ContainerPort => ({ containerPort: 80, protocol: 'TCP', ...more });
const warningsOf = (spec: PodSpec): string[] => [...portWarnings(spec, path)];

describe('ports of a pod', () => {
  test.each<{ name: string; ports: ContainerPort[]; problem: string | undefined }>([
    { name: 'equal', ports: [portOf(), portOf()], problem: 'duplicate' },
    {
      name: 'equal on the host',
      ports: [portOf({ hostPort: 1, hostIP: '10.0.0.1' }), portOf({ hostPort: 1, hostIP: '10.0.0.1' })],
      problem: 'duplicate',
    },
    { name: 'with and without one of the host', ports: [portOf({ hostPort: 1 }), portOf()], problem: 'overlapping' },
    { name: 'without and with one of the host', ports: [portOf(), portOf({ hostPort: 1 })], problem: 'overlapping' },
    {
      name: 'with and without an address',
      ports: [portOf({ hostPort: 1, hostIP: '10.0.0.1' }), portOf({ hostPort: 1 })],
      problem: 'dangerously ambiguous',
    },
    {
      name: 'without and with an address',
      ports: [portOf({ hostPort: 1 }), portOf({ hostPort: 1, hostIP: '10.0.0.1' })],
      problem: 'dangerously ambiguous',
    },
    {
      name: 'on two addresses',
      ports: [portOf({ hostPort: 1, hostIP: '10.0.0.1' }), portOf({ hostPort: 1, hostIP: '10.0.0.2' })],
      problem: undefined,
    },
    { name: 'on two ports of the host', ports: [portOf({ hostPort: 1 }), portOf({ hostPort: 2 })], problem: undefined },
    { name: 'of two protocols', ports: [portOf(), portOf({ protocol: 'UDP' })], problem: undefined },
    { name: 'of two numbers', ports: [portOf(), portOf({ containerPort: 81 })], problem: undefined },
  ])('Ports of a pod: $name', ({ ports, problem }) => {
    expect(warningsOf(specOf(ports))).toEqual(
      problem === undefined
        ? []
        : [`spec.containers[0].ports[1]: ${problem} port definition with spec.containers[0].ports[0]`],
    );
  });

  test('Ports of a pod are compared between containers, and those that an address is of no use to are told', () => {
    expect(warningsOf(specOf([portOf({ name: 'a', hostIP: '10.0.0.1' })], [portOf()]))).toEqual([
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name:a HostPort:0 ContainerPort:80 ' +
        'Protocol:TCP HostIP:10.0.0.1}',
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
    ]);
  });

  test('Ports of a pod are told as by comparing each with all before it', () => {
    const random = randomSource(7);
    for (let round = 0; round < 50; round++) {
      const ports = Array.from({ length: 12 }, () =>
        portOf({
          containerPort: pick(random, [80, 81]),
          hostPort: pick(random, [0, 1, 2]),
          hostIP: pick(random, ['', '10.0.0.1', '10.0.0.2']),
        }),
      );
      expect(warningsOf(specOf(ports)).filter((text) => text.includes('definition'))).toEqual(byPairs(ports));
    }
  });
});

function byPairs(ports: readonly ContainerPort[]): string[] {
  return ports.flatMap((port, i) =>
    ports.slice(0, i).flatMap((other, j) => {
      const problem = port.containerPort === other.containerPort ? problemOf(port, other) : undefined;
      return problem === undefined
        ? []
        : [`spec.containers[0].ports[${i}]: ${problem} port definition with spec.containers[0].ports[${j}]`];
    }),
  );
}

function problemOf(a: ContainerPort, b: ContainerPort): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate';
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping';
  return a.hostPort === b.hostPort && (a.hostIP === '') !== (b.hostIP === '') ? 'dangerously ambiguous' : undefined;
}

describe('twice as many ports are read twice as often', () => {
  test.each<{ name: string; port: (i: number) => ContainerPort }>([
    { name: 'on as many ports of the host', port: (i) => portOf({ hostPort: i + 1 }) },
    { name: 'on as many addresses', port: (i) => portOf({ hostPort: 1, hostIP: String(i) }) },
    { name: 'equal, told until there are enough', port: () => portOf() },
    {
      name: 'ambiguous alternately, reported up to the bound',
      port: (i) => portOf({ hostPort: 1, hostIP: i % 2 === 0 ? '' : '10.0.0.1' }),
    },
  ])('Twice as many ports are read twice as often: $name', ({ port }) => {
    const few = readsOf(1000, port);
    expect(few).toBeGreaterThan(0);
    expect(readsOf(2000, port)).toBeLessThan(2.1 * few);
  });

  function readsOf(count: number, make: (i: number) => ContainerPort): number {
    let reads = 0;
    const counting: ProxyHandler<ContainerPort> = {
      get: (target, key) => (reads++, Reflect.get(target, key) as unknown),
    };
    const warnings = portWarnings(specOf(Array.from({ length: count }, (_, i) => new Proxy(make(i), counting))), path);
    for (let told = 0; told < 100 && warnings.next().done !== true; told++);
    return reads;
  }
});
