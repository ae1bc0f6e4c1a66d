import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { ClusterRoleBinding } from '../../gen/types/rbac-v1.ts';
import { validateBinding, validateBindingUpdate } from '../binding-validation.ts';

export const validateClusterRoleBinding = (object: ClusterRoleBinding): FieldErrors => validateBinding(object, false);
export const validateClusterRoleBindingUpdate = (object: ClusterRoleBinding, old: ClusterRoleBinding): FieldErrors =>
  validateBindingUpdate(object, old, false);
