import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { placementsOf } from './placement.ts';
import { updateActions } from './rolling-update.ts';
import { countedStatus } from './status.ts';
import { type Actions, type DaemonInput, nodeActions, podsByNode } from './sync.ts';

const nowMs = Date.parse('2026-01-31T10:00:00Z');

const nodeStatus: Node['status'] = { daemonEndpoints: { kubeletEndpoint: {} }, nodeInfo: {} };

type Rolling = NonNullable<DaemonSet['spec']['updateStrategy']['rollingUpdate']>;

const setOf = (rollingUpdate: Rolling = { maxUnavailable: 1, maxSurge: 0 }, minReadySeconds = 0): DaemonSet => ({
  metadata: { name: 'agent', namespace: 'default', uid: 'set', generation: 3 },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: {} },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    minReadySeconds,
  },
  status: {},
});
const surge = setOf({ maxUnavailable: 0, maxSurge: 1 });

const tainted = (effect: 'NoSchedule' | 'NoExecute') => ({ taints: [{ key: 'x', effect }] });
const nodeOf = (name: string, spec: Node['spec'] = {}): Node => ({
  metadata: { name },
  spec,
  status: nodeStatus,
});

interface PodOptions {
  readonly name?: string;
  readonly hash?: string;
  readonly isScheduled?: boolean;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly readyFor?: number;
  readonly isTerminating?: boolean;
}

const podOf = (node: string, options: PodOptions = {}): Pod => {
  const { hash = 'new', isScheduled = true, phase = 'Running', readyFor = 60, isTerminating = false } = options;
  const { name = `${node}-${hash}` } = options;
  const lastTransitionTime = new Date(nowMs - readyFor * 1000).toISOString();
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] }];
  return {
    metadata: {
      name,
      creationTimestamp: '2026-01-31T09:00:00Z',
      labels: { 'controller-revision-hash': hash },
      ...(isTerminating ? { deletionTimestamp: '2026-01-31T09:59:59Z' } : {}),
    },
    spec: {
      ...(isScheduled ? { nodeName: node } : {}),
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      },
    },
    status: { phase, conditions: [{ type: 'Ready', status: readyFor < 0 ? 'False' : 'True', lastTransitionTime }] },
  };
};

const inputOf = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], backoffMs = 0): DaemonInput => ({
  set,
  nodes,
  pods: podsByNode(pods),
  placements: placementsOf(set),
  hash: 'new',
  generation: undefined,
  backoffMs: () => backoffMs,
  nowMs,
});

/** `+node` for a pod that is made, `-pod` for one that is deleted. */
const shown = (actions: Actions): string =>
  [...actions.create.map((node) => `+${node}`), ...actions.delete.map(({ metadata }) => `-${metadata.name}`)].join(' ');

const a = nodeOf('a');
const old: PodOptions = { hash: 'old' };
const unready: PodOptions = { readyFor: -1 };

describe('the pods of a DaemonSet', () => {
  it.each([
    { name: 'are made on each node', nodes: [a, nodeOf('b')], pods: [podOf('a')], expected: '+b' },
    {
      name: 'are not made twice before they are bound',
      nodes: [a],
      pods: [podOf('a', { isScheduled: false })],
      expected: '',
    },
    { name: 'are not made on a tainted node', nodes: [nodeOf('a', tainted('NoSchedule'))], pods: [], expected: '' },
    {
      name: 'stay on a node that is tainted later',
      nodes: [nodeOf('a', tainted('NoSchedule'))],
      pods: [podOf('a')],
      expected: '',
    },
    {
      name: 'go from a node that evicts them',
      nodes: [nodeOf('a', tainted('NoExecute'))],
      pods: [podOf('a')],
      expected: '-a-new',
    },
    { name: 'wait for one that goes', nodes: [a], pods: [podOf('a', { isTerminating: true })], expected: '' },
    {
      name: 'do not wait for one that ended and goes',
      nodes: [a],
      pods: [podOf('a', { phase: 'Failed', isTerminating: true })],
      expected: '+a',
    },
    { name: 'that failed are deleted', nodes: [a], pods: [podOf('a', { phase: 'Failed' })], expected: '-a-new' },
    { name: 'that succeeded are deleted', nodes: [a], pods: [podOf('a', { phase: 'Succeeded' })], expected: '-a-new' },
    {
      name: 'that are too many go, those without a node first',
      nodes: [a],
      pods: [podOf('a', { name: '1', isScheduled: false }), podOf('a', { name: '3' }), podOf('a', { name: '2' })],
      expected: '-3 -1',
    },
    { name: 'of a node that is gone stay when they are bound', nodes: [], pods: [podOf('a')], expected: '' },
    {
      name: 'of a node that is gone go when they are not bound',
      nodes: [],
      pods: [podOf('a', { isScheduled: false })],
      expected: '-a-new',
    },
    {
      name: 'are made beside one that goes when there may be two',
      set: surge,
      nodes: [a],
      pods: [podOf('a', { isTerminating: true })],
      expected: '+a',
    },
    {
      name: 'of two revisions stay while the new one is not ready',
      set: surge,
      nodes: [a],
      pods: [podOf('a', old), podOf('a', unready)],
      expected: '',
    },
    {
      name: 'of the old revision go when the new one is available',
      set: surge,
      nodes: [a],
      pods: [podOf('a', old), podOf('a')],
      expected: '-a-old',
    },
    {
      name: 'of the old revision go when they are not ready',
      set: surge,
      nodes: [a],
      pods: [podOf('a', { ...old, ...unready }), podOf('a', unready)],
      expected: '-a-old',
    },
  ])('The pods of a DaemonSet: $name', ({ set = setOf(), nodes, pods, expected }) =>
    expect(shown(nodeActions(inputOf(set, nodes, pods)))).toBe(expected),
  );

  it('The pods of a DaemonSet that failed stay while their node is in back-off', () => {
    const actions = nodeActions(inputOf(setOf(), [a], [podOf('a', { phase: 'Failed' })], 700));
    expect({ ...actions, ended: actions.ended.length }).toEqual({ create: [], delete: [], ended: 0, waitMs: 700 });
  });

  it('The pods of a DaemonSet that ended are told apart from those that are too many', () => {
    const { ended } = nodeActions(inputOf(setOf(), [a], [podOf('a', { phase: 'Failed' }), podOf('a', { name: 'b' })]));
    expect(ended.map(({ pod, node }) => `${pod.metadata.name} on ${node}`)).toEqual(['a-new on a']);
  });
});

