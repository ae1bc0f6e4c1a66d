import { describe, expect, it, test, vi } from 'vitest';
import { Quantity } from '../../../machinery/quantity.ts';
import type { Container, Pod, PodSpec } from '../../gen/types/core-v1.ts';
import { aggregateContainerRequests, podLimits, podRequests, type ResourceSums } from './pod-requests.ts';

type Amounts = Record<string, string>;

const asking = (requests: Amounts, more: Partial<Container> = {}): Container => ({
  name: 'a',
  resources: { requests },
  ...more,
});
const sidecar = (requests: Amounts): Container => asking(requests, { restartPolicy: 'Always' });
const sized = (requests: Amounts, limits: Amounts, more: Partial<Container> = {}): Container => ({
  name: 'a',
  resources: { requests, limits },
  ...more,
});
const textOf = (sums: ResourceSums): Amounts =>
  Object.fromEntries([...sums].map(([name, amount]) => [name, amount.toString()]));
const specOf = (containers: Container[], initContainers: Container[] = []): PodSpec => ({ containers, initContainers });

describe('what containers of a pod ask for together', () => {
  it.each([
    {
      name: 'containers run together',
      containers: [asking({ cpu: '1' }), asking({ cpu: '2', memory: '1Gi' })],
      init: [],
      expected: { cpu: '3', memory: '1Gi' },
    },
    {
      name: 'init containers run one after the other',
      containers: [asking({ cpu: '1' })],
      init: [asking({ cpu: '3' }), asking({ cpu: '2' })],
      expected: { cpu: '3' },
    },
    {
      name: 'init containers run beside the sidecars before them',
      containers: [asking({ cpu: '1' })],
      init: [asking({ cpu: '3' }), sidecar({ cpu: '2' }), asking({ cpu: '2' })],
      expected: { cpu: '4' },
    },
    {
      name: 'sidecars run beside containers',
      containers: [asking({ cpu: '1' })],
      init: [sidecar({ cpu: '2' }), sidecar({ cpu: '2', memory: '1Gi' })],
      expected: { cpu: '5', memory: '1Gi' },
    },
    {
      name: 'an init container that names something else takes nothing away',
      containers: [],
      init: [sidecar({ cpu: '2' }), asking({ memory: '1Gi' })],
      expected: { cpu: '2', memory: '1Gi' },
    },
    { name: 'a container without resources asks for nothing', containers: [{ name: 'a' }], init: [], expected: {} },
  ])('What containers of a pod ask for together: $name', ({ containers, init, expected }) => {
    expect(textOf(aggregateContainerRequests(specOf(containers as Container[], init)))).toEqual(expected);
  });

  test('Sidecars and init containers, each with a resource of its own, are compared a few times each', () => {
    const compared = vi.spyOn(Quantity.prototype, 'compare');
    const containers = Array.from({ length: 2000 }, (_, i) =>
      (i % 2 === 0 ? sidecar : asking)({ [`example.com/r${i}`]: '1' }),
    );
    expect(aggregateContainerRequests(specOf([], containers)).size).toBe(2000);
    expect(compared.mock.calls.length).toBeLessThan(3 * 2000);
    compared.mockRestore();
  });
});

