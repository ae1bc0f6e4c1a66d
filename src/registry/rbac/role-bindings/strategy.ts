import { validateRoleBinding, validateRoleBindingUpdate } from '../../../api/rbac/role-bindings/validation.ts';
import type { RoleBinding } from '../../../api/gen/types/rbac-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const roleBindingStrategy: ResourceStrategy<RoleBinding> = {
  allowCreateOnUpdate: true,
  validate: validateRoleBinding,
  validateUpdate: validateRoleBindingUpdate,
};
