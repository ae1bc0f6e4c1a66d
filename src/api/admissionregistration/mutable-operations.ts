import type { MatchResources } from '../gen/types/admissionregistration-v1.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { checkEnum } from '../meta/checks.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** A deletion has no object that could be changed. */
export function checkMutableOperations(
  resources: MatchResources | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  // Upstream names no rule.
  const at = path.child('resourceRules', 'operations');
  for (const rule of resources?.resourceRules ?? [])
    for (const operation of rule.operations ?? []) checkEnum(operation, operations, at, errors);
}
