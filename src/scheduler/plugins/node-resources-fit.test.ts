import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../api/gen/types/core-v1.ts';
import { defaultPluginArgs } from '../config/plugin-args.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { node, nodeInfo, pod, podInfo, scoresOf } from '../testing/objects.ts';
import { createNodeResourcesFit } from './node-resources-fit.ts';
import type { ScoringStrategy } from './shared/resource-score.ts';

const args = defaultPluginArgs.NodeResourcesFit;
const plugin = createNodeResourcesFit(args);
const gpu = 'example.com/gpu';
const small = { allocatable: { cpu: '2', memory: '2Gi', pods: '2', 'ephemeral-storage': '1Gi', [gpu]: '1' } };
const container = (requests: Record<string, string>, restartPolicy?: 'Always') => ({
  name: 'c',
  resources: { requests },
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
});

describe('a pod', () => {
  test.each<{ name: string; requests?: Record<string, string>; spec?: Partial<PodSpec>; reasons?: string[] }>([
    { name: 'that asks for nothing fits' },
    { name: 'that asks for what is left fits', requests: { cpu: '1', memory: '1Gi', [gpu]: '1' } },
    { name: 'may lack cpu', requests: { cpu: '1001m' }, reasons: ['Insufficient cpu'] },
    { name: 'may lack memory', requests: { memory: '1025Mi' }, reasons: ['Insufficient memory'] },
    {
      name: 'may lack storage',
      requests: { 'ephemeral-storage': '2Gi' },
      reasons: ['Insufficient ephemeral-storage'],
    },
    { name: 'may lack an extended resource', requests: { [gpu]: '2' }, reasons: [`Insufficient ${gpu}`] },
    { name: 'may ask for what no node has', requests: { 'a.b/c': '1' }, reasons: ['Insufficient a.b/c'] },
    {
      name: 'is told everything that it lacks',
      requests: { cpu: '9', memory: '9Gi', [gpu]: '2' },
      reasons: ['Insufficient cpu', 'Insufficient memory', `Insufficient ${gpu}`],
    },
    {
      name: 'counts with its largest init container',
      spec: { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '1500m' })] },
      reasons: ['Insufficient cpu'],
    },
    {
      name: 'counts with its sidecars',
      spec: { containers: [container({ cpu: '600m' })], initContainers: [container({ cpu: '600m' }, 'Always')] },
      reasons: ['Insufficient cpu'],
    },
    {
      name: 'counts with its overhead',
      spec: { containers: [container({ cpu: '600m' })], overhead: { cpu: '600m' } },
      reasons: ['Insufficient cpu'],
    },
  ])('A pod under NodeResourcesFit: $name', ({ requests, spec, reasons }) => {
    const asking = podInfo({
      ...(requests === undefined ? {} : { requests }),
      ...(spec === undefined ? {} : { spec }),
    });
    const status = plugin.filter(
      new CycleState(),
      asking,
      nodeInfo(small, [{ name: 'there', requests: { cpu: '1', memory: '1Gi' } }]),
    );
    expect(status?.reasons).toEqual(reasons);
    if (reasons !== undefined) expect(status?.code).toBe('Unschedulable');
  });

  test('A pod under NodeResourcesFit does not fit on a node that is full', () => {
    const full = nodeInfo(small, [{ name: 'a' }, { name: 'b' }]);
    expect(plugin.filter(new CycleState(), podInfo(), full)?.reasons).toEqual(['Too many pods']);
    expect(plugin.filter(new CycleState(), podInfo({ requests: { cpu: '9' } }), full)?.reasons).toEqual([
      'Too many pods',
      'Insufficient cpu',
    ]);
  });

  test.each([
    { name: 'by name', ignored: { ignoredResources: [gpu] } },
    { name: 'by group', ignored: { ignoredResourceGroups: ['example.com'] } },
  ])('A pod under NodeResourcesFit may ask for resources that are ignored $name', ({ ignored }) => {
    const ignoring = createNodeResourcesFit({ ...args, ...ignored });
    expect(ignoring.filter(new CycleState(), podInfo({ requests: { [gpu]: '9' } }), nodeInfo(small))).toBeUndefined();
  });
});

