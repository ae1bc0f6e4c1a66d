import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { failurePatch, missingNodes, podsToDelete } from './sync.ts';

interface PodFacts {
  readonly node?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly created?: string;
  readonly isTerminating?: boolean;
}

const pod = (name: string, { node, phase = 'Running', reason, created, isTerminating = false }: PodFacts = {}): Pod =>
  ({
    metadata: {
      name,
      uid: name,
      creationTimestamp: created ?? '2026-01-01T00:00:00Z',
      ...(isTerminating ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: { nodeName: node },
    status: { phase, reason },
  }) as unknown as Pod;

const node = (ready: 'True' | 'False', taint?: string): Node =>
  ({
    spec: { taints: taint === undefined ? [] : [{ key: taint, effect: 'NoExecute' }] },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }) as unknown as Node;

const nodes: Readonly<Record<string, Node>> = {
  ready: node('True', 'node.kubernetes.io/out-of-service'),
  silent: node('False'),
  out: node('False', 'node.kubernetes.io/out-of-service'),
};
const over = (name: string, created: string, reason?: string): Pod =>
  pod(name, { node: 'ready', phase: 'Failed', created, ...(reason === undefined ? {} : { reason }) });

describe('the pods that are deleted', () => {
  it.each([
    {
      name: 'are those that are over beyond the threshold: evicted ones first, then the oldest',
      pods: [
        over('young', '2026-01-03T00:00:00Z'),
        over('evicted', '2026-01-04T00:00:00Z', 'Evicted'),
        over('old', '2026-01-01T00:00:00Z'),
        pod('runs', { node: 'ready', created: '2025-01-01T00:00:00Z' }),
      ],
      threshold: 1,
      expected: { evicted: 'terminated', old: 'terminated' },
    },
    {
      name: 'are none of those that are over when the threshold is off',
      pods: [over('old', '2026-01-01T00:00:00Z'), over('young', '2026-01-03T00:00:00Z')],
      threshold: 0,
      expected: {},
    },
    {
      name: 'are those that end on a node that is out of service and not ready',
      pods: ['ready', 'silent', 'out'].map((name) => pod(`on-${name}`, { node: name, isTerminating: true })),
      threshold: 10,
      expected: { 'on-out': 'out-of-service' },
    },
    {
      name: 'are not those that go on running there',
      pods: [pod('a', { node: 'out' })],
      threshold: 10,
      expected: {},
    },
    {
      name: 'are those on nodes that are gone',
      pods: [pod('a', { node: 'gone' }), pod('b', { node: 'unknown' })],
      threshold: 10,
      expected: { a: 'orphaned' },
    },
    {
      name: 'are those that end and never had a node',
      pods: [pod('a', { isTerminating: true }), pod('b')],
      threshold: 10,
      expected: { a: 'unscheduled' },
    },
  ])('The pods that are deleted: $name', ({ pods, threshold, expected }) => {
    const found = podsToDelete({ pods, threshold, nodeOf: (name) => nodes[name], goneNodes: new Set(['gone']) });
    expect(Object.fromEntries([...found].map(([{ metadata }, reason]) => [metadata.name, reason]))).toEqual(expected);
  });
});

describe('a pod that is deleted so', () => {
  const nowMs = Date.parse('2026-01-31T10:00:00Z');

  it.each([
    {
      name: 'has failed',
      of: pod('a'),
      reason: 'unscheduled',
      patch: { metadata: { uid: 'a' }, status: { phase: 'Failed' } },
    },
    {
      name: 'says that its node is gone',
      of: pod('a'),
      reason: 'orphaned',
      patch: {
        metadata: { uid: 'a' },
        status: {
          phase: 'Failed',
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'DeletionByPodGC',
              message: 'PodGC: node no longer exists',
              lastTransitionTime: '2026-01-31T10:00:00Z',
            },
          ],
        },
      },
    },
    {
      name: 'is left as it is when it is over',
      of: pod('a', { phase: 'Succeeded' }),
      reason: 'orphaned',
      patch: undefined,
    },
  ] as const)('A pod that is deleted so: $name', ({ of, reason, patch }) => {
    expect(failurePatch(of, reason, nowMs)).toEqual(patch);
  });
});

it('Nodes that pods are on and that are not known are missing', () => {
  const pods = [pod('a', { node: 'x' }), pod('b', { node: 'x' }), pod('c', { node: 'known' }), pod('d')];
  expect([...missingNodes(pods, (name) => name === 'known')]).toEqual(['x']);
});
