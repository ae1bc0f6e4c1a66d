import { describe, expect, test } from 'vitest';
import type { Taint, Toleration } from '../../api/gen/types/core-v1.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { node, nodeInfo, pod, podInfo, scoresOf } from '../testing/objects.ts';
import { createTaintToleration } from './taint-toleration.ts';

const plugin = createTaintToleration();
const hard: Taint = { key: 'a', value: '1', effect: 'NoSchedule' };
const evicting: Taint = { key: 'b', effect: 'NoExecute' };
const soft: Taint = { key: 'c', value: '1', effect: 'PreferNoSchedule' };
const refusal = ['node(s) had untolerated taint {a: 1}'];

describe('a node with taints', () => {
  test.each<{ name: string; taints: Taint[]; tolerations: Toleration[]; reasons: string[] | undefined }>([
    { name: 'of no kind takes any pod', taints: [], tolerations: [], reasons: undefined },
    { name: 'refuses a pod that does not tolerate it', taints: [hard], tolerations: [], reasons: refusal },
    {
      name: 'without value says so',
      taints: [evicting],
      tolerations: [],
      reasons: ['node(s) had untolerated taint {b: }'],
    },
    { name: 'that repel softly takes any pod', taints: [soft], tolerations: [], reasons: undefined },
    {
      name: 'takes the same key and value',
      taints: [hard],
      tolerations: [{ key: 'a', value: '1' }],
      reasons: undefined,
    },
    { name: 'refuses another value', taints: [hard], tolerations: [{ key: 'a', value: '2' }], reasons: refusal },
    { name: 'takes any value', taints: [hard], tolerations: [{ key: 'a', operator: 'Exists' }], reasons: undefined },
    {
      name: 'refuses another effect',
      taints: [hard],
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
      reasons: refusal,
    },
    { name: 'is told by the first', taints: [hard, evicting], tolerations: [], reasons: refusal },
    {
      name: 'takes who tolerates all',
      taints: [hard, evicting],
      tolerations: [{ operator: 'Exists' }],
      reasons: undefined,
    },
  ])('A node with taints: $name', ({ taints, tolerations, reasons }) => {
    const status = plugin.filter(new CycleState(), podInfo({ spec: { tolerations } }), nodeInfo({ spec: { taints } }));
    expect(status?.reasons).toEqual(reasons);
    expect(status?.code ?? 'fits').toBe(reasons === undefined ? 'fits' : 'UnschedulableAndUnresolvable');
  });
});

test.each<{ name: string; tolerations: Toleration[]; scores: number[] }>([
  { name: 'few soft taints are better', tolerations: [], scores: [100, 50, 0] },
  { name: 'tolerated ones do not count', tolerations: [{ key: 'c', operator: 'Exists' }], scores: [100, 100, 0] },
  {
    name: 'tolerations of other effects do not help',
    tolerations: [{ key: 'c', operator: 'Exists', effect: 'NoSchedule' }],
    scores: [100, 50, 0],
  },
])('Scores of nodes: $name', ({ tolerations, scores }) => {
  const other: Taint = { key: 'd', effect: 'PreferNoSchedule' };
  const nodes = [[], [soft], [soft, other]].map((taints) => nodeInfo({ spec: { taints } }));
  const state = new CycleState();
  const info = podInfo({ spec: { tolerations } });
  plugin.preScore(state, info, nodes);
  expect(scoresOf(plugin, state, info, nodes)).toEqual(scores);
});

test.each([
  { name: 'the taint goes', before: [hard], after: [], wakes: true },
  { name: 'a taint comes', before: [], after: [hard], wakes: false },
  { name: 'another taint stays', before: [hard, evicting], after: [evicting], wakes: false },
  { name: 'a node without taints comes', before: undefined, after: [], wakes: true },
])('A refused pod is woken when $name: $wakes', ({ before, after, wakes }) => {
  const { hint } = plugin.events[0]!;
  const nodeWith = (taints: Taint[]) => node({ spec: { taints } });
  expect(hint!(pod(), before && nodeWith(before), nodeWith(after))).toBe(wakes);
});