describe('rolling updates of a DaemonSet', () => {
  const nodes = ['a', 'b', 'c'].map((name) => nodeOf(name));
  const each = (...options: readonly (PodOptions | undefined)[]): Pod[] =>
    options.flatMap((option, index) => (option === undefined ? [] : [podOf(nodes[index]!.metadata.name!, option)]));

  it.each([
    { name: 'delete one old pod', pods: each(old, old, old), expected: '-a-old' },
    { name: 'wait for the new pod', pods: each(unready, old, old), expected: '' },
    { name: 'wait for a pod that goes', pods: each({ ...old, isTerminating: true }, old, old), expected: '' },
    { name: 'count nodes that have no pod yet', pods: each(undefined, old, old), expected: '' },
    { name: 'go on when the new pod is available', pods: each({}, old, old), expected: '-b-old' },
    {
      name: 'delete old pods that are not ready in any case',
      pods: each(unready, { ...old, ...unready }, old),
      expected: '-b-old',
    },
    {
      name: 'round a percentage up',
      set: setOf({ maxUnavailable: '40%', maxSurge: 0 }),
      pods: each(old, old, old),
      expected: '-a-old -b-old',
    },
    {
      name: 'delete one pod at a time where neither limit is more than zero',
      set: setOf({ maxUnavailable: 0, maxSurge: 0 }),
      pods: each(old, old, old),
      expected: '-a-old',
    },
    {
      name: 'wait until the new pod was ready for long enough',
      set: setOf({ maxUnavailable: 1, maxSurge: 0 }, 30),
      pods: each({ readyFor: 29 }, old, old),
      expected: '',
    },
    { name: 'make a new pod beside an old one', set: surge, pods: each(old, old, old), expected: '+a' },
    {
      name: 'make no more new pods than there may be',
      set: surge,
      pods: [...each(old, old, old), podOf('a', unready)],
      expected: '',
    },
    {
      name: 'make a new pod where the old one is not ready in any case',
      set: surge,
      pods: [...each(old, { ...old, ...unready }, old), podOf('a', unready)],
      expected: '+b',
    },
    {
      name: 'delete the old pod when the new one is available',
      set: surge,
      pods: [...each(old, old, old), podOf('a')],
      expected: '+b -a-old',
    },
  ])('Rolling updates of a DaemonSet: $name', ({ set = setOf(), pods, expected }) =>
    expect(shown(updateActions(inputOf(set, nodes, pods)))).toBe(expected),
  );

  it('Rolling updates of a DaemonSet leave the pod of a node that it left until others are there', () => {
    const left = [nodeOf('a', tainted('NoSchedule')), nodeOf('b')];
    const pods = [podOf('a', old), podOf('b', unready)];
    expect(shown(updateActions(inputOf(surge, left, pods)))).toBe('');
    expect(shown(updateActions(inputOf(surge, left, [podOf('a', old), podOf('b')])))).toBe('-a-old');
  });
});

describe('the status of a DaemonSet', () => {
  it('The status of a DaemonSet counts nodes, and of each node the pod that stays longest', () => {
    const nodes = [a, nodeOf('b'), nodeOf('c', tainted('NoSchedule')), nodeOf('d')];
    const pods = [
      podOf('a', { readyFor: 10 }),
      podOf('a', { ...old, isScheduled: false }),
      podOf('b', old),
      podOf('c'),
    ];
    expect(countedStatus(inputOf(setOf(undefined, 30), nodes, pods), 0)).toEqual({
      observedGeneration: 3,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      numberReady: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    });
  });
});
