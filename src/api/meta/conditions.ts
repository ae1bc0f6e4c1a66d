/**
 * Conditions with the standard fields. @see {@link
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 * | API Conventions: typical status properties}
 */
import { duplicate, invalid, notSupported, required, tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength, isConditionReason } from '../../machinery/formats/names.ts';
import { checkFormat } from './checks.ts';
import { checkLabelName } from './labels.ts';

export interface Condition {
  type?: string;
  status?: string;
  observedGeneration?: number | bigint;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

const statuses = ['False', 'True', 'Unknown'];
const maxReasonLength = 1024;
const maxMessageLength = 32 * 1024;

export function checkConditions(
  conditions: readonly Condition[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  conditions?.forEach((condition, i) => {
    const type = condition.type ?? '';
    if (seen.has(type)) errors.push(duplicate(path.index(i).child('type'), type));
    seen.add(type);
    checkCondition(condition, path.index(i), errors);
  });
}

export function checkCondition(condition: Condition, path: FieldPath, errors: FieldErrors): void {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  checkLabelName(type, path.child('type'), errors);
  if (!statuses.includes(status)) errors.push(notSupported(path.child('status'), status, statuses));
  if (observedGeneration < 0)
    errors.push(invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'));
  if (lastTransitionTime === undefined) errors.push(required(path.child('lastTransitionTime'), 'must be set'));
  if (reason === '') errors.push(required(path.child('reason'), 'must be set'));
  else {
    checkFormat(isConditionReason, reason, path.child('reason'), errors);
    if (byteLength(reason) > maxReasonLength) errors.push(tooLong(path.child('reason'), maxReasonLength));
  }
  if (byteLength(message) > maxMessageLength) errors.push(tooLong(path.child('message'), maxMessageLength));
}
