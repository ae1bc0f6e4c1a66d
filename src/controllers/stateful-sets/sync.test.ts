/**
 * What is done for a StatefulSet.
 *
 * One file because all rows are made by the same builders.
 */
import { describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { type Plan, planOf, type SyncInput } from './sync.ts';

const nowMs = Date.parse('2026-01-31T10:00:00Z');

type Spec = Partial<StatefulSet['spec']>;

const setOf = (replicas: number, spec: Spec = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default', uid: 'set', generation: 2 },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', resources: {} }] } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
  status: {},
});

interface PodOptions {
  readonly revision?: string;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly readyFor?: number;
  readonly isTerminating?: boolean;
}

const podOf = (ordinal: number, options: PodOptions = {}): Pod => {
  const { revision = 'new', phase = 'Running', readyFor = 60, isTerminating = false } = options;
  const lastTransitionTime = new Date(nowMs - readyFor * 1000).toISOString();
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `db-${ordinal}`,
      uid: `pod-${ordinal}`,
      labels: { 'controller-revision-hash': revision, 'statefulset.kubernetes.io/pod-name': `db-${ordinal}` },
      ...(isTerminating ? { deletionTimestamp: '2026-01-31T09:59:59Z' } : {}),
    },
    spec: {},
    status: { phase, conditions: [{ type: 'Ready', status: readyFor < 0 ? 'False' : 'True', lastTransitionTime }] },
  };
};
const unready: PodOptions = { readyFor: -1 };

const planned = (set: StatefulSet, pods: readonly Pod[], more: Partial<SyncInput> = {}): Plan =>
  planOf({
    set,
    pods,
    current: 'old',
    update: 'new',
    collisionCount: 0,
    claim: () => undefined,
    hasMaxUnavailable: false,
    nowMs,
    ...more,
  });

/** `create 0 | delete db-2`: phases that have something to do, in order. */
const shown = ({ phases }: Plan): string =>
  phases
    .map((tasks) =>
      tasks
        .flat()
        .map((step) =>
          step.do === 'create'
            ? `create ${step.ordinal}${step.isCurrent ? ' as it was' : ''}`
            : `${step.do} ${step.pod.metadata.name}`,
        )
        .join(', '),
    )
    .filter((text) => text !== '')
    .join(' | ');

const parallel: Spec = { podManagementPolicy: 'Parallel' };
const rolling = (partition: number, maxUnavailable?: number | string): Spec => ({
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { partition, ...(maxUnavailable === undefined ? {} : { maxUnavailable }) },
  },
});
const old: PodOptions = { revision: 'old' };
const pods = (...options: readonly PodOptions[]): Pod[] => options.map((each, ordinal) => podOf(ordinal, each));

describe('what is done for a StatefulSet', () => {
  it.each([
    { name: 'an ordered set begins with its first pod', set: setOf(3), pods: [], expected: 'create 0' },
    {
      name: 'an ordered set waits for a pod that is not ready',
      set: setOf(3),
      pods: pods({}, unready),
      expected: '',
    },
    { name: 'the next pod follows a ready one', set: setOf(3), pods: pods({}, {}), expected: 'create 2' },
    {
      name: 'a pod that is ready for a moment is waited for',
      set: setOf(2, { minReadySeconds: 30 }),
      pods: pods({ readyFor: 29 }),
      expected: '',
    },
    {
      name: 'a pod that is ready for long enough is not waited for',
      set: setOf(2, { minReadySeconds: 30 }),
      pods: pods({ readyFor: 30 }),
      expected: 'create 1',
    },
    { name: 'a missing pod is made before others', set: setOf(3), pods: [podOf(1), podOf(2)], expected: 'create 0' },
    {
      name: 'a parallel set makes all pods',
      set: setOf(3, parallel),
      pods: pods(unready),
      expected: 'create 1, create 2',
    },
    {
      name: 'ordinals begin where the set says',
      set: setOf(2, { ordinals: { start: 3 } }),
      pods: [podOf(3)],
      expected: 'create 4',
    },
    {
      name: 'pods before the first ordinal go when the others are there',
      set: setOf(2, { ordinals: { start: 4 } }),
      pods: [podOf(3), podOf(4), podOf(5)],
      expected: 'delete db-3',
    },
    {
      name: 'a pod that failed is deleted, and nothing else is done',
      set: setOf(3),
      pods: pods({ phase: 'Failed' }, {}),
      expected: 'delete db-0',
    },
    {
      name: 'a pod that succeeded is deleted in a parallel set, and others are made',
      set: setOf(3, parallel),
      pods: pods({ phase: 'Succeeded' }, {}),
      expected: 'delete db-0, create 2',
    },
    {
      name: 'a pod that ended and goes already is waited for',
      set: setOf(2),
      pods: pods({ phase: 'Failed', isTerminating: true }),
      expected: '',
    },
    {
      name: 'an ordered set deletes the last pod first, one at a time',
      set: setOf(1),
      pods: pods({}, {}, {}),
      expected: 'delete db-2',
    },
    {
      name: 'the next pod is deleted when the last one is gone',
      set: setOf(1),
      pods: pods({}, {}, { isTerminating: true }),
      expected: '',
    },
    {
      name: 'no pod is deleted while an earlier one is not ready',
      set: setOf(1),
      pods: pods({}, unready, unready),
      expected: '',
    },
    {
      name: 'the only pod that is not ready can be deleted',
      set: setOf(1),
      pods: pods({}, {}, unready),
      expected: 'delete db-2',
    },
    {
      name: 'a parallel set deletes all that are too many',
      set: setOf(1, parallel),
      pods: pods({}, unready, { isTerminating: true }, {}),
      expected: 'delete db-3, delete db-1',
    },
    {
      name: 'a pod that lost the label with its name gets it back',
      set: setOf(1),
      pods: [{ ...podOf(0), metadata: { ...podOf(0).metadata, labels: { 'controller-revision-hash': 'new' } } }],
      expected: 'update db-0',
    },
    {
      name: 'a set that is being deleted is left alone',
      set: { ...setOf(3), metadata: { ...setOf(3).metadata, deletionTimestamp: '2026-01-31T10:00:00Z' } },
      pods: pods({}),
      expected: '',
    },
  ])('What is done for a StatefulSet: $name', ({ set, pods, expected }) =>
    expect(shown(planned(set, pods))).toBe(expected),
  );

  it('A sync makes 500 pods of a parallel StatefulSet at a time', () => {
    const { phases } = planned(setOf(2_000_000_000, parallel), pods({}));
    expect(phases).toHaveLength(1);
    expect(phases[0]).toHaveLength(500);
  });
});

