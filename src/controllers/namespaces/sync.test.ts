import { describe, expect, it } from 'vitest';
import type { NamespaceCondition, Pod } from '../../api/gen/types/core-v1.ts';
import { conditionsAfter, discoveryFailureOf, type Findings, graceSeconds, nextLookMs } from './sync.ts';

const nowMs = Date.parse('2026-01-31T10:00:00Z');
const now = '2026-01-31T10:00:00Z';
const fine: Findings = { discoveryFailure: undefined, deletionFailures: [], remaining: [] };

const said = (findings: Partial<Findings>): Record<string, string> =>
  Object.fromEntries(
    conditionsAfter([], { ...fine, ...findings }, nowMs)!.map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  );

const remaining = (group: string, resource: string, count: number, finalizers: Record<string, number> = {}) => ({
  group,
  resource,
  count,
  finalizers: new Map(Object.entries(finalizers)),
});

describe('the conditions of a namespace that ends', () => {
  it('The conditions of a namespace that ends say that all is well', () => {
    expect(said({})).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure:
        'False ParsedGroupVersions: All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure:
        'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
      NamespaceFinalizersRemaining: 'False ContentHasNoFinalizers: All content-preserving finalizers finished',
    });
  });

  it.each([
    {
      name: 'groups that are unknown',
      findings: {
        discoveryFailure: discoveryFailureOf(
          new Map([['metrics.k8s.io/v1beta1', 'stale GroupVersion discovery: metrics.k8s.io/v1beta1']]),
        ),
      },
      expected: {
        NamespaceDeletionDiscoveryFailure:
          'True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list ' +
          'of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1',
      },
    },
    {
      name: 'what could not be deleted, in order',
      findings: { deletionFailures: ['b failed', 'a failed'] },
      expected: {
        NamespaceDeletionContentFailure:
          'True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a failed, b failed',
      },
    },
    {
      name: 'what remains, and the finalizers of all of it',
      findings: {
        remaining: [
          remaining('', 'pods', 2, { 'example.com/hold': 1 }),
          remaining('example.com', 'things', 1, { 'example.com/hold': 1, 'a/b': 1 }),
          remaining('', 'secrets', 0),
        ],
      },
      expected: {
        NamespaceContentRemaining:
          'True SomeResourcesRemain: Some resources are remaining: pods. has 2 resource instances, ' +
          'things.example.com has 1 resource instances',
        NamespaceFinalizersRemaining:
          'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ' +
          'a/b in 1 resource instances, example.com/hold in 2 resource instances',
      },
    },
  ])('Say $name', ({ findings, expected }) => {
    expect(said(findings)).toMatchObject(expected);
  });

  it('The conditions of a namespace that ends say nothing of the content when no resource is known', () => {
    expect(Object.keys(said({ discoveryFailure: 'no server', remaining: undefined }))).toEqual([
      'NamespaceDeletionDiscoveryFailure',
    ]);
  });

  it('The conditions of a namespace that ends are not written again when they say so already', () => {
    expect(conditionsAfter(conditionsAfter([], fine, 0)!, fine, nowMs)).toBeUndefined();
  });

  it('The conditions of a namespace that ends keep their time while their status stays', () => {
    const before = conditionsAfter([], { ...fine, remaining: [remaining('', 'pods', 2)] }, 0)!;
    const after = conditionsAfter(before, { ...fine, remaining: [remaining('', 'pods', 1)] }, nowMs)!;
    const times = (conditions: readonly NamespaceCondition[]): unknown =>
      conditions.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times(after)).toEqual(times(before));
    const end = conditionsAfter(after, fine, nowMs)!;
    expect(end.find(({ type }) => type === 'NamespaceContentRemaining')?.lastTransitionTime).toBe(now);
  });
});

describe('how long a namespace is let be', () => {
  const pod = (seconds: number, phase = 'Running'): Pod =>
    ({ spec: { terminationGracePeriodSeconds: seconds }, status: { phase } }) as unknown as Pod;

  it.each([
    { name: 'the longest grace of its pods', pods: [pod(30), pod(60)], sinceMs: 0, seconds: 60 },
    { name: 'less by the time since it was deleted', pods: [pod(30)], sinceMs: 12_900, seconds: 18 },
    { name: 'not at all for pods that are over', pods: [pod(30, 'Succeeded')], sinceMs: 0, seconds: 0 },
    { name: 'never less than nothing', pods: [pod(30)], sinceMs: 40_000, seconds: 0 },
  ])('How long a namespace is let be is $name', ({ pods, sinceMs, seconds }) => {
    expect(graceSeconds(pods, sinceMs)).toBe(seconds);
  });

  it.each([
    { name: 'a second at first', estimate: 15, waitedMs: 0, expected: 1000 },
    { name: 'a quarter of the time that it has taken', estimate: 15, waitedMs: 20_000, expected: 5000 },
    { name: 'at most half of the estimate and a second', estimate: 15, waitedMs: 600_000, expected: 8000 },
  ])('A namespace with content left is let be for $name', ({ estimate, waitedMs, expected }) => {
    expect(nextLookMs(estimate, waitedMs)).toBe(expected);
  });
});
