import { describe, expect, test } from 'vitest';
import type { Job } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { type Backoff, noBackoff } from './backoff.ts';
import { nextStep, stateOf, type Step } from './sync.ts';
import { ago, indexedJob, jobOf, now, nowMs, podOf } from './testing/builders.ts';

/** A step as a line: `create 2`, `create 0,1`, `remove a,b`, `end a`, `wait 10 s`, `none`. */
function shown(step: Step): string {
  switch (step.type) {
    case 'create':
      return `create ${step.indexes?.join(',') ?? step.count}`;
    case 'end':
    case 'remove':
      return `${step.type} ${step.pods.map(({ metadata }) => metadata.name).join(',')}`.trim();
    case 'wait':
      return `wait ${step.remainingMs / 1000} s`;
    case 'none':
      return 'none';
  }
}

const stepOf = (job: Job, pods: readonly Pod[], backoff: Backoff = noBackoff): string =>
  shown(nextStep(stateOf(job, pods, backoff, nowMs), nowMs));

interface Row {
  readonly name: string;
  readonly job: Job;
  readonly pods?: readonly Pod[];
  readonly backoff?: Backoff;
  readonly step: string;
}

const succeeded = podOf('s', { phase: 'Succeeded' });
const failedLongAgo = podOf('f', { phase: 'Failed', finished: 3000 });
const failedNow = podOf('f', { phase: 'Failed', finished: 0 });
const terminating = podOf('t', { isDeleted: true });

describe('the next step of a Job', () => {
  test.each<Row>([
    { name: 'as many at a time as it may', job: jobOf({ completions: 5, parallelism: 2 }), step: 'create 2' },
    {
      name: 'no more than are left',
      job: jobOf({ completions: 3, parallelism: 5 }),
      pods: [succeeded],
      step: 'create 2',
    },
    {
      name: 'what the status counts is done',
      job: jobOf({ completions: 3, parallelism: 5 }, { succeeded: 2 }),
      pods: [podOf('counted', { phase: 'Succeeded', isCounted: true })],
      step: 'create 1',
    },
    {
      name: 'what the status has and does not count yet is done',
      job: jobOf({ completions: 3, parallelism: 5 }, { uncountedTerminatedPods: { succeeded: ['gone', 's'] } }),
      pods: [succeeded],
      step: 'create 1',
    },
    { name: 'none while there are enough', job: jobOf(), pods: [podOf('a')], step: 'none' },
    { name: 'none with a parallelism of 0', job: jobOf({ parallelism: 0 }), step: 'none' },
    { name: 'at most 500 at once', job: jobOf({ completions: 2000, parallelism: 2000 }), step: 'create 500' },
    {
      name: 'too many are removed',
      job: jobOf({ completions: 5, parallelism: 1 }),
      pods: [podOf('old', { created: 90 }), podOf('young', { created: 10 })],
      step: 'remove young',
    },
    {
      name: 'a work queue is full until one succeeds',
      job: jobOf({ completions: undefined, parallelism: 3 } as never),
      pods: [podOf('a')],
      step: 'create 2',
    },
    {
      name: 'a work queue ends by itself once one has succeeded',
      job: jobOf({ completions: undefined, parallelism: 3 } as never),
      pods: [podOf('a'), succeeded],
      step: 'none',
    },
    {
      name: 'a suspended Job has none',
      job: jobOf({ suspend: true }),
      pods: [podOf('a'), succeeded],
      step: 'remove a',
    },
    { name: 'a suspended Job makes none', job: jobOf({ suspend: true }), step: 'none' },
    { name: 'a Job that is deleted makes none', job: jobOf({}, {}, { deletionTimestamp: now }), step: 'none' },
    {
      name: 'a pod that is deleted is replaced at once',
      job: jobOf(),
      pods: [podOf('t', { isDeleted: true, created: 20 })],
      step: 'wait 10 s',
    },
    {
      name: 'a pod that is deleted is replaced when it is gone, where the Job wants that',
      job: jobOf({ podReplacementPolicy: 'Failed' }),
      pods: [terminating],
      step: 'none',
    },
    {
      name: 'a pod that is deleted is replaced when it is gone, where failures are judged',
      job: jobOf({ podFailurePolicy: { rules: [] } }),
      pods: [terminating],
      step: 'none',
    },
    { name: 'after a failure it waits', job: jobOf(), pods: [failedNow], step: 'wait 10 s' },
    {
      name: 'after several failures it waits longer',
      job: jobOf(),
      pods: [failedNow],
      backoff: { failures: 2, lastFailureMs: 0 },
      step: 'wait 40 s',
    },
    { name: 'an old failure holds nothing up', job: jobOf(), pods: [failedLongAgo], step: 'create 1' },
    {
      name: 'a wait goes on when the failure is counted',
      job: jobOf({}, { failed: 1 }),
      backoff: { failures: 1, lastFailureMs: nowMs - 4000 },
      step: 'wait 6 s',
    },
  ])('The next step of a Job: $name', ({ job, pods = [], backoff, step }) => {
    expect(stepOf(job, pods, backoff)).toBe(step);
  });
});

