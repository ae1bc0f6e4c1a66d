import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { Role } from '../../gen/types/rbac-v1.ts';
import { pathSegmentName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkRules, twice } from '../role-validation.ts';

export function validateRole(object: Role): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: true, validateName: pathSegmentName });
  checkRules(object.rules, true, errors);
  return errors;
}

export const validateRoleUpdate = (object: Role, old: Role): FieldErrors =>
  FieldErrors.joined(twice(validateRole(object)), validateBuiltInMetaUpdate(object.metadata, old.metadata));
