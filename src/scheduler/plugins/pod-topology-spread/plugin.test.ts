import { describe, expect, test } from 'vitest';
import type { Service } from '../../../api/gen/types/core-v1.ts';
import type { TopologySpreadConstraint } from '../../../api/gen/types/core-v1.ts';
import { defaultPluginArgs } from '../../config/plugin-args.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import { judgements, type TestCluster, testCluster, zonedNodes } from '../../testing/cluster.ts';
import { node, pod, podInfo, scoresOf, type TestNode, type TestPod } from '../../testing/objects.ts';
import type { WorkloadReader } from './default-selector.ts';
import { createPodTopologySpread } from './plugin.ts';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const labels = { app: 'web' };
const none: WorkloadReader = {
  servicesIn: () => [],
  replicationController: () => undefined,
  replicaSet: () => undefined,
  statefulSet: () => undefined,
};

const pluginOf = (scene: TestCluster, workloads: Partial<WorkloadReader> = {}, args = {}) =>
  createPodTopologySpread(
    { ...defaultPluginArgs.PodTopologySpread, ...args },
    { ...scene, workloads: { ...none, ...workloads } },
  );

const spread = (more: TopologySpreadConstraint = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: zone,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: labels },
  ...more,
});
/** One pod on each of the nodes. */
const on = (...nodes: string[]): TestPod[] => nodes.map((name, i) => ({ name: `w${i}`, node: name, labels }));
const fits = 'fits';
const uneven = "Unschedulable: node(s) didn't match pod topology spread constraints";
const unlabelled =
  "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)";

describe('a pod with constraints that must hold', () => {
  const nodes = zonedNodes('a1', 'a2', 'b1');
  const tainted: TestNode = {
    name: 'c1',
    labels: { [zone]: 'c' },
    spec: { taints: [{ key: 't', effect: 'NoSchedule' }] },
  };
  test.each<{
    name: string;
    nodes?: TestNode[];
    there: TestPod[];
    constraints: TopologySpreadConstraint[];
    spec?: TestPod['spec'];
    is: Record<string, string>;
  }>([
    { name: 'goes anywhere first', there: [], constraints: [spread()], is: { a1: fits, a2: fits, b1: fits } },
    {
      name: 'goes to the zone with fewer pods',
      there: on('a1'),
      constraints: [spread()],
      is: { a1: uneven, a2: uneven, b1: fits },
    },
    {
      name: 'may be one more with a skew of two',
      there: on('a1'),
      constraints: [spread({ maxSkew: 2 })],
      is: { a1: fits, a2: fits, b1: fits },
    },
    {
      name: 'does not count when it is none of them',
      there: on('a1'),
      constraints: [spread({ labelSelector: { matchLabels: { app: 'web', tier: 'x' } } })],
      is: { a1: fits, a2: fits, b1: fits },
    },
    {
      name: 'is held to all constraints',
      there: on('a1', 'b1'),
      constraints: [spread(), spread({ topologyKey: host })],
      is: { a1: uneven, a2: fits, b1: uneven },
    },
    {
      name: 'does not go to a node without the label',
      nodes: [...nodes, { name: 'x' }],
      there: on('a1'),
      constraints: [spread()],
      is: { a1: uneven, a2: uneven, b1: fits, x: unlabelled },
    },
    {
      name: 'does not count pods that are being deleted',
      there: on('a1').map((each) => ({ ...each, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })),
      constraints: [spread()],
      is: { a1: fits, a2: fits, b1: fits },
    },
    {
      name: 'does not count pods of other namespaces',
      there: on('a1').map((each) => ({ ...each, namespace: 'other' })),
      constraints: [spread()],
      is: { a1: fits, a2: fits, b1: fits },
    },
    {
      name: 'does not count zones that its affinity leaves out',
      there: on('a1'),
      constraints: [spread()],
      spec: { nodeSelector: { [zone]: 'a' } },
      is: { a1: fits, a2: fits, b1: fits },
    },
    {
      name: 'counts them when the constraint says so',
      there: on('a1'),
      constraints: [spread({ nodeAffinityPolicy: 'Ignore' })],
      spec: { nodeSelector: { [zone]: 'a' } },
      is: { a1: uneven, a2: uneven, b1: fits },
    },
    {
      name: 'counts nodes with taints',
      nodes: [...nodes, tainted],
      there: on('a1', 'b1'),
      constraints: [spread()],
      is: { a1: uneven, a2: uneven, b1: uneven, c1: fits },
    },
    {
      name: 'does not count nodes with taints when the constraint says so',
      nodes: [...nodes, tainted],
      there: on('a1', 'b1'),
      constraints: [spread({ nodeTaintsPolicy: 'Honor' })],
      is: { a1: fits, a2: fits, b1: fits, c1: fits },
    },
    {
      name: 'waits for more zones',
      there: on('a1', 'b1'),
      constraints: [spread({ minDomains: 3 })],
      is: { a1: uneven, a2: uneven, b1: uneven },
    },
    {
      name: 'is compared with pods of its own revision',
      there: [...on('a1'), { name: 'new', node: 'b1', labels: { ...labels, revision: '2' } }],
      constraints: [spread({ matchLabelKeys: ['revision'] })],
      is: { a1: fits, a2: fits, b1: uneven },
    },
  ])('A pod with constraints that must hold: $name', ({ nodes: given = nodes, there, constraints, spec, is }) => {
    const scene = testCluster(given, there);
    const own = { ...labels, revision: '2' };
    const info = podInfo({ labels: own, spec: { ...spec, topologySpreadConstraints: constraints } });
    expect(judgements(pluginOf(scene), info, scene.cluster)).toEqual(is);
  });

  test('A pod with constraints that must hold is not looked at when it has none', () => {
    const info = podInfo({ spec: { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] } });
    expect(pluginOf(testCluster(nodes)).preFilter(new CycleState(), info)?.status?.code).toBe('Skip');
  });

  test('A pod with constraints that must hold is judged anew when pods come and go in a trial', () => {
    const scene = testCluster(nodes, on('a1', 'b1'));
    const plugin = pluginOf(scene);
    const info = podInfo({ labels, spec: { topologySpreadConstraints: [spread()] } });
    const state = new CycleState();
    plugin.preFilter(state, info);
    const [a1, b1] = [scene.cluster.node('a1')!, scene.cluster.node('b1')!];
    const trial = state.clone();
    const [gone] = [...a1.pods.values()];
    plugin.removePod!(trial, info, gone!, a1);
    expect([plugin.filter(trial, info, a1), plugin.filter(trial, info, b1)?.code]).toEqual([
      undefined,
      'Unschedulable',
    ]);
    expect(plugin.filter(state, info, b1)).toBeUndefined();
    plugin.addPod!(trial, info, gone!, a1);
    expect(plugin.filter(trial, info, b1)).toBeUndefined();
  });
});

