import { expect, test } from 'vitest';
import { capacityFrom, defaultCapacity, type NodeCapacity } from './capacity.ts';
import { nodeObject } from './node-object.ts';

test.each<{ name: string; amounts: Record<string, string>; capacity: NodeCapacity }>([
  { name: 'nothing', amounts: {}, capacity: defaultCapacity },
  { name: 'memory', amounts: { memory: '4Gi' }, capacity: { ...defaultCapacity, memoryKi: 4 * 1024 ** 2 } },
  { name: 'pods', amounts: { pods: '20' }, capacity: { ...defaultCapacity, pods: 20 } },
  {
    name: 'another resource',
    amounts: { cpu: '500m', 'example.com/gpu': '2' },
    capacity: { ...defaultCapacity, cpu: '500m', other: { 'example.com/gpu': '2' } },
  },
])('The capacity of hollow nodes: $name', ({ amounts, capacity }) => {
  expect(capacityFrom(amounts)).toEqual(capacity);
});

test.each([
  { amounts: { cpu: 'many' }, message: 'quantities must match the regular expression' },
  { amounts: { cpu: '-1' }, message: 'cpu: must be greater than or equal to 0' },
])('The capacity of hollow nodes refuses $amounts', ({ amounts, message }) => {
  expect(() => capacityFrom(amounts)).toThrow(message);
});

test('A node keeps back what the default thresholds of eviction do', () => {
  const capacity = capacityFrom({ memory: '1Gi', 'ephemeral-storage': '10Gi', cpu: '2' });
  const { status } = nodeObject({ name: 'n', hostIPs: [], capacity, labels: {}, now: '2026-01-01T00:00:00Z' });
  expect(status.capacity).toMatchObject({ memory: '1048576Ki', 'ephemeral-storage': '10485760Ki', cpu: '2' });
  expect(status.allocatable).toMatchObject({ memory: '946176Ki', 'ephemeral-storage': '9663676416', cpu: '2' });
});