describe('scores', () => {
  const resources = [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ];
  const shape = [
    { utilization: 0, score: 0 },
    { utilization: 100, score: 10 },
  ];
  test.each<{ strategy: ScoringStrategy; requests: Record<string, string>; scores: number[] }>([
    { strategy: { type: 'LeastAllocated', resources }, requests: { cpu: '1', memory: '1Gi' }, scores: [50, 25, 95] },
    { strategy: { type: 'MostAllocated', resources }, requests: { cpu: '1', memory: '1Gi' }, scores: [50, 75, 5] },
    {
      strategy: { type: 'RequestedToCapacityRatio', resources, shape },
      requests: { cpu: '1', memory: '1Gi' },
      scores: [50, 75, 5],
    },
    // what asks for nothing counts as 100m and 200Mi
    { strategy: { type: 'LeastAllocated', resources }, requests: {}, scores: [92, 67, 99] },
    {
      strategy: { type: 'LeastAllocated', resources: [{ name: gpu, weight: 1 }] },
      requests: { [gpu]: '1' },
      scores: [0, 0, 90],
    },
    {
      strategy: { type: 'LeastAllocated', resources: [{ name: gpu, weight: 1 }, ...resources] },
      requests: { cpu: '1', memory: '1Gi' },
      scores: [50, 25, 95],
    },
    {
      strategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 3 }] },
      requests: { cpu: '9' },
      scores: [100, 100, 45],
    },
  ])('Scores of node resources: $strategy.type of $requests are $scores', ({ strategy, requests, scores }) => {
    const scoring = createNodeResourcesFit({ ...args, scoringStrategy: strategy });
    const large = { allocatable: { cpu: '20', memory: '20Gi', [gpu]: '10' } };
    const nodes = [
      nodeInfo(small),
      nodeInfo(small, [{ name: 'there', requests: { cpu: '500m', memory: '512Mi' } }]),
      nodeInfo(large),
    ];
    expect(scoresOf(scoring, new CycleState(), podInfo({ requests }), nodes)).toEqual(scores);
  });

  test('Scores of node resources follow the points of a shape', () => {
    const bent = [
      { utilization: 20, score: 0 },
      { utilization: 50, score: 10 },
      { utilization: 80, score: 2 },
    ];
    const scoring = createNodeResourcesFit({
      ...args,
      scoringStrategy: { type: 'RequestedToCapacityRatio', resources: [{ name: 'cpu', weight: 1 }], shape: bent },
    });
    const scored = (cpu: string): number[] =>
      scoresOf(scoring, new CycleState(), podInfo({ requests: { cpu } }), [nodeInfo({ allocatable: { cpu: '10' } })]);
    expect(['1', '2', '3500m', '5', '6', '8', '9', '20'].map(scored).flat()).toEqual([0, 0, 50, 100, 74, 20, 20, 20]);
  });
});

type Amounts = Record<string, string>;
test.each<{ name: string; before: Amounts | undefined; after: Amounts; wakes: boolean }>([
  { name: 'a node with enough comes', before: undefined, after: { cpu: '4' }, wakes: true },
  { name: 'a node with too little comes', before: undefined, after: { cpu: '2' }, wakes: false },
  { name: 'a node grows', before: { cpu: '2' }, after: { cpu: '4' }, wakes: true },
  { name: 'a node has more of something else', before: { memory: '2Gi' }, after: { memory: '4Gi' }, wakes: false },
  { name: 'a node takes more pods', before: { pods: '10' }, after: { pods: '20' }, wakes: true },
  { name: 'a node shrinks', before: { cpu: '5' }, after: { cpu: '4' }, wakes: false },
])('A refused pod is woken when $name: $wakes', ({ before, after, wakes }) => {
  const { hint } = plugin.events.at(-1)!;
  const of = (allocatable: Record<string, string>) => node({ allocatable });
  expect(hint!(pod({ requests: { cpu: '3' } }), before && of(before), of(after))).toBe(wakes);
});
