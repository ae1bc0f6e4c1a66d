import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import {
  type PodMetric,
  replicasByAverage,
  replicasByRatio,
  replicasByShare,
  replicasByUtilization,
  requestsOf,
} from './usage.ts';

const nowMs = Date.UTC(2024, 0, 1, 1);
const long = '2024-01-01T00:00:00Z';
const options = { tolerance: 0.1, cpuInitializationPeriodMs: 300_000, initialReadinessDelayMs: 30_000 };

interface PodOptions {
  readonly ready?: boolean;
  readonly phase?: string;
  readonly startTime?: string;
  readonly changed?: string;
  readonly deleted?: boolean;
}
const pod = (
  name: string,
  { ready = true, phase = 'Running', startTime = long, changed = long, deleted = false }: PodOptions = {},
): Pod =>
  ({
    metadata: { name, ...(deleted ? { deletionTimestamp: long } : {}) },
    spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }] },
    status: {
      phase,
      startTime,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: changed }],
    },
  }) as unknown as Pod;
const metric = (value: number, timestampMs = nowMs): PodMetric => ({ value, timestampMs, windowMs: 30_000 });
const metricsOf = (values: Readonly<Record<string, number>>): Map<string, PodMetric> =>
  new Map(Object.entries(values).map(([name, value]) => [name, metric(value)]));

const run = (pods: readonly Pod[], values: Readonly<Record<string, number>>, target: number, isCpu = true) => {
  const input = { pods, metrics: metricsOf(values), currentReplicas: pods.length, options, nowMs, isCpu };
  return replicasByUtilization(input, target, requestsOf(pods, 'cpu'));
};
const three = [pod('a'), pod('b'), pod('c')];

interface Row {
  readonly name: string;
  readonly pods: readonly Pod[];
  readonly used: Readonly<Record<string, number>>;
}

describe('replicas by what pods use of their requests', () => {
  test.each<Row & { readonly target: number; readonly replicas: number }>([
    { name: 'twice the target', pods: three, used: { a: 1000, b: 1000, c: 1000 }, target: 50, replicas: 6 },
    { name: 'half of the target', pods: three, used: { a: 250, b: 250, c: 250 }, target: 50, replicas: 2 },
    { name: 'within the tolerance', pods: three, used: { a: 540, b: 540, c: 540 }, target: 50, replicas: 3 },
    {
      name: 'more, with a pod that says nothing: it counts as idle',
      pods: three,
      used: { a: 1000, b: 1000 },
      target: 50,
      replicas: 4,
    },
    {
      name: 'less, with a pod that says nothing: it counts as the whole request',
      pods: three,
      used: { a: 100, b: 100 },
      target: 50,
      replicas: 3,
    },
    {
      name: 'more, with a pod that starts: it counts as idle',
      pods: [...three, pod('d', { phase: 'Pending' })],
      used: { a: 1000, b: 1000, c: 1000 },
      target: 50,
      replicas: 6,
    },
    {
      name: 'less, with a pod that starts: it does not count',
      pods: [...three, pod('d', { phase: 'Pending' })],
      used: { a: 250, b: 250, c: 250 },
      target: 50,
      replicas: 2,
    },
    {
      name: 'the target, with a pod that is being deleted',
      pods: [...three, pod('d', { deleted: true })],
      used: { a: 500, b: 500, c: 500, d: 9000 },
      target: 50,
      replicas: 4,
    },
  ])('Replicas by what pods use of their requests: $name', ({ pods, used, target, replicas }) => {
    expect(run(pods, used, target).replicas).toBe(replicas);
  });

  test('The average and the percentage are shown', () => {
    expect(run(three, { a: 400, b: 500, c: 600 }, 50)).toEqual({ replicas: 3, average: 500, utilization: 50 });
  });

  test.each<Row & { readonly message: string }>([
    { name: 'there are no pods', pods: [], used: {}, message: 'no pods returned by selector' },
    { name: 'no pod says anything', pods: three, used: {}, message: 'did not receive metrics for targeted pods' },
    {
      name: 'all pods start',
      pods: [pod('a', { phase: 'Pending' })],
      used: { a: 1 },
      message: 'did not receive metrics',
    },
  ])('Nothing is proposed when $name', ({ pods, used, message }) => {
    expect(() => run(pods, used, 50)).toThrow(message);
  });

  test('A container without a request is named', () => {
    expect(() => requestsOf(three, 'memory')).toThrow('missing request for memory in container app of Pod a');
  });
});

describe('the CPU of a pod that starts', () => {
  const recent = '2024-01-01T00:59:00Z';
  test.each([
    { name: 'counts long after its start', pod: pod('d'), counts: true },
    {
      name: 'does not count before it is ready',
      pod: pod('d', { ready: false, startTime: recent, changed: recent }),
      counts: false,
    },
    {
      name: 'counts once it was measured for a while',
      pod: pod('d', { startTime: recent, changed: recent }),
      counts: true,
    },
    {
      name: 'does not count when it was just ready',
      pod: pod('d', { startTime: recent, changed: '2024-01-01T00:59:40Z' }),
      counts: false,
    },
    { name: 'counts when it stopped being ready', pod: pod('d', { ready: false, changed: recent }), counts: true },
    { name: 'does not count when it was never ready', pod: pod('d', { ready: false, changed: long }), counts: false },
  ])('The CPU of a pod that starts: $name', ({ pod: starting, counts }) => {
    const used = { a: 500, d: 5000 };
    expect(run([pod('a'), starting], used, 50).average).toBe(counts ? 2750 : 500);
  });

  test('The CPU of a pod that starts counts where the number is not of CPU', () => {
    const starting = pod('d', { ready: false, startTime: recent, changed: recent });
    expect(run([pod('a'), starting], { a: 500, d: 5000 }, 50, false).average).toBe(2750);
  });
});

test('Replicas by an average count pods without a number as the target, or as idle', () => {
  const input = { pods: three, currentReplicas: 3, options, nowMs, isCpu: false };
  expect(replicasByAverage({ ...input, metrics: metricsOf({ a: 20, b: 20, c: 20 }) }, 10).replicas).toBe(6);
  expect(replicasByAverage({ ...input, metrics: metricsOf({ a: 20, b: 20 }) }, 10).replicas).toBe(4);
  expect(replicasByAverage({ ...input, metrics: metricsOf({ a: 2, b: 2 }) }, 10).replicas).toBe(2);
});

test.each([
  { name: 'a number at its target', ratio: 1.05, current: 3, replicas: 3 },
  { name: 'a number at twice its target', ratio: 2, current: 3, replicas: 6 },
  { name: 'no pods yet', ratio: 1.5, current: 0, replicas: 2 },
])('Replicas by $name', ({ ratio, current, replicas }) => {
  expect(replicasByRatio(ratio, current, three, 0.1)).toBe(replicas);
});

test.each([
  { name: 'within the tolerance', value: 31, replicas: 3 },
  { name: 'above it', value: 50, replicas: 5 },
  { name: 'below it', value: 11, replicas: 2 },
])('Replicas by a share of ten for each of three pods, $name', ({ value, replicas }) => {
  expect(replicasByShare(value, 10, 3, 0.1)).toBe(replicas);
});