describe('requests and limits of a pod', () => {
  const every = { podLevel: true, fromStatus: true, overhead: true };
  const status = (resize: string, ...containers: object[]): object => ({ resize, containerStatuses: containers });
  const has = (name: string, requests: Amounts, limits: Amounts = {}): object => ({
    name,
    resources: { requests, limits },
  });

  it.each<{ name: string; spec: object; status?: object; options?: object; requests: Amounts; limits: Amounts }>([
    {
      name: 'overhead is added to requests, and to limits that exist',
      spec: {
        containers: [sized({ cpu: '1' }, { cpu: '2' })],
        overhead: { cpu: '250m', memory: '64Mi' },
      },
      requests: { cpu: '1250m', memory: '64Mi' },
      limits: { cpu: '2250m' },
    },
    {
      name: 'a limit of zero means none, and stays',
      spec: { containers: [sized({}, { cpu: '0' })], overhead: { cpu: '250m' } },
      requests: { cpu: '250m' },
      limits: { cpu: '0' },
    },
    {
      name: 'overhead is left out on demand',
      spec: { containers: [sized({ cpu: '1' }, { cpu: '2' })], overhead: { cpu: '250m' } },
      options: { overhead: false },
      requests: { cpu: '1' },
      limits: { cpu: '2' },
    },
    {
      name: 'limits of init containers and sidecars count as requests do',
      spec: {
        containers: [sized({}, { cpu: '1' })],
        initContainers: [sized({}, { cpu: '2' }, { restartPolicy: 'Always' }), sized({}, { cpu: '3' })],
      },
      requests: {},
      limits: { cpu: '5' },
    },
    {
      name: 'cpu and memory of the pod replace the sums of its containers, nothing else does',
      spec: {
        containers: [sized({ cpu: '1', 'example.com/gpu': '1' }, { memory: '1Gi' })],
        resources: { requests: { cpu: '500m', 'example.com/gpu': '4' }, limits: { memory: '2Gi' } },
      },
      requests: { cpu: '500m', 'example.com/gpu': '1' },
      limits: { memory: '2Gi' },
    },
    {
      name: 'overhead is added to the resources of the pod',
      spec: { containers: [], resources: { requests: { cpu: '1' }, limits: { cpu: '1' } }, overhead: { cpu: '100m' } },
      requests: { cpu: '1100m' },
      limits: { cpu: '1100m' },
    },
    {
      name: 'resources of the pod are left out on demand',
      spec: { containers: [asking({ cpu: '1' })], resources: { requests: { cpu: '5' }, limits: { cpu: '5' } } },
      options: { podLevel: false },
      requests: { cpu: '1' },
      limits: {},
    },
    {
      name: 'a container that shrinks counts with what it has until it is smaller',
      spec: { containers: [sized({ cpu: '1' }, { cpu: '1' })] },
      status: status('InProgress', has('a', { cpu: '2' }, { cpu: '3' })),
      requests: { cpu: '2' },
      limits: { cpu: '3' },
    },
    {
      name: 'a container that grows counts with what it asks for, resource by resource',
      spec: { containers: [sized({ cpu: '2', memory: '1Gi' }, { cpu: '2' })] },
      status: status('Deferred', has('a', { cpu: '1', memory: '2Gi' }, { cpu: '1' })),
      requests: { cpu: '2', memory: '2Gi' },
      limits: { cpu: '2' },
    },
    {
      name: 'a resize that the node can never grant counts with what the container has',
      spec: { containers: [sized({ cpu: '64' }, { cpu: '64' })] },
      status: status('Infeasible', has('a', { cpu: '1' }, { cpu: '2' })),
      requests: { cpu: '1' },
      limits: { cpu: '2' },
    },
    {
      name: 'a container whose status has no resources counts with what it asks for',
      spec: { containers: [sized({ cpu: '64' }, { cpu: '64' })] },
      status: status('Infeasible', { name: 'a' }, has('b', { cpu: '1' })),
      requests: { cpu: '64' },
      limits: { cpu: '64' },
    },
    {
      name: 'an init container is never resized',
      spec: { containers: [], initContainers: [sized({ cpu: '1' }, { cpu: '1' })] },
      status: { resize: 'Infeasible', initContainerStatuses: [has('a', { cpu: '2' }, { cpu: '2' })] },
      requests: { cpu: '1' },
      limits: { cpu: '1' },
    },
    {
      name: 'what containers have is left out on demand',
      spec: { containers: [sized({ cpu: '1' }, { cpu: '1' })] },
      status: status('InProgress', has('a', { cpu: '2' }, { cpu: '2' })),
      options: { fromStatus: false },
      requests: { cpu: '1' },
      limits: { cpu: '1' },
    },
  ])('Requests and limits of a pod: $name', ({ spec, status, options, requests, limits }) => {
    const pod = { metadata: { name: 'p' }, spec, status: status ?? {} } as unknown as Pod;
    const chosen = { ...every, ...options };
    expect({ requests: textOf(podRequests(pod, chosen)), limits: textOf(podLimits(pod, chosen)) }).toEqual({
      requests,
      limits,
    });
  });
});