describe('the next step of an indexed Job', () => {
  const done = podOf('done', { phase: 'Succeeded', index: 1 });
  test.each<Row>([
    { name: 'the first ones first', job: indexedJob({ completions: 5, parallelism: 2 }), step: 'create 0,1' },
    { name: 'without those that are done', job: indexedJob(), pods: [done], step: 'create 0,2' },
    {
      name: 'without those that run',
      job: indexedJob({}, { completedIndexes: '1' }),
      pods: [podOf('a', { index: 0 })],
      step: 'create 2',
    },
    {
      name: 'a second pod of an index goes',
      job: indexedJob(),
      pods: [podOf('a', { index: 0, node: 'n' }), podOf('b', { index: 0 }), podOf('c', { index: 1 })],
      step: 'remove b',
    },
    {
      name: 'pods beyond a smaller number of completions go',
      job: indexedJob({ completions: 1, parallelism: 1 }),
      pods: [podOf('a', { index: 0 }), podOf('b', { index: 1 }), podOf('c', { index: 2 })],
      step: 'remove b,c',
    },
    {
      name: 'an index waits for its pod to be gone, where the Job wants that',
      job: indexedJob({ podReplacementPolicy: 'Failed' }),
      pods: [podOf('a', { index: 0, isDeleted: true })],
      step: 'create 1,2',
    },
    {
      name: 'one failure holds up all, where the Job counts them together',
      job: indexedJob(),
      pods: [podOf('f', { phase: 'Failed', finished: 0, index: 0 })],
      step: 'wait 10 s',
    },
    {
      name: 'a failure holds up its own index, where each counts its own',
      job: indexedJob({ backoffLimitPerIndex: 3 }),
      pods: [podOf('f', { phase: 'Failed', finished: 0, index: 0 })],
      step: 'create 1,2',
    },
    {
      name: 'nothing but indexes that wait',
      job: indexedJob({ backoffLimitPerIndex: 3 }),
      pods: [
        podOf('f', { phase: 'Failed', finished: 4, index: 0 }),
        podOf('a', { index: 1 }),
        podOf('b', { index: 2 }),
      ],
      step: 'wait 6 s',
    },
    {
      name: 'an index that has failed for good is left',
      job: indexedJob({ backoffLimitPerIndex: 1 }, { failedIndexes: '0' }),
      step: 'create 1,2',
    },
    {
      name: 'an index whose last pod failed for good is left',
      job: indexedJob({ backoffLimitPerIndex: 1 }),
      pods: [podOf('f', { phase: 'Failed', index: 0, failures: 1 })],
      step: 'create 1,2',
    },
  ])('The next step of an indexed Job: $name', ({ job, pods = [], backoff, step }) => {
    expect(stepOf(job, pods, backoff)).toBe(step);
  });
});

interface VerdictRow extends Omit<Row, 'step'> {
  readonly verdict: string | undefined;
}

