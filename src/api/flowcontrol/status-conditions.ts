import { duplicate, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';

const path = FieldPath.of('status', 'conditions');

/** Conditions of both kinds: each type once, and nothing else is asked of them. */
export function checkStatusConditions(conditions: readonly { type?: string }[] | undefined, errors: FieldErrors): void {
  const seen = new Set<string>();
  conditions?.forEach(({ type = '' }, i) => {
    const at = path.index(i).child('type');
    if (seen.has(type)) errors.push(duplicate(at, type));
    seen.add(type);
    if (type === '') errors.push(required(at, 'must not be empty'));
  });
}
