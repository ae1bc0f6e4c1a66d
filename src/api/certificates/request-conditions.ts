import type { CertificateSigningRequestCondition } from '../gen/types/certificates-v1.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { keyOf } from '../meta/checks.ts';

type Conditions = readonly CertificateSigningRequestCondition[];

const path = FieldPath.of('status', 'conditions');
/** Conditions that are decisions: true, and for good. */
const decisions = ['Approved', 'Denied', 'Failed'];

/** Approved and Denied exclude each other. */
export function checkRequestConditions(conditions: Conditions, errors: FieldErrors): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = '', status = '' }, i) => {
    const at = path.index(i);
    if (type === '') errors.push(required(at.child('type')));
    checkStatus(type, status, at.child('status'), errors);
    if ((type === 'Approved' && seen.has('Denied')) || (type === 'Denied' && seen.has('Approved')))
      errors.push(invalid(at.child('type'), type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type)) errors.push(duplicate(at.child('type'), type));
    seen.add(type);
  });
}

function checkStatus(type: string, status: string, at: FieldPath, errors: FieldErrors): void {
  if (status === '') errors.push(required(at));
  else if (decisions.includes(type) && status !== 'True') errors.push(notSupported(at, status, ['True']));
  else if (!['False', 'True', 'Unknown'].includes(status))
    errors.push(notSupported(at, status, ['False', 'True', 'Unknown']));
}

/** What may become of decisions: none goes, and approval alone decides between Approved and Denied. */
export function checkDecisions(
  conditions: Conditions,
  old: Conditions,
  mayApprove: boolean,
  errors: FieldErrors,
): void {
  for (const type of decisions) {
    if (ofType(conditions, type).length < ofType(old, type).length)
      errors.push(forbidden(path, `updates may not remove a condition of type "${type}"`));
  }
  if (mayApprove) return;
  for (const type of ['Approved', 'Denied']) {
    const now = ofType(conditions, type);
    const before = ofType(old, type);
    if (now.length > before.length) errors.push(forbidden(path, `updates may not add a condition of type "${type}"`));
    else if (now.length === before.length && !isEqual(now, before))
      errors.push(forbidden(path, `updates may not modify a condition of type "${type}"`));
  }
}

const ofType = (conditions: Conditions, type: string): CertificateSigningRequestCondition[] =>
  conditions.filter((condition) => condition.type === type);

const stateOf = ({ type = '', status = '' }: CertificateSigningRequestCondition): string => keyOf(type, status);

/** A condition without times gets them: when its status changed is known from the one there was. */
export function setConditionTimes(conditions: Conditions | undefined, old: Conditions | undefined, now: string): void {
  const times = new Map<string, string>();
  for (const condition of old ?? []) {
    const { lastTransitionTime } = condition;
    if (lastTransitionTime !== undefined && !times.has(stateOf(condition)))
      times.set(stateOf(condition), lastTransitionTime);
  }
  for (const condition of conditions ?? []) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= times.get(stateOf(condition)) ?? now;
  }
}
