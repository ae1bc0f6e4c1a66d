import { expect, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { evictingKey, evictingTaint, withConditionTaints, withEvictingTaint } from './taints.ts';

const nowMs = Date.UTC(2024, 0, 1);
const timeAdded = '2024-01-01T00:00:00Z';
const taint = (name: string, effect = 'NoSchedule', more: object = {}): object => ({
  key: `node.kubernetes.io/${name}`,
  effect,
  ...more,
});
const added = (name: string, effect = 'NoSchedule'): object => taint(name, effect, { timeAdded });
const node = (conditions: Readonly<Record<string, string>>, taints: object[] = [], unschedulable = false): Node =>
  ({
    metadata: { name: 'n' },
    spec: { taints, ...(unschedulable ? { unschedulable } : {}) },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  }) as unknown as Node;
const user = { key: 'example.com/a', effect: 'NoSchedule' };

test.each([
  { name: 'is ready', node: node({ Ready: 'True' }), expected: undefined },
  { name: 'is not ready', node: node({ Ready: 'False' }), expected: [added('not-ready')] },
  { name: 'is silent', node: node({ Ready: 'Unknown' }), expected: [added('unreachable')] },
  {
    name: 'is short of memory, disk, processes and network',
    node: node({ MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True', NetworkUnavailable: 'True' }),
    expected: ['memory-pressure', 'disk-pressure', 'pid-pressure', 'network-unavailable'].map((name) => added(name)),
  },
  { name: 'does not know of its memory', node: node({ MemoryPressure: 'Unknown' }), expected: undefined },
  { name: 'takes no pods', node: node({ Ready: 'True' }, [], true), expected: [added('unschedulable')] },
  { name: 'is tainted so already', node: node({ Ready: 'False' }, [taint('not-ready')]), expected: undefined },
  {
    name: 'is ready again, with a taint of a user',
    node: node({ Ready: 'True' }, [taint('not-ready'), user]),
    expected: [user],
  },
  {
    name: 'was silent and is not ready',
    node: node({ Ready: 'False' }, [taint('unreachable')]),
    expected: [added('not-ready')],
  },
  {
    name: 'is ready and still has the taint that evicts',
    node: node({ Ready: 'True' }, [taint('not-ready', 'NoExecute')]),
    expected: undefined,
  },
])('Taints of effect NoSchedule for a node that $name', ({ node: of, expected }) => {
  expect(withConditionTaints(of, nowMs)).toEqual(expected);
});

test.each([
  { status: 'True', key: undefined },
  { status: 'False', key: 'node.kubernetes.io/not-ready' },
  { status: 'Unknown', key: 'node.kubernetes.io/unreachable' },
  { status: undefined, key: 'node.kubernetes.io/unreachable' },
])('The taint that evicts from a node with Ready $status', ({ status, key }) => {
  expect(evictingKey(status)).toBe(key);
});

test.each([
  {
    name: 'added beside others',
    taints: [user],
    key: 'node.kubernetes.io/not-ready',
    expected: [user, added('not-ready', 'NoExecute')],
  },
  {
    name: 'put in place of the other one',
    taints: [taint('not-ready', 'NoExecute'), taint('not-ready')],
    key: 'node.kubernetes.io/unreachable',
    expected: [taint('not-ready'), added('unreachable', 'NoExecute')],
  },
  { name: 'removed', taints: [taint('unreachable', 'NoExecute'), user], key: undefined, expected: [user] },
])('The taint that evicts is $name', ({ taints, key, expected }) => {
  expect(withEvictingTaint(node({}, taints), key, nowMs)).toEqual(expected);
});

test('The taint that evicts is known by key and effect', () => {
  const evicting = taint('unreachable', 'NoExecute');
  expect(evictingTaint(node({}, [user, taint('unreachable'), evicting]))).toEqual(evicting);
  expect(evictingTaint(node({}, [{ ...user, effect: 'NoExecute' }]))).toBeUndefined();
});
