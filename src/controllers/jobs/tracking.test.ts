import { describe, expect, test } from 'vitest';
import type { Job, JobStatus } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { noBackoff } from './backoff.ts';
import { nextStep, stateOf, type Step } from './sync.ts';
import { ago, indexedJob, jobOf, now, nowMs, podOf } from './testing/builders.ts';
import { concludedStatus, endEvents, type Outcome, progressOf, settledStatus, trackingOf } from './tracking.ts';

/** What the step leads to when all goes well. */
function outcomeOf(step: Step, { active, ready, terminating }: Outcome): Outcome {
  if (step.type === 'create') return { active: active + step.count, ready, terminating, failure: undefined };
  if (step.type === 'wait') return { active: 0, ready, terminating, failure: undefined };
  if (step.type === 'none') return { active, ready, terminating, failure: undefined };
  const gone = step.pods.length;
  return { active: active - gone, ready: 0, terminating: terminating + gone, failure: undefined };
}

interface Sync {
  readonly events: string[];
  /** Written before finalizers are removed. */
  readonly first: JobStatus;
  readonly untracked: (string | undefined)[];
  readonly last: JobStatus;
  readonly isOver: boolean;
}

/** One sync without a server. */
function syncOf(job: Job, pods: readonly Pod[], failure?: Error, keeps: readonly string[] = []): Sync {
  const state = stateOf(job, pods, noBackoff, nowMs);
  const step = nextStep(state, nowMs);
  const { active, ready, terminating } = state;
  const outcome = outcomeOf(step, { active: active.length, ready, terminating, failure: undefined });
  const progress = progressOf(state, step, { ...outcome, failure }, nowMs);
  const tracking = trackingOf(state, progress, nowMs);
  const { status, isOver } = concludedStatus(tracking.status, tracking, new Set(keeps));
  const events = [...progress.events, ...(isOver ? endEvents({ ...job, status }, tracking.end!) : [])];
  return {
    events: events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    first: tracking.status,
    untracked: tracking.pods.map(({ metadata }) => metadata.name),
    last: status,
    isOver,
  };
}

const conditionsOf = ({ conditions = [] }: JobStatus): string[] =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

const succeeded = podOf('s', { phase: 'Succeeded' });
const failed = podOf('f', { phase: 'Failed' });