describe('rolling updates of a StatefulSet', () => {
  it.each([
    { name: 'begin with the last pod', spec: {}, pods: pods(old, old, old), expected: 'delete db-2' },
    { name: 'wait for the new pod', spec: {}, pods: pods(old, old, unready), expected: '' },
    { name: 'go on when the new pod is ready', spec: {}, pods: pods(old, old, {}), expected: 'delete db-1' },
    {
      name: 'wait for a pod that goes',
      spec: parallel,
      pods: pods(old, old, { ...old, isTerminating: true }),
      expected: '',
    },
    {
      name: 'delete an old pod that is not ready',
      spec: parallel,
      pods: pods(old, old, { ...old, ...unready }),
      expected: 'delete db-2',
    },
    { name: 'leave pods below the partition', spec: rolling(2), pods: pods(old, old, {}), expected: '' },
    {
      name: 'leave all pods when the partition is above them',
      spec: rolling(5),
      pods: pods(old, old, old),
      expected: '',
    },
    {
      name: 'do not happen on deletion by hand',
      spec: { updateStrategy: { type: 'OnDelete' as const } },
      pods: pods(old, old, old),
      expected: '',
    },
    {
      name: 'delete one pod at a time without the gate',
      spec: { ...parallel, ...rolling(0, 2) },
      pods: pods(old, old, old),
      expected: 'delete db-2',
    },
    {
      name: 'delete as many as may be unavailable',
      spec: { ...parallel, ...rolling(0, 2) },
      pods: pods(old, old, old),
      gate: true,
      expected: 'delete db-2, delete db-1',
    },
    {
      name: 'count pods that are unavailable already',
      spec: { ...parallel, ...rolling(0, 2) },
      pods: pods(old, old, unready),
      gate: true,
      expected: 'delete db-1',
    },
    {
      name: 'delete one pod where the percentage is less',
      spec: { ...parallel, ...rolling(0, '10%') },
      pods: pods(old, old, old),
      gate: true,
      expected: 'delete db-2',
    },
  ])('Rolling updates of a StatefulSet: $name', ({ spec, pods, gate = false, expected }) =>
    expect(shown(planned(setOf(3, spec), pods, { hasMaxUnavailable: gate }))).toBe(expected),
  );

  it.each([
    { name: 'a pod below the partition is made as it was', spec: rolling(2), expected: 'create 1 as it was' },
    { name: 'a pod at the partition is made anew', spec: rolling(1), expected: 'create 1' },
    {
      name: 'on deletion by hand pods are made anew',
      spec: { updateStrategy: { type: 'OnDelete' as const } },
      expected: 'create 1',
    },
  ])('Rolling updates of a StatefulSet: $name', ({ spec, expected }) =>
    expect(shown(planned(setOf(2, spec), pods(old)))).toBe(expected),
  );
});

