import { expect, test } from 'vitest';
import { defaultConfig, type NodeAgentConfig } from '../config/config.ts';
import { nodeResources } from './capacity.ts';
import type { Machine } from './machine.ts';
import { machineWith } from './testing/node-parts.ts';

const gi = 1024 ** 3;

test.each<{
  name: string;
  machine?: Partial<Machine>;
  config?: Partial<NodeAgentConfig>;
  ignoresThresholds?: true;
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
}>([
  {
    name: 'without reservations',
    capacity: {
      cpu: '2',
      'ephemeral-storage': '100Gi',
      'hugepages-2Mi': '0',
      memory: '8388607Ki',
      pods: '110',
    },
    allocatable: {
      cpu: '2',
      // A share of the capacity in single precision, as upstream counts it.
      'ephemeral-storage': '96636764000',
      'hugepages-2Mi': '0',
      memory: '8286207Ki',
      pods: '110',
    },
  },
  {
    name: 'with reservations of both kinds',
    config: {
      systemReserved: { cpu: '100m', memory: '256Mi' },
      kubeReserved: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
      evictionHard: {},
    },
    allocatable: { cpu: '1800m', memory: '7864319Ki', 'ephemeral-storage': '99Gi' },
  },
  {
    name: 'with an absolute threshold of the disk',
    config: { evictionHard: { 'nodefs.available': '1Gi' } },
    allocatable: { 'ephemeral-storage': '99Gi', memory: '8388607Ki' },
  },
  {
    name: 'with thresholds that are not kept back',
    ignoresThresholds: true,
    allocatable: { 'ephemeral-storage': '100Gi', memory: '8388607Ki' },
  },
  {
    name: 'with more reservations than it has',
    config: { systemReserved: { cpu: '3', memory: '9Gi' } },
    allocatable: { cpu: '0', memory: '0' },
  },
  {
    name: 'with huge pages',
    machine: {
      memoryBytes: 8 * gi,
      hugePages: [
        { sizeBytes: 2 * 1024 ** 2, count: 512 },
        { sizeBytes: gi, count: 2 },
      ],
    },
    config: { evictionHard: {} },
    capacity: { 'hugepages-2Mi': '1Gi', 'hugepages-1Gi': '2Gi', memory: '8Gi' },
    allocatable: { 'hugepages-2Mi': '1Gi', 'hugepages-1Gi': '2Gi', memory: '5Gi' },
  },
  { name: 'with pods by core', config: { podsPerCore: 10 }, capacity: { pods: '20' } },
  { name: 'with pods by core beyond its limit', config: { podsPerCore: 100 }, capacity: { pods: '110' } },
])('The resources of a node $name', ({ machine, config, ignoresThresholds, capacity = {}, allocatable = {} }) => {
  const found = nodeResources(machineWith(machine), { ...defaultConfig, ...config }, ignoresThresholds !== true);
  expect(found.capacity).toMatchObject(capacity);
  expect(found.allocatable).toMatchObject(allocatable);
});

test('A disk whose use is not counted is no resource', () => {
  const { capacity } = nodeResources(machineWith(), { ...defaultConfig, localStorageCapacityIsolation: false }, true);
  expect(capacity).not.toHaveProperty('ephemeral-storage');
});
