import { expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/gen/types/policy-v1.ts';
import { budgetView, expectationOf, failedStatus, needsScale, staleAfterMs, undisrupted } from './sync.ts';
import { shownSelector } from '../shared/shown-selector.ts';

const nowMs = Date.UTC(2024, 0, 1, 0, 10);
const now = '2024-01-01T00:10:00Z';
const budget = (status: object = {}): PodDisruptionBudget =>
  ({ metadata: { name: 'b', namespace: 'n', generation: 2 }, spec: {}, status }) as unknown as PodDisruptionBudget;
const pod = (name: string, { ready = true, metadata = {}, status = {} } = {}): Pod =>
  ({
    metadata: { name, namespace: 'n', ...metadata },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }], ...status },
  }) as unknown as Pod;

test.each([
  { name: 'a number of available pods', spec: { minAvailable: 2 }, scale: false, expected: [3, 2] },
  { name: 'a part of available pods, rounded up', spec: { minAvailable: '50%' }, scale: true, expected: [5, 3] },
  { name: 'a number of unavailable pods', spec: { maxUnavailable: 1 }, scale: true, expected: [5, 4] },
  { name: 'more unavailable pods than there are', spec: { maxUnavailable: 9 }, scale: true, expected: [5, 0] },
  { name: 'a part of unavailable pods, rounded up', spec: { maxUnavailable: '30%' }, scale: true, expected: [5, 3] },
  { name: 'nothing', spec: {}, scale: false, expected: [0, 0] },
])('Expected and healthy pods of three pods with scale 5, by $name', ({ spec, scale, expected }) => {
  const { expectedPods, desiredHealthy } = expectationOf(spec, 3, 5);
  expect([expectedPods, desiredHealthy]).toEqual(expected);
  expect(needsScale(spec)).toBe(scale);
});

const condition = (status: string, reason: string, more: object = {}): object => ({
  type: 'DisruptionAllowed',
  status,
  reason,
  message: '',
  observedGeneration: 2,
  lastTransitionTime: now,
  ...more,
});

test.each([
  { name: 'more healthy pods than needed', pods: [pod('a'), pod('b')], wanted: 1, allowed: 1, healthy: 2 },
  { name: 'as many as needed', pods: [pod('a'), pod('b', { ready: false })], wanted: 1, allowed: 0, healthy: 1 },
  { name: 'fewer than needed', pods: [pod('a')], wanted: 2, allowed: 0, healthy: 1 },
  {
    name: 'a pod that is being deleted',
    pods: [pod('a'), pod('b', { metadata: { deletionTimestamp: now } })],
    wanted: 0,
    allowed: 1,
    healthy: 1,
  },
])('Evictions are allowed by $name', ({ pods, wanted, allowed, healthy }) => {
  const view = budgetView(budget(), pods, { expectedPods: pods.length, desiredHealthy: wanted }, nowMs);
  expect(view.status).toEqual({
    observedGeneration: 2,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: wanted,
    expectedPods: pods.length,
    conditions: [allowed > 0 ? condition('True', 'SufficientPods') : condition('False', 'InsufficientPods')],
  });
});

test('A budget without expected pods allows no eviction', () => {
  const view = budgetView(budget(), [pod('a')], { expectedPods: 0, desiredHealthy: 0 }, nowMs);
  expect(view.status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 });
});

test('A status that says what there is is not written, and a condition keeps its time', () => {
  const { status } = budgetView(budget(), [pod('a')], { expectedPods: 1, desiredHealthy: 0 }, nowMs);
  expect(
    budgetView(budget(status), [pod('a')], { expectedPods: 1, desiredHealthy: 0 }, nowMs + 60_000).status,
  ).toBeUndefined();
  const later = budgetView(
    budget(status),
    [pod('a'), pod('b')],
    { expectedPods: 2, desiredHealthy: 0 },
    nowMs + 60_000,
  );
  expect(later.status?.conditions).toEqual([condition('True', 'SufficientPods')]);
});

test('Pods whose eviction was allowed count as gone for two minutes', () => {
  const disruptedPods = { a: '2024-01-01T00:09:00Z', b: '2024-01-01T00:07:59Z', gone: now, c: now };
  const pods = [pod('a'), pod('b'), pod('c', { metadata: { deletionTimestamp: now } }), pod('d')];
  const view = budgetView(budget({ disruptedPods }), pods, { expectedPods: 4, desiredHealthy: 1 }, nowMs);
  expect(view.status).toMatchObject({ disruptedPods: { a: '2024-01-01T00:09:00Z' }, currentHealthy: 2 });
  expect(view.recheckAfterMs).toBe(60_000);
  expect(view.notDeleted.map(({ metadata }) => metadata.name)).toEqual(['b']);
});

test('A budget that cannot be computed allows nothing and says why, once', () => {
  const before = { disruptionsAllowed: 3, currentHealthy: 4, observedGeneration: 1 };
  const failed = failedStatus(budget(before), 'no scale', nowMs);
  expect(failed).toEqual({
    disruptionsAllowed: 0,
    currentHealthy: 4,
    observedGeneration: 1,
    conditions: [condition('False', 'SyncFailed', { message: 'no scale', observedGeneration: 1 })],
  });
  expect(failedStatus(budget(failed), 'no scale', nowMs + 60_000)).toBeUndefined();
});

const disrupted = (lastTransitionTime: string, reason = 'EvictionByEvictionAPI') => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'm', lastTransitionTime }],
});

test.each([
  { name: 'says nothing', pod: pod('a'), expected: undefined },
  {
    name: 'was to be disrupted a minute ago',
    pod: pod('a', { status: disrupted('2024-01-01T00:09:00Z') }),
    expected: 60_000,
  },
  { name: 'was to be disrupted long ago', pod: pod('a', { status: disrupted('2024-01-01T00:00:00Z') }), expected: 0 },
  {
    name: 'is being deleted',
    pod: pod('a', { status: disrupted('2024-01-01T00:00:00Z'), metadata: { deletionTimestamp: now } }),
    expected: undefined,
  },
  {
    name: 'is ended by its kubelet',
    pod: pod('a', { status: disrupted('2024-01-01T00:00:00Z', 'TerminationByKubelet') }),
    expected: undefined,
  },
  {
    name: 'is over',
    pod: pod('a', { status: { ...disrupted('2024-01-01T00:00:00Z'), phase: 'Failed' } }),
    expected: undefined,
  },
])('How long a condition DisruptionTarget stays on a pod that $name', ({ pod: of, expected }) => {
  expect(staleAfterMs(of, nowMs)).toBe(expected);
});

test('A pod that is not to be disrupted after all says so without a reason', () => {
  expect(undisrupted(pod('a', { status: disrupted('2024-01-01T00:00:00Z') }), nowMs)).toEqual([
    { type: 'DisruptionTarget', status: 'False', lastTransitionTime: now },
  ]);
});

test.each([
  {
    name: 'labels in order',
    selector: { matchLabels: { b: '2', a: '1' } },
    shown: 'map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
  },
  {
    name: 'expressions',
    selector: { matchExpressions: [{ key: 'a', operator: 'In' as const, values: ['1', '2'] }] },
    shown:
      'map[string]string{},MatchExpressions:[]LabelSelectorRequirement{' +
      'LabelSelectorRequirement{Key:a,Operator:In,Values:[1 2],},},}',
  },
])('A selector is printed with $name', ({ selector, shown }) => {
  expect(shownSelector(selector)).toBe(`&LabelSelector{MatchLabels:${shown}`);
});