describe('the verdict on a Job', () => {
  const met = (type: 'SuccessCriteriaMet' | 'FailureTarget'): Job['status'] => ({
    conditions: [{ type, status: 'True', reason: 'Known', message: 'is known' }],
  });
  const fatal = { rules: [{ action: 'FailJob' as const, onExitCodes: { operator: 'In' as const, values: [5] } }] };

  test.each<VerdictRow>([
    { name: 'it goes on', job: jobOf(), pods: [podOf('a')], verdict: undefined },
    { name: 'as many failures as allowed', job: jobOf({ backoffLimit: 1 }), pods: [failedNow], verdict: undefined },
    {
      name: 'more failures than allowed',
      job: jobOf({ backoffLimit: 1 }, { failed: 1 }),
      pods: [failedNow],
      verdict: 'FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit',
    },
    {
      name: 'failures that are in the status and not counted yet',
      job: jobOf({ backoffLimit: 1 }, { uncountedTerminatedPods: { failed: ['f', 'gone'] } }),
      pods: [failedNow],
      verdict: 'FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit',
    },
    {
      name: 'restarts count where containers are restarted',
      job: jobOf({
        backoffLimit: 2,
        parallelism: 2,
        template: { metadata: {}, spec: { containers: [], restartPolicy: 'OnFailure' } },
      }),
      pods: [podOf('a', { restarts: 1 }), podOf('b', { restarts: 1 })],
      verdict: 'FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit',
    },
    {
      name: 'restarts do not count elsewhere',
      job: jobOf({ backoffLimit: 0 }),
      pods: [podOf('a', { restarts: 5 })],
      verdict: undefined,
    },
    {
      name: 'its time is over',
      job: jobOf({ activeDeadlineSeconds: 60 }, { startTime: ago(60) }),
      pods: [podOf('a')],
      verdict: 'FailureTarget DeadlineExceeded: Job was active longer than specified deadline',
    },
    {
      name: 'its time is not over',
      job: jobOf({ activeDeadlineSeconds: 61 }, { startTime: ago(60) }),
      verdict: undefined,
    },
    {
      name: 'time does not pass while it is suspended',
      job: jobOf({ activeDeadlineSeconds: 6, suspend: true }, { startTime: ago(60) }),
      verdict: undefined,
    },
    {
      name: 'a failure that ends it',
      job: jobOf({ podFailurePolicy: fatal }),
      pods: [podOf('f', { phase: 'Failed', exitCode: 5 })],
      verdict:
        'FailureTarget PodFailurePolicy: Container app for pod default/f failed with exit code 5 matching ' +
        'FailJob rule at index 0',
    },
    {
      name: 'a pod that still runs is not judged',
      job: jobOf({ podFailurePolicy: fatal }),
      pods: [podOf('f', { exitCode: 5 })],
      verdict: undefined,
    },
    {
      name: 'too many failed indexes',
      job: indexedJob({ backoffLimitPerIndex: 0, maxFailedIndexes: 1, backoffLimit: 99 }, { failedIndexes: '0' }),
      pods: [podOf('f', { phase: 'Failed', index: 2 })],
      verdict:
        'FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes',
    },
    {
      name: 'all indexes are over, and not all are well',
      job: indexedJob({ backoffLimitPerIndex: 0, backoffLimit: 99 }, { failedIndexes: '0', completedIndexes: '1' }),
      pods: [podOf('s', { phase: 'Succeeded', index: 2 })],
      verdict: 'FailureTarget FailedIndexes: Job has failed indexes',
    },
    {
      name: 'enough has succeeded',
      job: indexedJob({ successPolicy: { rules: [{ succeededIndexes: '2' }] } }),
      pods: [podOf('s', { phase: 'Succeeded', index: 2 }), podOf('a', { index: 0 })],
      verdict: 'SuccessCriteriaMet SuccessPolicy: Matched rules at index 0',
    },
    {
      name: 'a failure weighs more than a success',
      job: indexedJob({ backoffLimit: 0, successPolicy: { rules: [{ succeededIndexes: '2' }] } }),
      pods: [podOf('s', { phase: 'Succeeded', index: 2 }), podOf('f', { phase: 'Failed', index: 0 })],
      verdict: 'FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit',
    },
    {
      name: 'a success that is known stays one',
      job: jobOf({ backoffLimit: 0 }, met('SuccessCriteriaMet')),
      pods: [failedNow],
      verdict: 'SuccessCriteriaMet Known: is known',
    },
    {
      name: 'a failure that is known stays the same',
      job: jobOf({ backoffLimit: 0 }, met('FailureTarget')),
      pods: [failedNow],
      verdict: 'Failed Known: is known',
    },
  ])('The verdict on a Job: $name', ({ job, pods = [], verdict }) => {
    const found = stateOf(job, pods, noBackoff, nowMs).verdict;
    expect(found === undefined ? undefined : `${found.type} ${found.reason}: ${found.message}`).toBe(verdict);
  });

  test('Active pods are deleted when a Job ends', () => {
    const job = jobOf({ backoffLimit: 0, parallelism: 2, completions: 2 });
    expect(stepOf(job, [failedNow, podOf('a'), succeeded, terminating])).toBe('end a');
  });
});

test('Pods of a Job are counted as active, ready and terminating', () => {
  const pods = [
    podOf('ready', { isReady: true }),
    podOf('pending', { phase: 'Pending' }),
    terminating,
    podOf('over', { phase: 'Failed', isDeleted: true }),
  ];
  const { active, ready, terminating: ending } = stateOf(jobOf({ parallelism: 4 }), pods, noBackoff, nowMs);
  expect({ active: active.length, ready, ending }).toEqual({ active: 2, ready: 1, ending: 1 });
});

test.each([
  { name: 'with its first look', job: jobOf(), startTime: now },
  { name: 'once', job: jobOf({}, { startTime: ago(60) }), startTime: ago(60) },
  { name: 'not while it is suspended', job: jobOf({ suspend: true }), startTime: undefined },
])('A Job starts $name', ({ job, startTime }) => {
  expect(stateOf(job, [], noBackoff, nowMs).startTime).toBe(startTime);
});
