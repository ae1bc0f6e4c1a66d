import type { JobStatus } from '../../gen/types/batch-v1.ts';

/** The conditions that hold. */
export const trueConditions = ({ conditions = [] }: JobStatus): ReadonlySet<string | undefined> =>
  new Set(conditions.filter(({ status }) => status === 'True').map(({ type }) => type));

export const isFinished = (conditions: ReadonlySet<string | undefined>): boolean =>
  conditions.has('Complete') || conditions.has('Failed');