describe('finished pods of a Job', () => {
  test('Finished pods are put into the status by uid first, and counted when their finalizer is gone', () => {
    const { first, untracked, last } = syncOf(jobOf({ completions: 5, parallelism: 5 }), [succeeded, failed]);
    expect(first.uncountedTerminatedPods).toEqual({ succeeded: ['s'], failed: ['f'] });
    expect(first.succeeded).toBeUndefined();
    expect(untracked).toEqual(['s', 'f']);
    expect(last).toMatchObject({ succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
  });

  test('A finished pod is not counted before its finalizer is gone', () => {
    const { last } = syncOf(jobOf({ completions: 5, parallelism: 5 }), [succeeded, failed], undefined, ['f']);
    expect(last).toMatchObject({ succeeded: 1, failed: 0, uncountedTerminatedPods: { failed: ['f'] } });
  });

  test('A finished pod is counted once when the sync before was cut short', () => {
    const job = jobOf({ completions: 5, parallelism: 5 }, { uncountedTerminatedPods: { succeeded: ['s', 'gone'] } });
    const { first, untracked, last } = syncOf(job, [succeeded]);
    expect(first).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: ['s'] } });
    expect(untracked).toEqual(['s']);
    expect(last).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {} });
  });

  test('A finished pod without the finalizer is not counted again', () => {
    const job = jobOf({ completions: 5, parallelism: 5 }, { succeeded: 1, failed: 1 });
    const pods = [
      podOf('s', { phase: 'Succeeded', isCounted: true }),
      podOf('f', { phase: 'Failed', isCounted: true }),
    ];
    const { untracked, last } = syncOf(job, pods);
    expect(untracked).toEqual([]);
    expect(last).toMatchObject({ succeeded: 1, failed: 1 });
  });

  test('At most 500 finished pods are counted in one sync', () => {
    const pods = Array.from({ length: 700 }, (_, i) => podOf(`s${i}`, { phase: 'Succeeded' }));
    const { first, last, isOver } = syncOf(jobOf({ completions: 700, parallelism: 700 }), pods);
    expect(first.uncountedTerminatedPods?.succeeded).toHaveLength(500);
    expect(last.succeeded).toBe(500);
    expect(isOver).toBe(false);
  });

  test('Pods of an indexed Job are counted by their index', () => {
    const pods = [podOf('b', { phase: 'Succeeded', index: 2 }), podOf('a', { phase: 'Succeeded', index: 0 })];
    const { first, untracked } = syncOf(indexedJob(), pods);
    expect(first).toMatchObject({ succeeded: 2, completedIndexes: '0,2', uncountedTerminatedPods: {} });
    expect(untracked).toEqual(['a', 'b']);
  });

  test('Pods with an index that the Job does not have are released and not counted', () => {
    const pods = [podOf('a', { phase: 'Succeeded', index: 3 }), podOf('b', { phase: 'Failed' })];
    const { first, untracked } = syncOf(indexedJob(), pods);
    expect(first).toMatchObject({ succeeded: 0, completedIndexes: '', uncountedTerminatedPods: {} });
    expect(untracked).toEqual(['a', 'b']);
  });

  test('A failure that the policy ignores is not counted', () => {
    const rules = [{ action: 'Ignore' as const, onExitCodes: { operator: 'In' as const, values: [1] } }];
    const { first, untracked } = syncOf(jobOf({ podFailurePolicy: { rules } }), [failed]);
    expect(first.uncountedTerminatedPods).toEqual({});
    expect(untracked).toEqual(['f']);
  });

  test('A pod that is being deleted counts as failed where it is replaced at once', () => {
    const { first } = syncOf(jobOf(), [podOf('t', { isDeleted: true })]);
    expect(first).toMatchObject({ terminating: 1, uncountedTerminatedPods: { failed: ['t'] } });
  });

  test('A pod that is being deleted is not counted where the Job waits for its end', () => {
    const { first, untracked } = syncOf(jobOf({ podReplacementPolicy: 'Failed' }), [podOf('t', { isDeleted: true })]);
    expect(first).toMatchObject({ terminating: 1, uncountedTerminatedPods: {} });
    expect(untracked).toEqual([]);
  });

  test('The last failed pod of an index keeps its finalizer until the next pod has its count', () => {
    const job = indexedJob({ backoffLimitPerIndex: 3, parallelism: 1 });
    const last = podOf('last', { phase: 'Failed', finished: 3, index: 0, failures: 1 });
    const before = podOf('before', { phase: 'Failed', finished: 30, index: 0 });
    expect(syncOf(job, [last, before]).untracked).toEqual(['before']);
    const next = podOf('next', { index: 0, failures: 2 });
    expect(syncOf(job, [last, next]).untracked).toEqual(['last']);
  });

  test('All pods of a Job that is being deleted are released', () => {
    const job = jobOf({}, {}, { deletionTimestamp: now });
    const { first, untracked } = syncOf(job, [podOf('a'), succeeded]);
    expect(untracked).toEqual(['a', 's']);
    expect(first.uncountedTerminatedPods).toEqual({ succeeded: ['s'] });
  });

  test('A status without pods to be counted stays the same object', () => {
    const status: JobStatus = { succeeded: 2, uncountedTerminatedPods: { succeeded: ['a'] } };
    expect(settledStatus(status, new Set(['a']))).toBe(status);
  });
});