describe('the status of a StatefulSet', () => {
  const status = (set: StatefulSet, all: readonly Pod[]): object => {
    const { observedGeneration: _, collisionCount: __, ...counts } = planned(set, all).status;
    return counts;
  };

  it.each([
    {
      name: 'counts pods of both revisions, and the one that is deleted now as gone',
      set: setOf(3),
      pods: pods(old, old, {}),
      expected: [3, 3, 3, 1, 1, 'old'],
    },
    {
      name: 'counts no revision of pods that go',
      set: setOf(2),
      pods: pods(old, { ...old, isTerminating: true }),
      expected: [2, 2, 2, 1, 0, 'old'],
    },
    {
      name: 'tells ready pods from available ones',
      set: setOf(2, { minReadySeconds: 30 }),
      pods: pods({ readyFor: 10 }, unready),
      expected: [2, 1, 0, 0, 2, 'old'],
    },
    {
      name: 'makes the new revision the current one when all pods have it and are ready',
      set: setOf(2),
      pods: pods({}, {}),
      expected: [2, 2, 2, 2, 2, 'new'],
    },
    { name: 'does so without pods too', set: setOf(0), pods: [], expected: [0, 0, 0, 0, 0, 'new'] },
  ])('The status of a StatefulSet: $name', ({ set, pods, expected }) => {
    const [replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, currentRevision] = expected;
    expect(status(set, pods)).toEqual({
      replicas,
      readyReplicas,
      availableReplicas,
      currentReplicas,
      updatedReplicas,
      currentRevision,
      updateRevision: 'new',
    });
  });
});

describe('claims of a StatefulSet', () => {
  const template = { metadata: { name: 'data' }, spec: { resources: {} }, status: {} };
  const withClaims = (replicas: number, deleted: 'Retain' | 'Delete', scaled: 'Retain' | 'Delete'): StatefulSet =>
    setOf(replicas, {
      volumeClaimTemplates: [template],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: deleted, whenScaled: scaled },
    });
  const withVolume = (pod: Pod): Pod => ({
    ...pod,
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${pod.metadata.name}` } }] },
  });
  const ownerOf = (kind: string, name: string, uid: string) => ({
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  });
  const bySet = ownerOf('StatefulSet', 'db', 'set');
  const claimOf = (...ownerReferences: ReturnType<typeof ownerOf>[]): PersistentVolumeClaim => ({
    metadata: { name: 'data-db-0', ownerReferences },
    spec: { resources: {} },
    status: {},
  });
  const going = { ...claimOf(), metadata: { name: 'data-db-0', deletionTimestamp: '2026-01-31T10:00:00Z' } };

  it.each([
    {
      name: 'of a pod that waits are made when they are missing',
      set: withClaims(1, 'Retain', 'Retain'),
      pod: podOf(0, { phase: 'Pending', ...unready }),
      claim: undefined,
      expected: 'createClaims db-0',
    },
    {
      name: 'of a pod that waits are looked at while they go',
      set: withClaims(1, 'Retain', 'Retain'),
      pod: podOf(0, { phase: 'Pending', ...unready }),
      claim: going,
      expected: 'createClaims db-0',
    },
    {
      name: 'of a pod that runs may be missing',
      set: withClaims(1, 'Delete', 'Delete'),
      pod: podOf(0),
      claim: undefined,
      expected: '',
    },
    {
      name: 'get the set as their owner',
      set: withClaims(1, 'Delete', 'Retain'),
      pod: podOf(0),
      claim: claimOf(),
      expected: 'update db-0',
    },
    {
      name: 'that have their owner are left alone',
      set: withClaims(1, 'Delete', 'Delete'),
      pod: podOf(0),
      claim: claimOf(bySet),
      expected: '',
    },
    {
      name: 'of a pod that goes get it as their owner first',
      set: withClaims(0, 'Retain', 'Delete'),
      pod: podOf(0),
      claim: claimOf(bySet),
      expected: 'ownClaims db-0 | delete db-0',
    },
    {
      name: 'of an earlier pod that are about to go keep the next one from being made',
      set: withClaims(1, 'Retain', 'Delete'),
      pod: undefined,
      claim: claimOf(ownerOf('Pod', 'db-0', 'earlier')),
      expected: '',
    },
    {
      name: 'that are kept do not matter to the next pod',
      set: withClaims(1, 'Retain', 'Retain'),
      pod: undefined,
      claim: claimOf(ownerOf('Pod', 'db-0', 'earlier')),
      expected: 'create 0',
    },
  ])('Claims of a StatefulSet: $name', ({ set, pod, claim, expected }) => {
    const all = pod === undefined ? [] : [withVolume(pod)];
    expect(shown(planned(set, all, { claim: () => claim }))).toBe(expected);
  });
});