describe('scores', () => {
  const soft = (more: TopologySpreadConstraint = {}) => spread({ whenUnsatisfiable: 'ScheduleAnyway', ...more });
  const scored = (scene: TestCluster, plugin: ReturnType<typeof pluginOf>, of: TestPod): number[] | 'skipped' => {
    const state = new CycleState();
    const info = podInfo({ labels, ...of });
    const nodes = [...scene.cluster.nodes].sort((a, b) => (a.name < b.name ? -1 : 1));
    const status = plugin.preScore(state, info, nodes);
    return status === undefined ? scoresOf(plugin, state, info, nodes) : 'skipped';
  };
  test.each<{
    name: string;
    nodes: TestNode[];
    there: TestPod[];
    constraint: TopologySpreadConstraint;
    /** Of the scores, the lowest is 0. */
    order: number[];
  }>([
    {
      name: 'are higher in the zone with fewer pods',
      nodes: zonedNodes('a1', 'a2', 'b1'),
      there: on('a1', 'a2', 'b1'),
      constraint: soft(),
      order: [0, 0, 1],
    },
    {
      name: 'are higher on nodes with fewer pods',
      nodes: zonedNodes('a1', 'a2', 'b1'),
      there: on('a1', 'a1', 'b1'),
      constraint: soft({ topologyKey: host }),
      order: [0, 2, 1],
    },
    {
      name: 'are nothing for a node without the label',
      nodes: [...zonedNodes('a1'), { name: 'x' }],
      there: on('a1'),
      constraint: soft(),
      order: [1, 0],
    },
    {
      name: 'are equal without pods',
      nodes: zonedNodes('a1', 'b1'),
      there: [],
      constraint: soft(),
      order: [0, 0],
    },
  ])('Scores of topology spread: $name', ({ nodes, there, constraint, order }) => {
    const scene = testCluster(nodes, there);
    const found = scored(scene, pluginOf(scene), { spec: { topologySpreadConstraints: [constraint] } });
    const ranks = [...new Set(found as number[])].sort((a, b) => a - b);
    expect((found as number[]).map((score) => ranks.indexOf(score))).toEqual(order);
  });

  const service = { metadata: { name: 's' }, spec: { selector: labels } } as unknown as Service;
  const owned = (apiVersion: string, kind: string): TestPod => ({
    metadata: {
      name: 'p',
      namespace: 'default',
      ownerReferences: [{ apiVersion, kind, name: 'o', controller: true }],
      labels,
    },
  });
  const workload = { spec: { selector: { matchLabels: labels } } } as never;
  test.each<{ name: string; workloads: Partial<WorkloadReader>; of?: TestPod; isSpread: boolean }>([
    { name: 'without service or controller', workloads: {}, isSpread: false },
    { name: 'of a service', workloads: { servicesIn: () => [service] }, isSpread: true },
    {
      name: 'of a ReplicaSet',
      workloads: { replicaSet: () => workload },
      of: owned('apps/v1', 'ReplicaSet'),
      isSpread: true,
    },
    {
      name: 'of a StatefulSet',
      workloads: { statefulSet: () => workload },
      of: owned('apps/v1', 'StatefulSet'),
      isSpread: true,
    },
    {
      name: 'of a ReplicationController',
      workloads: { replicationController: () => ({ spec: { selector: labels } }) as never },
      of: owned('v1', 'ReplicationController'),
      isSpread: true,
    },
  ])('Spread by default pods $name: $isSpread', ({ workloads, of = {}, isSpread }) => {
    const scene = testCluster(zonedNodes('a1', 'b1'), on('a1'));
    const found = scored(scene, pluginOf(scene, workloads), of);
    if (isSpread) expect(found).toEqual([expect.any(Number), 100]);
    else expect(found).toBe('skipped');
  });

  test('Scores spread by the list of the configuration in place of the default', () => {
    const scene = testCluster(zonedNodes('a1', 'b1'), on('a1'));
    const args = {
      defaultingType: 'List',
      defaultConstraints: [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule' }],
    };
    const plugin = pluginOf(scene, { servicesIn: () => [service] }, args);
    expect(judgements(plugin, podInfo({ labels }), scene.cluster)).toEqual({ a1: uneven, b1: fits });
    expect(scored(scene, plugin, {})).toBe('skipped');
  });
});

describe('a refused pod', () => {
  const [ofPods, ofNodes] = pluginOf(testCluster([])).events.map(({ hint }) => hint!) as [never, never];
  const hints = { ofPods, ofNodes } as unknown as Record<string, (...all: unknown[]) => boolean>;
  const refused = pod({ labels, spec: { topologySpreadConstraints: [spread()] } });
  const web = pod({ name: 'o', node: 'n', labels });
  const db = pod({ name: 'o', node: 'n', labels: { app: 'db' } });
  test.each([
    { name: 'is woken when one of them comes', before: undefined, after: web, wakes: true },
    { name: 'is woken when one of them goes', before: web, after: undefined, wakes: true },
    { name: 'is woken when one becomes another', before: web, after: db, wakes: true },
    { name: 'sleeps when another pod comes', before: undefined, after: db, wakes: false },
  ])('A pod refused by topology spread: $name', ({ before, after, wakes }) =>
    expect(hints['ofPods']!(refused, before, after)).toBe(wakes),
  );

  test.each([
    { name: 'is woken by a node in a zone', before: undefined, after: { [zone]: 'a' }, wakes: true },
    { name: 'sleeps when a node without zone comes', before: undefined, after: {}, wakes: false },
    { name: 'is woken when a node moves', before: { [zone]: 'a' }, after: { [zone]: 'b' }, wakes: true },
    { name: 'sleeps when a node stays', before: { [zone]: 'a' }, after: { [zone]: 'a', x: 'y' }, wakes: false },
    { name: 'is woken when a node goes', before: { [zone]: 'a' }, after: undefined, wakes: true },
  ])('A pod refused by topology spread: $name', ({ before, after, wakes }) => {
    const of = (all: object | undefined) => all && node({ labels: all as Record<string, string> });
    expect(hints['ofNodes']!(refused, of(before), of(after))).toBe(wakes);
  });
});
