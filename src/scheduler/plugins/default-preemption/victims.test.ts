import { describe, expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import { defaultPluginArgs } from '../../config/plugin-args.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import { Profile, type EnabledPlugins } from '../../framework/profile.ts';
import { NodeStatuses } from '../../framework/node-statuses.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import { NominatedPods } from '../../queue/nominated-pods.ts';
import { testCluster } from '../../testing/cluster.ts';
import { nodeInfo, podInfo, type TestPod } from '../../testing/objects.ts';
import { createNodeResourcesFit } from '../node-resources-fit.ts';
import { createPrioritySort } from '../priority-sort.ts';
import { type Candidate, candidatesToFind, leastHarmful } from './candidates.ts';
import { splitByBudget } from './disruption-budgets.ts';
import { whyNotEligible } from './plugin.ts';
import { selectVictims } from './victims.ts';

const one = (plugin: object) => [{ plugin, weight: 1 }];
const enabled = {
  ...Object.fromEntries(
    [
      'preEnqueue',
      'preFilter',
      'postFilter',
      'preScore',
      'score',
      'reserve',
      'permit',
      'preBind',
      'bind',
      'postBind',
    ].map((point) => [point, []]),
  ),
  queueSort: one(createPrioritySort()),
  filter: one(createNodeResourcesFit(defaultPluginArgs.NodeResourcesFit)),
} as unknown as EnabledPlugins;

const nominated = new NominatedPods();
const profile = new Profile({ schedulerName: 'default-scheduler', enabled, nominated });
const cpu = (name: string, amount: string, priority = 0, more: TestPod = {}): TestPod => ({
  ...{ name, priority, requests: { cpu: amount } },
  ...more,
});
const budget = (app: string, disruptionsAllowed: number, disrupted: string[] = []): PodDisruptionBudget =>
  ({
    metadata: { name: app, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, disruptedPods: Object.fromEntries(disrupted.map((name) => [name, ''])) },
  }) as unknown as PodDisruptionBudget;

describe('on a node with four cpus, for a pod of priority 10 that asks for two, the victims', () => {
  const started = (startTime: string): TestPod => ({ status: { startTime } });
  const app = (name: string): TestPod => ({ labels: { app: name } });
  test.each<{
    name: string;
    there: TestPod[];
    budgets?: PodDisruptionBudget[];
    is: string | string[];
    violations?: number;
  }>([
    {
      name: 'are none of the same priority',
      there: [cpu('a', '4', 10)],
      is: 'No preemption victims found for incoming pod',
    },
    {
      name: 'are none where their removal is not enough',
      there: [cpu('a', '1', 0), cpu('b', '3', 10)],
      is: 'Insufficient cpu',
    },
    { name: 'are the least important', there: [cpu('a', '2', 5), cpu('b', '2', 1)], is: ['b'] },
    { name: 'are as few as possible', there: [cpu('a', '1', 1), cpu('b', '2', 1), cpu('c', '1', 2)], is: ['b'] },
    {
      name: 'are the youngest of equals',
      there: [cpu('a', '2', 0, started('2026-01-02T00:00:00Z')), cpu('b', '2', 0, started('2026-01-01T00:00:00Z'))],
      is: ['a'],
    },
    {
      name: 'are several, the most important first',
      there: [cpu('a', '1', 1), cpu('b', '1', 3), cpu('c', '1', 2), cpu('d', '1', 4)],
      is: ['c', 'a'],
    },
    {
      name: 'are those that no budget keeps',
      there: [cpu('a', '2', 1, app('kept')), cpu('b', '2', 5)],
      budgets: [budget('kept', 0)],
      is: ['b'],
    },
    {
      name: 'break a budget when nothing else helps',
      there: [cpu('a', '4', 1, app('kept'))],
      budgets: [budget('kept', 0)],
      is: ['a'],
      violations: 1,
    },
  ])(
    'On a node with four cpus, for a pod of priority 10 that asks for two, the victims: $name',
    ({ there, budgets = [], is, violations = 0 }) => {
      const node = nodeInfo({}, there);
      const before = node.generation;
      const scene = { profile, state: new CycleState(), pod: podInfo(cpu('p', '2', 10)), budgets };
      const selection = selectVictims(scene, node);
      const found = 'victims' in selection ? selection.victims.pods.map(({ name }) => name) : selection.status.message;
      expect(found).toEqual(is);
      if ('victims' in selection) expect(selection.victims.violations).toBe(violations);
      expect(node.generation).toBe(before);
    },
  );
});

describe('disruption budgets', () => {
  const pods = ['a', 'b', 'c'].map((name) => podInfo({ name, labels: { app: 'web' } }));
  test.each([
    { name: 'keep what is beyond them', budgets: [budget('web', 1)], violating: ['b', 'c'] },
    { name: 'do not count pods twice', budgets: [budget('web', 1, ['a', 'b'])], violating: [] },
    { name: 'are about their pods alone', budgets: [budget('db', 0)], violating: [] },
    { name: 'hold together', budgets: [budget('web', 9), budget('web', 2)], violating: ['c'] },
  ])('Disruption budgets: $name', ({ budgets, violating }) => {
    expect(splitByBudget(pods, budgets).violating.map(({ name }) => name)).toEqual(violating);
  });
});

describe('of several nodes', () => {
  const candidate = (nodeName: string, violations: number, ...pods: (readonly [number, string?])[]): Candidate => ({
    nodeName,
    victims: {
      violations,
      pods: pods.map(([priority, startTime]) =>
        podInfo({ priority, status: startTime === undefined ? {} : { startTime } }),
      ),
    },
  });
  test.each<{ name: string; candidates: Candidate[]; is: string | undefined }>([
    { name: 'none', candidates: [], is: undefined },
    { name: 'fewest broken budgets', candidates: [candidate('a', 1, [0]), candidate('b', 0, [9])], is: 'b' },
    { name: 'lowest highest priority', candidates: [candidate('a', 0, [3]), candidate('b', 0, [2], [2])], is: 'b' },
    {
      name: 'lowest sum of priorities',
      candidates: [candidate('a', 0, [3], [2]), candidate('b', 0, [3], [1])],
      is: 'b',
    },
    { name: 'fewest victims', candidates: [candidate('a', 0, [0], [-2147483648]), candidate('b', 0, [0])], is: 'b' },
    {
      name: 'latest start',
      candidates: [candidate('a', 0, [1, '2026-01-01T00:00:00Z']), candidate('b', 0, [1, '2026-01-02T00:00:00Z'])],
      is: 'b',
    },
    { name: 'the first of equals', candidates: [candidate('a', 0, [1]), candidate('b', 0, [1])], is: 'a' },
  ])('The one with $name is taken: $is', ({ candidates, is }) => expect(leastHarmful(candidates)?.nodeName).toBe(is));

  test.each([
    { nodes: 5, tried: 5 },
    { nodes: 500, tried: 100 },
    { nodes: 5000, tried: 500 },
  ])('Of several nodes $tried of $nodes are tried by preemption', ({ nodes, tried }) => {
    expect(candidatesToFind(nodes, defaultPluginArgs.DefaultPreemption)).toBe(tried);
  });
});

describe('a pod', () => {
  const going = {
    metadata: { name: 'v', deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  };
  const waits = 'not eligible due to a terminating pod on the nominated node.';
  test.each<{ name: string; pod: TestPod; victim?: TestPod; helps?: boolean; is: string | undefined }>([
    { name: 'may preempt', pod: {}, is: undefined },
    {
      name: 'may not when its class says so',
      pod: { spec: { preemptionPolicy: 'Never' } },
      is: 'not eligible due to preemptionPolicy=Never.',
    },
    { name: 'waits for a victim that is going', pod: { priority: 1 }, victim: going, is: waits },
    {
      name: 'does not wait for a pod that is deleted by others',
      pod: { priority: 1 },
      victim: { metadata: going.metadata },
      is: undefined,
    },
    { name: 'does not wait where no removal helps', pod: { priority: 1 }, victim: going, helps: false, is: undefined },
  ])('A pod that would preempt others: $name', ({ pod, victim, helps = true, is }) => {
    const { cluster } = testCluster([{ name: 'n' }], victim === undefined ? [] : [{ ...victim, node: 'n' }]);
    const statuses = new NodeStatuses();
    statuses.set('n', helps ? unschedulable('x', 'y') : unresolvable('x', 'y'));
    const nominated = victim === undefined ? {} : { status: { nominatedNodeName: 'n' } };
    expect(whyNotEligible(podInfo({ ...pod, ...nominated }), statuses, cluster)).toBe(is);
  });
});
