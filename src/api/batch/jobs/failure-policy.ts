/**
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy | Pod failure policy}
 */
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../gen/types/batch-v1.ts';
import { duplicate, invalid, notSupported, omitted, required, tooMany } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goNumbers, goQuote, type GoSyntax } from '../../../machinery/go-quote.ts';
import { checkLabelName } from '../../meta/labels.ts';

const maxRules = 20;
const maxExitCodes = 255;
const maxConditions = 20;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** A Job without a policy has nothing to judge. */
export function checkFailurePolicy(
  { podFailurePolicy, template, backoffLimitPerIndex }: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (podFailurePolicy === undefined) return;
  const { rules = [] } = podFailurePolicy;
  const rulesPath = path.child('rules');
  if (rules.length > maxRules) errors.push(tooMany(rulesPath, rules.length, maxRules));
  const { containers = [], initContainers = [] } = template.spec;
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  rules.forEach((rule, i) => {
    checkAction(rule.action, backoffLimitPerIndex !== undefined, rulesPath.index(i).child('action'), errors);
    checkRule(rule, names, rulesPath.index(i), errors);
  });
}

function checkAction(action: string | undefined, countsIndexes: boolean, path: FieldPath, errors: FieldErrors): void {
  if (action === 'FailIndex') {
    if (!countsIndexes) errors.push(invalid(path, action, 'requires the backoffLimitPerIndex to be set'));
  } else checkChoice(action, actions, path, errors);
}

/** An absent value is answered with the list of those that may be. */
function checkChoice(
  value: string | undefined,
  choices: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (value === undefined || value === '')
    errors.push(required(path, `valid values: [${choices.map(goQuote).join(' ')}]`));
  else if (!choices.includes(value)) errors.push(notSupported(path, value, choices));
}

function checkRule(
  { onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  containers: ReadonlySet<string | undefined>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (onExitCodes !== undefined) checkExitCodes(onExitCodes, containers, path.child('onExitCodes'), errors);
  checkPatterns(onPodConditions, path.child('onPodConditions'), errors);
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    errors.push(invalid(path, omitted, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (onExitCodes === undefined && onPodConditions.length === 0)
    errors.push(invalid(path, omitted, 'specifying one of OnExitCodes and OnPodConditions is required'));
}

function checkPatterns(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (patterns.length > maxConditions) errors.push(tooMany(path, patterns.length, maxConditions));
  patterns.forEach(({ type = '', status }, i) => {
    checkLabelName(type, path.index(i).child('type'), errors);
    checkChoice(status, statuses, path.index(i).child('status'), errors);
  });
}

const shownCodes = (values: readonly number[] | undefined): GoSyntax => goNumbers('[]int32', values);

function checkExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string | undefined>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkChoice(operator, operators, path.child('operator'), errors);
  if (containerName !== undefined && !containers.has(containerName))
    errors.push(
      invalid(
        path.child('containerName'),
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  const valuesPath = path.child('values');
  const count = values?.length ?? 0;
  if (count === 0) errors.push(invalid(valuesPath, shownCodes(values), 'at least one value is required'));
  else if (count > maxExitCodes) errors.push(tooMany(valuesPath, count, maxExitCodes));
  checkCodes(values ?? [], operator === 'In', valuesPath, errors);
}

function checkCodes(values: readonly number[], mustFail: boolean, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<number>();
  values.forEach((value, i) => {
    if (mustFail && value === 0) errors.push(invalid(path.index(i), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(path.index(i), value));
    seen.add(value);
  });
  if (values.some((value, i) => i > 0 && values[i - 1]! > value))
    errors.push(invalid(path, shownCodes(values), 'must be ordered'));
}
