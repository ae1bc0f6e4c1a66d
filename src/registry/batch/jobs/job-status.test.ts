import { describe, expect, it } from 'vitest';
import type { JobStatus } from '../../../api/gen/types/batch-v1.ts';
import { joined } from '../../../../test/support/patterns.ts';
import { jobs, job, type Json } from './testing/jobs.ts';

describe('a status of a Job', () => {
  const start = '2026-01-01T00:00:00Z';
  const end = '2026-01-01T00:05:00Z';
  const conditions = (...types: string[]): JobStatus['conditions'] => types.map((type) => ({ type, status: 'True' }));
  const complete: JobStatus = {
    startTime: start,
    completionTime: end,
    succeeded: 1,
    conditions: conditions('SuccessCriteriaMet', 'Complete'),
  };
  const failed: JobStatus = { startTime: start, failed: 1, conditions: conditions('FailureTarget', 'Failed') };

  const report = (status: JobStatus, before: JobStatus = {}, spec: Json = {}): readonly string[] =>
    jobs.update(job(spec, { status: before }), job(spec, { status }), 'status').errors;

  it.each([
    { name: 'running', status: { startTime: start, active: 2, ready: 1, terminating: 1 } },
    { name: 'complete', status: complete },
    { name: 'failed', status: failed },
    {
      name: 'complete without having started',
      status: { completionTime: end, conditions: conditions('SuccessCriteriaMet', 'Complete') },
      spec: { suspend: true, completions: 0 },
    },
    { name: 'held, its start forgotten', before: { startTime: start, active: 1 }, status: {}, spec: { suspend: true } },
    {
      name: 'resumed, with a new start',
      before: { startTime: start, conditions: conditions('Suspended') },
      status: { startTime: end, active: 1, conditions: [{ type: 'Suspended', status: 'False' }] },
    },
    {
      name: 'smaller than before, where it is elastic',
      before: { succeeded: 3 },
      status: { succeeded: 2 },
      spec: { completionMode: 'Indexed', completions: 2, parallelism: 2 },
    },
    {
      name: 'wrong in what does not change',
      before: { conditions: conditions('Complete'), active: 1, completedIndexes: 'x' },
      status: { conditions: conditions('Complete'), active: 1, completedIndexes: 'x', ready: 1 },
    },
  ])('A status of a Job is taken: $name', ({ before, status, spec }) => {
    expect(report(status, before, spec)).toEqual([]);
  });

  it.each([
    {
      name: 'complete and failed',
      status: { ...complete, conditions: conditions('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') },
      errors: [
        'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    },
    {
      name: 'failed all at once',
      status: { ...failed, conditions: conditions('Failed') },
      errors: [
        'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
      ],
    },
    {
      name: 'a completion time of a Job that is not complete',
      status: { startTime: start, completionTime: end },
      errors: [
        'status.completionTime: Invalid value: 2026-01-01 00:05:00 +0000 UTC: cannot set completionTime when ' +
          'there is no Complete=True condition',
      ],
    },
    {
      name: 'finished with pods',
      status: { ...failed, active: 1, terminating: 2, uncountedTerminatedPods: { failed: ['u'] } },
      errors: [
        'status.active: Invalid value: 1: active>0 is invalid for finished job',
        expect.stringMatching(
          joined(
            /^status\.uncountedTerminatedPods: Invalid value: .*uncountedTerminatedPods needs to be empty for /,
            /finished job$/,
          ),
        ),
        'status.terminating: Invalid value: 2: terminating>0 is invalid for finished job',
      ],
    },
    {
      name: 'finished without a start',
      status: { ...failed, startTime: undefined },
      errors: ['status.startTime: Required value: startTime is required for finished job'],
    },
    {
      name: 'pods counted twice',
      status: { uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } },
      errors: [
        'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
      ],
    },
    {
      name: 'complete without meeting its policy',
      status: { ...complete, conditions: conditions('Complete') },
      spec: { completionMode: 'Indexed', completions: 1, successPolicy: { rules: [{ succeededCount: 1 }] } },
      errors: [
        'status.conditions: Invalid value: cannot set Complete=True condition without the ' +
          'SuccessCriteriaMet=true condition',
        'status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless ' +
          'SuccessCriteriaMet=True',
      ],
    },
    {
      name: 'indexes that are both',
      status: { completedIndexes: '0-2', failedIndexes: '2,4' },
      spec: { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 },
      errors: ['status.failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2'],
    },
    {
      name: 'indexes out of order',
      status: { completedIndexes: '3,1' },
      spec: { completionMode: 'Indexed', completions: 5 },
      errors: [
        'status.completedIndexes: Invalid value: "3,1": error parsing completedIndexes: non-increasing order, ' +
          'previous: 3, current: 1',
      ],
    },
    {
      name: 'failed indexes without a backoff limit per index',
      status: { failedIndexes: '' },
      errors: [
        'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    },
    {
      name: 'what is final taken back',
      before: complete,
      status: { startTime: start, succeeded: 0 },
      errors: [
        'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
        'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter',
        'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
      ],
    },
    {
      name: 'fewer failures',
      before: { failed: 3 },
      status: { failed: 1 },
      errors: ['status.failed: Invalid value: 1: cannot decrease the failed counter'],
    },
    {
      name: 'another end',
      before: complete,
      status: { ...complete, completionTime: '2026-01-01T00:06:00Z' },
      errors: ['status.completionTime: Invalid value: 2026-01-01 00:06:00 +0000 UTC: completionTime cannot be mutated'],
    },
    {
      name: 'a start that moves while it goes on',
      before: { startTime: start },
      status: { startTime: end },
      errors: ['status.startTime: Required value: startTime cannot be removed for unsuspended job'],
    },
    {
      name: 'a start forgotten when it is resumed',
      before: { startTime: start, conditions: conditions('Suspended') },
      status: {},
      errors: ['status.startTime: Required value: startTime cannot be removed for unsuspended job'],
    },
    {
      name: 'a start forgotten',
      before: { startTime: start },
      status: {},
      errors: ['status.startTime: Required value: startTime cannot be removed for unsuspended job'],
    },
    {
      name: 'criteria met after the fact',
      before: { ...complete, conditions: conditions('Complete') },
      status: complete,
      errors: [
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has ' +
          'Complete=true conditions',
      ],
    },
  ])('A status of a Job is refused: $name', ({ before, status, spec, errors }) => {
    expect(report(status, before, spec)).toEqual(errors);
  });
});
