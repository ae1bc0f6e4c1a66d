import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { RoleBinding } from '../../gen/types/rbac-v1.ts';
import { validateBinding, validateBindingUpdate } from '../binding-validation.ts';

export const validateRoleBinding = (object: RoleBinding): FieldErrors => validateBinding(object, true);
export const validateRoleBindingUpdate = (object: RoleBinding, old: RoleBinding): FieldErrors =>
  validateBindingUpdate(object, old, true);
