import { describe, expect, test } from 'vitest';
import type { PodAffinityTerm, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { defaultPluginArgs } from '../../config/plugin-args.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import { judgements, type TestCluster, testCluster, zonedNodes } from '../../testing/cluster.ts';
import { node, pod, podInfo, scoresOf, type TestPod } from '../../testing/objects.ts';
import { createInterPodAffinity } from './plugin.ts';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const args = defaultPluginArgs.InterPodAffinity;
const namespaces: Record<string, Record<string, string>> = { default: { team: 'x' }, other: { team: 'y' } };

const pluginOf = (scene: TestCluster, more = {}) =>
  createInterPodAffinity({ ...args, ...more }, { ...scene, namespaceLabels: (name) => namespaces[name] });

const term = (app: string, topologyKey = zone, more: PodAffinityTerm = {}): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
  ...more,
});
const wants = (...terms: PodAffinityTerm[]): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const avoids = (...terms: PodAffinityTerm[]): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});

const on = (name: string, app: string, more: TestPod = {}): TestPod => ({
  name: `${app}-${name}`,
  node: name,
  labels: { app },
  ...more,
});
const fits = 'fits';
const noAffinity = "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
const noAntiAffinity = "Unschedulable: node(s) didn't match pod anti-affinity rules";
const refusedByOthers = "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";
const skipped = { a1: 'skipped', a2: 'skipped', b1: 'skipped' };

describe('a pod on nodes in two zones', () => {
  test.each<{ name: string; there: TestPod[]; spec: Partial<PodSpec>; is: Record<string, string>; app?: string }>([
    { name: 'without terms', there: [on('a1', 'db')], spec: {}, is: skipped },
    {
      name: 'goes where the other is',
      there: [on('a1', 'db')],
      spec: wants(term('db')),
      is: { a1: fits, a2: fits, b1: noAffinity },
    },
    {
      name: 'goes to the node of the other',
      there: [on('a1', 'db')],
      spec: wants(term('db', host)),
      is: { a1: fits, a2: noAffinity, b1: noAffinity },
    },
    {
      name: 'wants what is not there',
      there: [],
      spec: wants(term('db')),
      is: { a1: noAffinity, a2: noAffinity, b1: noAffinity },
    },
    { name: 'is the first of its kind', there: [], spec: wants(term('web')), is: { a1: fits, a2: fits, b1: fits } },
    {
      name: 'wants a label that no node has',
      there: [on('a1', 'web')],
      spec: wants(term('web', 'rack')),
      is: { a1: noAffinity, a2: noAffinity, b1: noAffinity },
    },
    {
      name: 'wants two things of one pod',
      there: [on('a1', 'db'), on('b1', 'db', { labels: { app: 'db', tier: '1' } })],
      spec: wants(term('db'), { topologyKey: zone, labelSelector: { matchLabels: { tier: '1' } } }),
      is: { a1: noAffinity, a2: noAffinity, b1: fits },
    },
    {
      name: 'does not see other namespaces',
      there: [on('a1', 'db', { namespace: 'other' })],
      spec: wants(term('db')),
      is: { a1: noAffinity, a2: noAffinity, b1: noAffinity },
    },
    {
      name: 'names a namespace',
      there: [on('a1', 'db', { namespace: 'other' })],
      spec: wants(term('db', zone, { namespaces: ['other'] })),
      is: { a1: fits, a2: fits, b1: noAffinity },
    },
    {
      name: 'selects namespaces',
      there: [on('a1', 'db', { namespace: 'other' }), on('b1', 'db')],
      spec: wants(term('db', zone, { namespaceSelector: { matchLabels: { team: 'y' } } })),
      is: { a1: fits, a2: fits, b1: noAffinity },
    },
    {
      name: 'selects all namespaces',
      there: [on('a1', 'db', { namespace: 'other' })],
      spec: wants(term('db', zone, { namespaceSelector: {} })),
      is: { a1: fits, a2: fits, b1: noAffinity },
    },
    {
      name: 'avoids another',
      there: [on('a1', 'db')],
      spec: avoids(term('db')),
      is: { a1: noAntiAffinity, a2: noAntiAffinity, b1: fits },
    },
    {
      name: 'is avoided',
      there: [on('a1', 'db', { spec: avoids(term('web')) })],
      spec: {},
      is: { a1: refusedByOthers, a2: refusedByOthers, b1: fits },
    },
    {
      name: 'is avoided under another name',
      there: [on('a1', 'db', { spec: avoids(term('web')) })],
      spec: {},
      app: 'cache',
      is: skipped,
    },
  ])('A pod on nodes in two zones: $name', ({ there, spec, is, app = 'web' }) => {
    const scene = testCluster(zonedNodes('a1', 'a2', 'b1'), there);
    expect(judgements(pluginOf(scene), podInfo({ labels: { app }, spec }), scene.cluster)).toEqual(is);
  });

  test('A pod on nodes in two zones with terms that cannot be read is an error', () => {
    const broken = wants({ topologyKey: zone, labelSelector: { matchLabels: { '%': '' } } });
    const scene = testCluster([]);
    expect(pluginOf(scene).preFilter(new CycleState(), podInfo({ spec: broken }))?.status?.code).toBe('Error');
  });

  test('A pod on nodes in two zones fits where the pod that it avoids is removed in a trial, and only there', () => {
    const scene = testCluster(zonedNodes('a1', 'b1'), [on('a1', 'db'), on('b1', 'db')]);
    const plugin = pluginOf(scene);
    const info = podInfo({ labels: { app: 'web' }, spec: avoids(term('db')) });
    const state = new CycleState();
    plugin.preFilter(state, info);
    const trial = state.clone();
    const a1 = scene.cluster.node('a1')!;
    const [victim] = [...a1.pods.values()];
    plugin.removePod!(trial, info, victim!, a1);
    expect(plugin.filter(trial, info, a1)).toBeUndefined();
    expect(plugin.filter(state, info, a1)).toBeDefined();
    plugin.addPod!(trial, info, victim!, a1);
    expect(plugin.filter(trial, info, a1)).toBeDefined();
  });
});

