import { describe, expect, test } from 'vitest';
import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../api/gen/types/apps-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { formatMs } from '../shared/times.ts';
import { conditionOf, nextLookMs, rolloutStatus } from './status.ts';
import { deployment, nowMs, replicaSet } from './testing/objects.ts';

const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;
const web = (status: DeploymentStatus = {}, progressDeadlineSeconds = 600): Deployment =>
  deployment({ replicas: 3, strategy, progressDeadlineSeconds }, status);
const progressing = (reason: string, ageMs: number): DeploymentCondition => ({
  ...{ type: 'Progressing', status: 'True', reason, message: 'before' },
  ...{ lastUpdateTime: formatMs(nowMs - ageMs), lastTransitionTime: formatMs(nowMs - ageMs) },
});

describe('the status of a rollout', () => {
  interface Row {
    readonly name: string;
    readonly before?: DeploymentStatus;
    readonly deadlineSeconds?: number;
    readonly old: number;
    readonly current: { readonly size: number; readonly available: number };
    /** Reasons by the type of the condition. */
    readonly reasons: Readonly<Record<string, string | undefined>>;
  }
  const stuck = { replicas: 4, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3 };
  test.each<Row>([
    {
      name: 'goes on with a new pod, whatever the time',
      ...{ old: 3, current: { size: 1, available: 0 } },
      before: { replicas: 3, readyReplicas: 3, conditions: [progressing('ReplicaSetUpdated', 3_600_000)] },
      reasons: { Progressing: 'ReplicaSetUpdated', Available: 'MinimumReplicasAvailable' },
    },
    {
      name: 'is as it was while nothing changes before the deadline',
      ...{ old: 3, current: { size: 1, available: 0 } },
      before: { ...stuck, conditions: [progressing('ReplicaSetUpdated', 599_000)] },
      reasons: { Progressing: 'ReplicaSetUpdated' },
    },
    {
      name: 'has timed out after the deadline',
      ...{ old: 3, current: { size: 1, available: 0 } },
      before: { ...stuck, conditions: [progressing('ReplicaSetUpdated', 601_000)] },
      reasons: { Progressing: 'ProgressDeadlineExceeded' },
    },
    {
      name: 'does not time out by a clock that went back',
      ...{ old: 3, current: { size: 1, available: 0 } },
      before: { ...stuck, conditions: [progressing('ReplicaSetUpdated', -3_600_000)] },
      reasons: { Progressing: 'ReplicaSetUpdated' },
    },
    {
      name: 'goes on after it has timed out, when a pod becomes available',
      ...{ old: 3, current: { size: 1, available: 1 } },
      before: { ...stuck, conditions: [progressing('ProgressDeadlineExceeded', 3_600_000)] },
      reasons: { Progressing: 'ReplicaSetUpdated' },
    },
    {
      name: 'is complete with all pods new and available',
      ...{ old: 0, current: { size: 3, available: 3 } },
      before: { ...stuck, conditions: [progressing('ReplicaSetUpdated', 1000)] },
      reasons: { Progressing: 'NewReplicaSetAvailable', Available: 'MinimumReplicasAvailable' },
    },
    {
      name: 'stays complete when a pod fails later, beyond the deadline too',
      ...{ old: 0, current: { size: 3, available: 2 } },
      before: {
        ...{ replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
        conditions: [progressing('NewReplicaSetAvailable', 3_600_000)],
      },
      reasons: { Progressing: 'NewReplicaSetAvailable', Available: 'MinimumReplicasUnavailable' },
    },
    {
      name: 'says nothing of progress without a deadline',
      ...{ deadlineSeconds: 2 ** 31 - 1, old: 3, current: { size: 1, available: 0 } },
      reasons: { Progressing: undefined, Available: 'MinimumReplicasAvailable' },
    },
  ])('The status of a rollout $name', ({ before, deadlineSeconds, old, current: { size, available }, reasons }) => {
    const current = replicaSet('new', size, { available });
    const { conditions } = rolloutStatus(
      web(before, deadlineSeconds),
      [replicaSet('old', old), current],
      current,
      nowMs,
    );
    for (const [type, reason] of Object.entries(reasons)) expect(conditionOf(conditions, type)?.reason).toBe(reason);
  });

  test('What the new ReplicaSet could not do counts more than what an old one could not', () => {
    const failing = (name: string) =>
      replicaSet(name, 1, {
        status: { replicas: 0, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'R', message: name }] },
      });
    const current = failing('new');
    const { conditions } = rolloutStatus(web(), [failing('old'), current], current, nowMs);
    expect(conditionOf(conditions, 'ReplicaFailure')?.message).toBe('new');
  });
});

test('A rollout that stands still times out at its deadline, and is looked at once for that', async () => {
  const clock = new FakeClock();
  const wallTime = (): number => nowMs + clock.now();
  const current = replicaSet('new', 1, { available: 0 });
  const all = [replicaSet('old', 3), current];
  let live = web();
  const looks: number[] = [];
  const look = (): void => {
    looks.push(clock.now());
    const status = rolloutStatus(live, all, current, wallTime());
    live = web(status);
    const next = nextLookMs(live, status, wallTime());
    if (next !== undefined) clock.after(next, look);
  };
  look();
  await clock.advance(3_600_000);
  expect(looks).toEqual([0, 601_000]);
  expect(conditionOf(live.status?.conditions, 'Progressing')?.reason).toBe('ProgressDeadlineExceeded');
});
