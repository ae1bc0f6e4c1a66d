import type { JobSpec } from '../../gen/types/batch-v1.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { podWarnings } from '../../core/pods/warnings.ts';

const manyCompletions = 100_000;
const highParallelism = 10_000;

export function* jobSpecWarnings(
  { completionMode, completions = 0, parallelism = 0, template }: JobSpec,
  path: FieldPath,
): Generator<string> {
  const mayLoseIndexes = completionMode === 'Indexed' && completions > manyCompletions && parallelism > highParallelism;
  if (mayLoseIndexes)
    yield `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than ` +
      '10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  yield* podWarnings(template, path.child('template'));
}
