/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy | Success policy} */
import type { JobSpec, SuccessPolicyRule } from '../../gen/types/batch-v1.ts';
import { invalid, required, tooLong, tooMany } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { countIndexes, IndexesError } from './indexes.ts';
import { shownStruct } from '../../shown-struct.ts';

const maxRules = 20;
const maxIndexesLength = 64 * 1024;

/** A Job without a policy has nothing to judge. */
export function checkSuccessPolicy(
  { successPolicy, completionMode, completions = 0 }: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (successPolicy === undefined) return;
  if (completionMode !== 'Indexed')
    return void errors.push(
      invalid(path, shownStruct('batch/v1.SuccessPolicy', successPolicy), 'requires indexed completion mode'),
    );
  const { rules = [] } = successPolicy;
  const rulesPath = path.child('rules');
  if (rules.length === 0)
    errors.push(required(rulesPath, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > maxRules) errors.push(tooMany(rulesPath, rules.length, maxRules));
  rules.forEach((rule, i) => checkRule(rule, completions, rulesPath.index(i), errors));
}

function checkRule(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (succeededIndexes === undefined && succeededCount === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  const indexes =
    succeededIndexes === undefined
      ? undefined
      : checkIndexes(succeededIndexes, completions, path.child('succeededIndexes'), errors);
  if (succeededCount !== undefined)
    checkCount(succeededCount, completions, indexes, path.child('succeededCount'), errors);
}

/** How many indexes there are, none when they cannot be read. */
function checkIndexes(text: string, completions: number, path: FieldPath, errors: FieldErrors): number {
  if (byteLength(text) > maxIndexesLength) errors.push(tooLong(path, maxIndexesLength));
  try {
    return countIndexes(text, completions);
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    errors.push(invalid(path, text, `error parsing succeededIndexes: ${error.message}`));
    return 0;
  }
}

function checkCount(
  count: number,
  completions: number,
  indexes: number | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkNonNegative(count, path, errors);
  if (count > completions)
    errors.push(
      invalid(path, count, `must be less than or equal to ${completions} (the number of specified completions)`),
    );
  if (indexes !== undefined && count > indexes)
    errors.push(
      invalid(
        path,
        count,
        `must be less than or equal to ${indexes} (the number of indexes in the specified succeededIndexes field)`,
      ),
    );
}
