import { describe, expect, test } from 'vitest';
import type { PodFailurePolicyRule, SuccessPolicyRule } from '../../api/gen/types/batch-v1.ts';
import { judgeFailure } from './failure-policy.ts';
import { IndexSet } from './index-set.ts';
import { successOf } from './success-policy.ts';
import { indexedJob, jobOf, type PodOptions, podOf } from './testing/builders.ts';

describe('a pod failure policy', () => {
  const onExitCode = (action: PodFailurePolicyRule['action'], values: number[]): PodFailurePolicyRule => ({
    action: action!,
    onExitCodes: { operator: 'In', values },
  });
  const onDisruption = (action: PodFailurePolicyRule['action']): PodFailurePolicyRule => ({
    action: action!,
    onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
  });
  const disrupted: PodOptions = { conditions: [{ type: 'DisruptionTarget', status: 'True' }] };

  test.each([
    {
      name: 'no rule matches',
      rules: [onExitCode('FailJob', [2])],
      pod: { exitCode: 1 },
      action: undefined,
      counts: true,
    },
    { name: 'Ignore does not count', rules: [onDisruption('Ignore')], pod: disrupted, action: 'Ignore', counts: false },
    { name: 'Count counts', rules: [onExitCode('Count', [1])], pod: { exitCode: 1 }, action: 'Count', counts: true },
    {
      name: 'FailIndex counts',
      rules: [onExitCode('FailIndex', [1])],
      pod: { exitCode: 1 },
      action: 'FailIndex',
      counts: true,
    },
    {
      name: 'the first rule that matches decides',
      rules: [onDisruption('Ignore'), onExitCode('FailJob', [3]), onExitCode('Count', [3])],
      pod: { exitCode: 3 },
      action: 'FailJob',
      counts: true,
      failsJob: 'Container app for pod default/a failed with exit code 3 matching FailJob rule at index 1',
    },
    {
      name: 'by a condition of the pod',
      rules: [onDisruption('FailJob')],
      pod: disrupted,
      action: 'FailJob',
      counts: true,
      failsJob: 'Pod default/a has condition DisruptionTarget matching FailJob rule at index 0',
    },
    {
      name: 'a condition with another status',
      rules: [onDisruption('FailJob')],
      pod: { conditions: [{ type: 'DisruptionTarget', status: 'False' }] } as PodOptions,
      action: undefined,
      counts: true,
    },
    {
      name: 'a container that succeeded does not match NotIn',
      rules: [{ action: 'FailJob', onExitCodes: { operator: 'NotIn', values: [1] } }] as PodFailurePolicyRule[],
      pod: { exitCode: 0 },
      action: undefined,
      counts: true,
    },
    {
      name: 'another container',
      rules: [
        { action: 'FailJob', onExitCodes: { containerName: 'other', operator: 'In', values: [1] } },
      ] as PodFailurePolicyRule[],
      pod: { exitCode: 1 },
      action: undefined,
      counts: true,
    },
  ])('A pod failure policy: $name', ({ rules, pod, action, counts, failsJob }) => {
    const { spec } = jobOf({ podFailurePolicy: { rules } });
    const expected = { action, counts, ...(failsJob === undefined ? {} : { failsJob }) };
    expect(judgeFailure(spec, podOf('a', pod))).toEqual(expected);
  });

  test('Without a pod failure policy all failures count', () => {
    expect(judgeFailure(jobOf().spec, podOf('a', { exitCode: 1 }))).toEqual({ action: undefined, counts: true });
  });
});

describe('a success policy', () => {
  test.each<{ name: string; rules: SuccessPolicyRule[]; done: string; met: string | undefined }>([
    {
      name: 'all of its indexes',
      rules: [{ succeededIndexes: '0,2' }],
      done: '0,2,4',
      met: 'Matched rules at index 0',
    },
    { name: 'not all of its indexes', rules: [{ succeededIndexes: '0,2' }], done: '0,1', met: undefined },
    {
      name: 'some of its indexes are enough',
      rules: [{ succeededIndexes: '0-3', succeededCount: 2 }],
      done: '1,3,7',
      met: 'Matched rules at index 0',
    },
    {
      name: 'too few of its indexes',
      rules: [{ succeededIndexes: '0-3', succeededCount: 2 }],
      done: '3-7',
      met: undefined,
    },
    { name: 'any indexes', rules: [{ succeededCount: 3 }], done: '4-6', met: 'Matched rules at index 0' },
    {
      name: 'the second rule',
      rules: [{ succeededIndexes: '9' }, { succeededCount: 1 }],
      done: '4',
      met: 'Matched rules at index 1',
    },
    { name: 'nothing has succeeded', rules: [{ succeededCount: 0 }], done: '', met: undefined },
    { name: 'indexes that cannot be read', rules: [{ succeededIndexes: 'x' }], done: '1', met: undefined },
  ])('A success policy: $name', ({ rules, done, met }) => {
    const { spec } = indexedJob({ completions: 10, successPolicy: { rules } });
    expect(successOf(spec, IndexSet.parse(done, 10))).toBe(met);
  });

  test('A Job without a success policy has no early success', () => {
    expect(successOf(indexedJob().spec, IndexSet.parse('0-1', 3))).toBeUndefined();
  });
});
