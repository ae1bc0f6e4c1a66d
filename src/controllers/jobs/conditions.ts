/** Conditions of Jobs, with the reasons and messages that clients know. */
import type { JobCondition } from '../../api/gen/types/batch-v1.ts';
import { formatMs } from '../shared/times.ts';

export type Conditions = readonly JobCondition[];

/** What a condition says, without its times. */
export interface Finding {
  readonly reason: string;
  readonly message: string;
}

export const backoffLimitExceeded: Finding = {
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
export const deadlineExceeded: Finding = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};
export const maxFailedIndexesExceeded: Finding = {
  reason: 'MaxFailedIndexesExceeded',
  message: 'Job has exceeded the specified maximal number of failed indexes',
};
export const failedIndexes: Finding = { reason: 'FailedIndexes', message: 'Job has failed indexes' };
export const completionsReached: Finding = {
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** @param nowMs since 1970 */
export function newCondition(
  type: NonNullable<JobCondition['type']>,
  { reason, message }: Finding,
  nowMs: number,
  status: 'True' | 'False' = 'True',
): JobCondition {
  const now = formatMs(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

export const conditionOf = (conditions: Conditions, type: string): JobCondition | undefined =>
  conditions.find((condition) => condition.type === type);

export const heldCondition = (conditions: Conditions, type: string): JobCondition | undefined =>
  conditions.find((condition) => condition.type === type && condition.status === 'True');

/**
 * @returns the same list when it has the condition already. One that is false and was never there is not added: it
 *   would tell nothing.
 */
export function withCondition(conditions: Conditions, condition: JobCondition): Conditions {
  const before = conditionOf(conditions, condition.type!);
  if (before === undefined) return condition.status === 'False' ? conditions : [...conditions, condition];
  const isSame =
    before.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  return isSame ? conditions : conditions.map((other) => (other === before ? condition : other));
}

/** The condition that says that the Job is over: Complete or Failed. */
export const finishedCondition = (conditions: Conditions): JobCondition | undefined =>
  conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