describe('the end of a Job', () => {
  test('A Job is complete when all pods are counted', () => {
    const { first, last, isOver, events } = syncOf(jobOf(), [succeeded]);
    expect(conditionsOf(first)).toEqual(['SuccessCriteriaMet=True CompletionsReached']);
    expect(conditionsOf(last)).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
    expect(last).toMatchObject({ completionTime: now, succeeded: 1, active: 0 });
    expect(isOver).toBe(true);
    expect(events).toEqual(['Normal Completed Job completed']);
  });

  test('A Job is not complete while a finalizer could not be removed', () => {
    const { last, isOver, events } = syncOf(jobOf(), [succeeded], undefined, ['s']);
    expect(conditionsOf(last)).toEqual(['SuccessCriteriaMet=True CompletionsReached']);
    expect(isOver).toBe(false);
    expect(events).toEqual([]);
  });

  test('A Job is not failed before its pods have ended', () => {
    const job = jobOf({ backoffLimit: 0, parallelism: 2, completions: 2 });
    const before = syncOf(job, [failed, podOf('a')]);
    expect(before).toMatchObject({ isOver: false, untracked: ['f', 'a'], events: [] });
    expect(before.last).toMatchObject({ failed: 2, active: 0, terminating: 1 });
    expect(conditionsOf(before.last)).toEqual(['FailureTarget=True BackoffLimitExceeded']);
    const after = syncOf({ ...job, status: before.last }, [podOf('f', { phase: 'Failed', isCounted: true })]);
    expect(after.isOver).toBe(true);
    expect(conditionsOf(after.last)).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ]);
    expect(after.last).toMatchObject({ failed: 2, terminating: 0 });
    expect(after.last.completionTime).toBeUndefined();
    expect(after.events).toEqual(['Warning BackoffLimitExceeded Job has reached the specified backoff limit']);
  });

  test('A Job is no FailureTarget while its pods could not be deleted', () => {
    const { first, isOver } = syncOf(jobOf({ backoffLimit: 0 }), [failed, podOf('a')], new Error('refused'));
    expect(conditionsOf(first)).toEqual([]);
    expect(isOver).toBe(false);
  });

  test('Pods that a success policy ends do not count as failed', () => {
    const job = indexedJob({ successPolicy: { rules: [{ succeededCount: 1 }] } });
    const pods = [podOf('s', { phase: 'Succeeded', index: 0 }), podOf('a', { index: 1 })];
    const { last, untracked } = syncOf(job, pods);
    expect(untracked).toEqual(['s', 'a']);
    expect(last).toMatchObject({ succeeded: 1, terminating: 1, completedIndexes: '0' });
    expect(last.failed).toBeUndefined();
  });

  test('A work queue is complete when the last pod has ended', () => {
    const job = jobOf({ completions: undefined, parallelism: 2 } as never);
    expect(syncOf(job, [succeeded, podOf('a')]).isOver).toBe(false);
    expect(syncOf(job, [succeeded, podOf('a', { phase: 'Failed' })]).isOver).toBe(true);
  });

  test('A Job with more successes than completions says so in an event', () => {
    const pods = [succeeded, podOf('s2', { phase: 'Succeeded' })];
    expect(syncOf(jobOf(), pods).events).toEqual([
      'Warning TooManySucceededPods Too many succeeded pods running after completion count reached',
      'Normal Completed Job completed',
    ]);
  });

  test('A Job with 0 completions is complete at once', () => {
    expect(syncOf(jobOf({ completions: 0 }), []).isOver).toBe(true);
  });
});

describe('a Job that is suspended and resumed', () => {
  const suspended = syncOf(jobOf({ suspend: true }, { startTime: ago(60) }), [podOf('a', { isReady: true })]);

  test('A suspended Job loses its pods without counting them', () => {
    expect(suspended.last).toMatchObject({ active: 0, ready: 0, terminating: 1, startTime: ago(60) });
    expect(suspended.last.failed).toBeUndefined();
    expect(conditionsOf(suspended.last)).toEqual(['Suspended=True JobSuspended']);
    expect(suspended.events).toEqual(['Normal Suspended Job suspended']);
  });

  test('A suspended Job says so in one event', () => {
    expect(syncOf(jobOf({ suspend: true }, suspended.last), []).events).toEqual([]);
  });

  test('A resumed Job has a new start time', () => {
    const { last, events } = syncOf(jobOf({ suspend: false }, suspended.last), []);
    expect(last).toMatchObject({ active: 1, startTime: now });
    expect(conditionsOf(last)).toEqual(['Suspended=False JobResumed']);
    expect(events).toEqual(['Normal Resumed Job resumed']);
  });

  test('A Job that was never suspended has no condition Suspended', () => {
    expect(syncOf(jobOf({ suspend: false }), []).last.conditions).toBeUndefined();
  });

  test('A Job that is complete is not suspended', () => {
    const { last } = syncOf(jobOf({ suspend: true }, { startTime: now }), [succeeded]);
    expect(conditionsOf(last)).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
  });
});