describe('scores', () => {
  const preferring = (weight: number, ...terms: PodAffinityTerm[]) => ({
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: terms.map((podAffinityTerm) => ({ weight, podAffinityTerm })),
    },
  });
  const disliking = (weight: number, podAffinityTerm: PodAffinityTerm) => ({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
  });
  test.each<{ name: string; there: TestPod[]; spec: Partial<PodSpec>; more?: object; scores: number[] | 'skipped' }>([
    { name: 'without terms', there: [on('a1', 'db')], spec: {}, scores: 'skipped' },
    {
      name: 'by preference',
      there: [on('a1', 'db')],
      spec: { affinity: preferring(10, term('db')) },
      scores: [100, 100, 0],
    },
    {
      name: 'by number of pods',
      there: [on('a1', 'db'), on('b1', 'db'), on('b1', 'db', { name: 'second' })],
      spec: { affinity: preferring(10, term('db')) },
      scores: [0, 0, 100],
    },
    {
      name: 'by dislike',
      there: [on('a1', 'db')],
      spec: { affinity: disliking(10, term('db', host)) },
      scores: [0, 100, 100],
    },
    {
      name: 'by the preference of others',
      there: [on('b1', 'db', { spec: { affinity: preferring(5, term('web')) } })],
      spec: {},
      scores: [0, 0, 100],
    },
    {
      name: 'not by the preference of others that is ignored',
      there: [on('b1', 'db', { spec: { affinity: preferring(5, term('web')) } })],
      spec: {},
      more: { ignorePreferredTermsOfExistingPods: true },
      scores: 'skipped',
    },
    {
      name: 'by what others require',
      there: [on('b1', 'db', { spec: wants(term('web')) })],
      spec: {},
      scores: [0, 0, 100],
    },
    {
      name: 'not by what others require without weight',
      there: [on('b1', 'db', { spec: wants(term('web')) })],
      spec: {},
      more: { hardPodAffinityWeight: 0 },
      scores: 'skipped',
    },
  ])('Scores of inter-pod affinity: $name', ({ there, spec, more, scores }) => {
    const scene = testCluster(zonedNodes('a1', 'a2', 'b1'), there);
    const plugin = pluginOf(scene, more);
    const state = new CycleState();
    const info = podInfo({ labels: { app: 'web' }, spec });
    const nodes = ['a1', 'a2', 'b1'].map((name) => scene.cluster.node(name)!);
    const status = plugin.preScore(state, info, nodes);
    expect(status === undefined ? scoresOf(plugin, state, info, nodes) : 'skipped').toEqual(scores);
  });
});

describe('a refused pod', () => {
  const { events } = pluginOf(testCluster([]));
  const [ofPods, ofNodes] = [events[0]!.hint!, events[1]!.hint!];
  const db = pod(on('a1', 'db'));
  const cache = pod(on('a1', 'cache'));
  test.each([
    { name: 'is woken when what it wants comes', spec: wants(term('db')), before: undefined, after: db, wakes: true },
    {
      name: 'sleeps when something else comes',
      spec: wants(term('db')),
      before: undefined,
      after: cache,
      wakes: false,
    },
    { name: 'is woken when a pod becomes it', spec: wants(term('db')), before: cache, after: db, wakes: true },
    { name: 'sleeps when what it wants goes', spec: wants(term('db')), before: db, after: undefined, wakes: false },
    { name: 'is woken when what it avoids goes', spec: avoids(term('db')), before: db, after: undefined, wakes: true },
    { name: 'sleeps when what it avoids comes', spec: avoids(term('db')), before: undefined, after: db, wakes: false },
    {
      name: 'is woken when who avoids it goes',
      spec: {},
      before: pod(on('a1', 'db', { spec: avoids(term('web')) })),
      after: undefined,
      wakes: true,
    },
  ])('A pod refused by inter-pod affinity: $name', ({ spec, before, after, wakes }) => {
    expect(ofPods(pod({ labels: { app: 'web' }, spec }), before, after)).toBe(wakes);
  });

  test.each([
    { name: 'is woken by a node in a zone', labels: { [zone]: 'c' }, before: undefined, wakes: true },
    { name: 'sleeps when a node without zone comes', labels: {}, before: undefined, wakes: false },
    { name: 'is woken by a node that gets a zone', labels: { [zone]: 'c' }, before: {}, wakes: true },
    { name: 'sleeps when the zone stays', labels: { [zone]: 'c', x: 'y' }, before: { [zone]: 'c' }, wakes: false },
  ])('A pod refused by inter-pod affinity: $name', ({ labels, before, wakes }) => {
    const refused = pod({ spec: wants(term('db')) });
    const of = (all: object) => node({ labels: all as Record<string, string> });
    expect(ofNodes(refused, before && of(before), of(labels))).toBe(wakes);
  });
});
