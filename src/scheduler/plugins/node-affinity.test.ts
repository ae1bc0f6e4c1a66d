import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../api/gen/types/core-v1.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { node, nodeInfo, pod, podInfo, scoresOf } from '../testing/objects.ts';
import { createNodeAffinity } from './node-affinity.ts';

const plugin = createNodeAffinity();
const labels = { disk: 'ssd', size: '5', odd: 'x' };
const refusal = "node(s) didn't match Pod's node affinity/selector";

const requiring = (...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const expressing = (...matchExpressions: NodeSelectorRequirement[]): Partial<PodSpec> =>
  requiring({ matchExpressions });
const named = (...values: string[]): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator: 'In', values }],
});

/** What PreFilter and Filter make of a pod on the node `n`. */
function judged(spec: Partial<PodSpec>, using = plugin): string {
  const state = new CycleState();
  const info = podInfo({ spec });
  const result = using.preFilter(state, info);
  if (result?.status !== undefined) return result.status.code === 'Skip' ? 'skipped' : result.status.message;
  if (result?.nodeNames?.has('n') === false) return 'not looked at';
  return using.filter(state, info, nodeInfo({ labels }))?.message ?? 'fits';
}

describe('what a pod requires', () => {
  test.each<{ name: string; spec: Partial<PodSpec>; is: string }>([
    { name: 'nothing', spec: {}, is: 'skipped' },
    { name: 'a label', spec: { nodeSelector: { disk: 'ssd' } }, is: 'fits' },
    { name: 'another value', spec: { nodeSelector: { disk: 'hdd' } }, is: refusal },
    { name: 'In', spec: expressing({ key: 'disk', operator: 'In', values: ['hdd', 'ssd'] }), is: 'fits' },
    { name: 'NotIn', spec: expressing({ key: 'disk', operator: 'NotIn', values: ['ssd'] }), is: refusal },
    { name: 'NotIn of no label', spec: expressing({ key: 'none', operator: 'NotIn', values: ['a'] }), is: 'fits' },
    { name: 'Exists', spec: expressing({ key: 'disk', operator: 'Exists' }), is: 'fits' },
    { name: 'DoesNotExist', spec: expressing({ key: 'disk', operator: 'DoesNotExist' }), is: refusal },
    { name: 'Gt', spec: expressing({ key: 'size', operator: 'Gt', values: ['4'] }), is: 'fits' },
    { name: 'Gt of the same', spec: expressing({ key: 'size', operator: 'Gt', values: ['5'] }), is: refusal },
    { name: 'Lt', spec: expressing({ key: 'size', operator: 'Lt', values: ['6'] }), is: 'fits' },
    { name: 'Lt of no number', spec: expressing({ key: 'odd', operator: 'Lt', values: ['6'] }), is: refusal },
    { name: 'a name inherited by objects', spec: expressing({ key: 'constructor', operator: 'Exists' }), is: refusal },
    {
      name: 'all of one term',
      spec: expressing({ key: 'disk', operator: 'Exists' }, { key: 'none', operator: 'Exists' }),
      is: refusal,
    },
    {
      name: 'any of two terms',
      spec: requiring(
        { matchExpressions: [{ key: 'none', operator: 'Exists' }] },
        { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
      ),
      is: 'fits',
    },
    { name: 'an empty term', spec: requiring({}), is: refusal },
    { name: 'no term', spec: requiring(), is: refusal },
    {
      name: 'label and term',
      spec: { nodeSelector: { disk: 'hdd' }, ...expressing({ key: 'disk', operator: 'Exists' }) },
      is: refusal,
    },
    { name: 'its name', spec: requiring(named('n', 'm')), is: 'fits' },
    { name: 'another name', spec: requiring(named('m')), is: 'not looked at' },
    { name: 'either name', spec: requiring(named('m'), named('n')), is: 'fits' },
    {
      name: 'two names at once',
      spec: requiring({ matchFields: [...named('m').matchFields!, ...named('n').matchFields!] }),
      is: 'pod affinity terms conflict',
    },
  ])('What a pod requires: $name: $is', ({ spec, is }) => expect(judged(spec)).toBe(is));

  test.each([
    { name: 'hold beside its own', values: ['ssd'], is: 'fits' },
    { name: 'are told apart', values: ['hdd'], is: "node(s) didn't match scheduler-enforced node affinity" },
  ])('Terms of the configuration $name', ({ values, is }) => {
    const { affinity } = expressing({ key: 'disk', operator: 'In', values });
    expect(judged({}, createNodeAffinity({ addedAffinity: affinity!.nodeAffinity! }))).toBe(is);
  });
});

describe('what a pod prefers', () => {
  const preferring = (...weights: readonly [number, string][]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: weights.map(([weight, key]) => ({
          weight,
          preference: { matchExpressions: [{ key, operator: 'Exists' }] },
        })),
      },
    },
  });
  const sets: Record<string, string>[] = [{ a: '' }, { b: '' }, { a: '', b: '' }, {}];
  const nodes = sets.map((labels) => nodeInfo({ labels }));

  test('What a pod prefers adds up by weight', () => {
    const state = new CycleState();
    const info = podInfo({ spec: preferring([30, 'a'], [10, 'b']) });
    expect(plugin.preScore(state, info, nodes)).toBeUndefined();
    expect(scoresOf(plugin, state, info, nodes)).toEqual([75, 25, 100, 0]);
  });

  test('What a pod prefers is not looked at when it is nothing', () => {
    expect(plugin.preScore(new CycleState(), podInfo(), nodes)?.code).toBe('Skip');
  });
});

type Labels = Record<string, string>;
test.each<{ name: string; before: Labels | undefined; after: Labels; wakes: boolean }>([
  { name: 'a label comes', before: {}, after: { disk: 'ssd' }, wakes: true },
  { name: 'it fitted before', before: { disk: 'ssd' }, after: { disk: 'ssd', a: '' }, wakes: false },
  { name: 'a node that fits comes', before: undefined, after: { disk: 'ssd' }, wakes: true },
  { name: 'a node that does not fit comes', before: undefined, after: {}, wakes: false },
])('A refused pod is woken when $name: $wakes', ({ before, after, wakes }) => {
  const { hint } = plugin.events[0]!;
  const refused = pod({ spec: { nodeSelector: { disk: 'ssd' } } });
  expect(hint!(refused, before && node({ labels: before }), node({ labels: after }))).toBe(wakes);
});
