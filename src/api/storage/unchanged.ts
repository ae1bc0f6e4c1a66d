import { forbidden } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { isEqual } from '../../machinery/equal.ts';
import { FieldPath } from '../../machinery/field-path.ts';

/** An empty map and none are the same. */
export function checkUnchanged(value: unknown, old: unknown, member: string, errors: FieldErrors): void {
  if (!isEqual(value ?? {}, old ?? {}))
    errors.push(forbidden(FieldPath.of(member), `updates to ${member} are forbidden.`));
}
