/**
 * Whether an indexed Job has succeeded before all of its indexes have.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy | Success policy}
 */
import type { JobSpec, SuccessPolicyRule } from '../../api/gen/types/batch-v1.ts';
import { IndexSet } from './index-set.ts';

/** @returns what the condition of the Job says; undefined while no rule is met */
export function successOf({ successPolicy, completions = 0 }: JobSpec, succeeded: IndexSet): string | undefined {
  if (succeeded.size === 0) return undefined;
  const met = (successPolicy?.rules ?? []).findIndex((rule) => isMet(rule, completions, succeeded));
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}

function isMet({ succeededIndexes, succeededCount }: SuccessPolicyRule, completions: number, done: IndexSet): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && done.size >= succeededCount;
  const wanted = IndexSet.parse(succeededIndexes, completions);
  return wanted.size > 0 && wanted.countCommon(done) >= (succeededCount ?? wanted.size);
}
