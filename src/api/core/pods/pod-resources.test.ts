import { expect, test, vi } from 'vitest';
import { Quantity } from '../../../machinery/quantity.ts';
import type { Container } from '../../gen/types/core-v1.ts';
import { containerSums } from './pod-resources.ts';

const asking = (requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: 'a',
  resources: { requests },
  ...more,
});
const sidecar = (requests: Record<string, string>): Container => asking(requests, { restartPolicy: 'Always' });
const sums = (containers: Container[], initContainers: Container[]): Record<string, string> =>
  Object.fromEntries(
    [...containerSums({ containers, initContainers }, 'requests')].map(([name, amount]) => [name, amount.toString()]),
  );

test.each([
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
])('$name', ({ containers, init, expected }) => {
  expect(sums(containers, init)).toEqual(expected);
});

test('sidecars and init containers, each with a resource of its own, are compared a few times each', () => {
  const compared = vi.spyOn(Quantity.prototype, 'compare');
  const containers = Array.from({ length: 2000 }, (_, i) =>
    (i % 2 === 0 ? sidecar : asking)({ [`example.com/r${i}`]: '1' }),
  );
  expect(Object.keys(sums([], containers))).toHaveLength(2000);
  expect(compared.mock.calls.length).toBeLessThan(3 * 2000);
  compared.mockRestore();
});
