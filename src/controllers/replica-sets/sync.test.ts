import { describe, expect, test } from 'vitest';
import type { ReplicaSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { formatMs } from '../shared/times.ts';
import { isStatusChanged, podsToChange, statusOf } from './sync.ts';
import { ageRatios } from './metrics.ts';
import { victimsOf } from './victims.ts';

/** Milliseconds since 1970. */
const nowMs = Date.parse('2026-01-01T12:00:00Z');

interface PodFacts {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds for which the pod has been ready; not ready when absent. */
  readonly readyFor?: number;
  /** In seconds. */
  readonly age?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly labels?: Record<string, string>;
}

function pod(name: string, facts: PodFacts = {}): Pod {
  const { node = 'n', phase = 'Running', readyFor, age = 3600, cost, restarts = 0, labels = { app: 'web' } } = facts;
  const ago = (seconds: number): string => formatMs(nowMs - seconds * 1000);
  const annotations = cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost };
  return {
    metadata: { name, namespace: 'default', uid: name, labels, annotations, creationTimestamp: ago(age) },
    spec: { containers: [], ...(node === '' ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: readyFor === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor) }],
      containerStatuses: [
        { name: 'c', image: '', imageID: '', ready: true, restartCount: restarts, state: {}, lastState: {} },
      ],
    },
  } as Pod;
}

test.each([
  { name: 'as many as are missing', wanted: 3, active: 1, change: 2 },
  { name: 'none when all are there', wanted: 3, active: 3, change: 0 },
  { name: 'fewer when there are too many', wanted: 1, active: 3, change: -2 },
  { name: 'at most 500 more at once', wanted: 5000, active: 0, change: 500 },
  { name: 'at most 500 fewer at once', wanted: 0, active: 5000, change: -500 },
])('Pods to make or to delete: $name', ({ wanted, active, change }) => {
  expect(podsToChange(wanted, active)).toBe(change);
});

describe('the first of two pods to go', () => {
  test.each<{ name: string; goes: PodFacts; stays: PodFacts }>([
    { name: 'has no node', goes: { node: '', readyFor: 60 }, stays: {} },
    { name: 'is pending', goes: { phase: 'Pending' }, stays: { phase: 'Running' } },
    { name: 'is not known', goes: { phase: 'Unknown' }, stays: { phase: 'Running' } },
    { name: 'is not ready', goes: {}, stays: { readyFor: 10 } },
    { name: 'costs less', goes: { readyFor: 60, cost: '-1' }, stays: { readyFor: 60 } },
    { name: 'has not been ready for as long', goes: { readyFor: 10 }, stays: { readyFor: 3000 } },
    { name: 'has restarted more often', goes: { readyFor: 60, restarts: 3 }, stays: { readyFor: 60 } },
    { name: 'is younger', goes: { readyFor: 60, age: 100 }, stays: { readyFor: 60, age: 10_000 } },
  ])('The first of two pods to go $name', ({ goes, stays }) => {
    const pods = [pod('stays', stays), pod('goes', goes)];
    expect(victimsOf(pods, 1, pods, nowMs).map(({ metadata }) => metadata.name)).toEqual(['goes']);
  });

  test('The first of two pods to go is on the node with more pods of the same Deployment', () => {
    const pods = [pod('alone', { node: 'a', readyFor: 60 }), pod('crowded', { node: 'b', readyFor: 60 })];
    const related = [...pods, pod('other', { node: 'b', readyFor: 60 })];
    expect(victimsOf(pods, 1, related, nowMs).map(({ metadata }) => metadata.name)).toEqual(['crowded']);
  });
});

describe('the ages of pods that are deleted', () => {
  const young = pod('young', { readyFor: 5, age: 10 });
  const old = pod('old', { readyFor: 5, age: 40 });
  test.each([
    {
      name: 'are those of ready pods in ages of the youngest',
      victims: [young, old],
      pods: [young, old],
      ratios: [1, 4],
    },
    {
      name: 'leave out pods that are not ready',
      victims: [pod('a', { age: 1 }), old],
      pods: [young, old],
      ratios: [4],
    },
    {
      name: 'are none right after a pod was made',
      victims: [old],
      pods: [old, pod('b', { readyFor: 0, age: 0 })],
      ratios: [],
    },
    { name: 'are none where no pod is ready', victims: [pod('c')], pods: [pod('c'), pod('d')], ratios: [] },
  ])('The ages of pods that are deleted $name', ({ victims, pods, ratios }) => {
    expect(ageRatios(victims, pods, nowMs)).toEqual(ratios);
  });
});

describe('the status of a ReplicaSet', () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };
  const input = {
    before: {} as ReplicaSetStatus,
    ...{
      generation: 4,
      template,
      minReadySeconds: 0,
      pods: [] as readonly Pod[],
      change: 0,
      failure: undefined,
      nowMs,
    },
  };
  const failed = (message: string, at = nowMs) => [
    {
      type: 'ReplicaFailure',
      status: 'True' as const,
      reason: 'FailedCreate',
      message,
      lastTransitionTime: formatMs(at),
    },
  ];

  test.each<{ name: string; with: Partial<typeof input> | { failure: Error }; status: Partial<ReplicaSetStatus> }>([
    {
      name: 'counts its pods',
      with: { pods: [pod('a', { readyFor: 5 }), pod('b'), pod('c', { labels: { app: 'other' } })] },
      status: { replicas: 3, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 2, observedGeneration: 4 },
    },
    {
      name: 'counts pods as available once they have been ready for long enough',
      with: { minReadySeconds: 30, pods: [pod('a', { readyFor: 29 }), pod('b', { readyFor: 30 })] },
      status: { readyReplicas: 2, availableReplicas: 1 },
    },
    {
      name: 'counts no pod as available that became ready in the future',
      with: { minReadySeconds: 30, pods: [pod('a', { readyFor: -3600 })] },
      status: { readyReplicas: 1, availableReplicas: 0 },
    },
    {
      name: 'says why pods could not be made',
      with: { change: 2, failure: new Error('no') } as object,
      status: { conditions: failed('no') },
    },
    {
      name: 'keeps what it said first while that goes on',
      with: { before: { conditions: failed('first', nowMs - 1000) }, change: 2, failure: new Error('no') } as object,
      status: { conditions: failed('first', nowMs - 1000) },
    },
    {
      name: 'takes back what is over',
      with: { before: { conditions: failed('first') } },
      status: { conditions: [] },
    },
  ])('The status of a ReplicaSet $name', ({ with: more, status }) => {
    expect(statusOf({ ...input, ...more })).toMatchObject(status);
  });

  test('Counts of 0, which the server leaves out, are no change', () => {
    expect(isStatusChanged({ observedGeneration: 4 }, statusOf(input))).toBe(false);
    expect(isStatusChanged({ observedGeneration: 3 }, statusOf(input))).toBe(true);
  });
});
