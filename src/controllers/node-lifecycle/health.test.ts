import { expect, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { NodeHealth } from './health.ts';

const periods = { monitorGracePeriodMs: 50_000, startupGracePeriodMs: 60_000 };
const nowMs = Date.UTC(2024, 0, 1);
const now = '2024-01-01T00:00:00Z';

const ready = (status: string, lastHeartbeatTime = 't0'): object => ({ type: 'Ready', status, lastHeartbeatTime });
const node = (...conditions: object[]): Node =>
  ({ metadata: { name: 'n', creationTimestamp: 'made' }, status: { conditions } }) as unknown as Node;

interface Look {
  readonly at: number;
  readonly node: Node;
  readonly renewal?: string;
}

const statusesAfter = (...looks: Look[]): unknown => {
  const health = new NodeHealth(periods);
  let conditions: unknown;
  for (const { at, node: seen, renewal } of looks) conditions = health.look(seen, renewal, at, nowMs);
  return (conditions as { type: string; status: string }[] | undefined)?.map(({ type, status }) => `${type} ${status}`);
};

const unknown = ['Ready Unknown', 'MemoryPressure Unknown', 'DiskPressure Unknown', 'PIDPressure Unknown'];
const silent = node(ready('True'));

test.each([
  { name: 'is seen for the first time', looks: [{ at: 1_000_000, node: silent }], expected: undefined },
  {
    name: 'has been silent for the grace period',
    looks: [
      { at: 0, node: silent },
      { at: 50_000, node: silent },
    ],
    expected: undefined,
  },
  {
    name: 'has been silent for longer',
    looks: [
      { at: 0, node: silent },
      { at: 50_001, node: silent },
    ],
    expected: unknown,
  },
  {
    name: 'renews its lease',
    looks: [
      { at: 0, node: silent, renewal: 'a' },
      { at: 40_000, node: silent, renewal: 'b' },
      { at: 80_000, node: silent, renewal: 'b' },
    ],
    expected: undefined,
  },
  {
    name: 'posts a status',
    looks: [
      { at: 0, node: silent },
      { at: 40_000, node: node(ready('True', 't1')) },
      { at: 80_000, node: node(ready('True', 't1')) },
    ],
    expected: undefined,
  },
  {
    name: 'never said anything, within the time to start',
    looks: [
      { at: 0, node: node() },
      { at: 60_000, node: node() },
    ],
    expected: undefined,
  },
  {
    name: 'never said anything',
    looks: [
      { at: 0, node: node() },
      { at: 60_001, node: node() },
    ],
    expected: unknown,
  },
  {
    name: 'is silent and unknown already',
    looks: [0, 50_001].map((at) => ({
      at,
      node: node(
        ...['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'Unknown' })),
      ),
    })),
    expected: undefined,
  },
])('Conditions of a node that $name', ({ looks, expected }) => {
  expect(statusesAfter(...looks)).toEqual(expected);
});

test('Conditions of a silent node say since when, and keep the last heartbeat', () => {
  const health = new NodeHealth(periods);
  health.look(silent, undefined, 0, nowMs);
  const [first, second] = health.look(silent, undefined, 50_001, nowMs)!;
  expect(first).toEqual({
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastHeartbeatTime: 't0',
    lastTransitionTime: now,
  });
  expect(second).toEqual({
    type: 'MemoryPressure',
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: 'made',
    lastTransitionTime: now,
  });
});

test('A node that was forgotten has its grace period again', () => {
  const health = new NodeHealth(periods);
  health.look(silent, undefined, 0, nowMs);
  health.forget('n');
  expect(health.look(silent, undefined, 80_000, nowMs)).toBeUndefined();
});

test('Nodes have their grace period once more when something is heard again', () => {
  const health = new NodeHealth(periods);
  health.look(silent, undefined, 0, nowMs);
  health.renewAll(50_000);
  expect(health.look(silent, undefined, 100_000, nowMs)).toBeUndefined();
  expect(health.look(silent, undefined, 100_001, nowMs)).toBeDefined();
});
