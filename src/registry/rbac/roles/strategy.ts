import { validateRole, validateRoleUpdate } from '../../../api/rbac/roles/validation.ts';
import type { Role } from '../../../api/gen/types/rbac-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const roleStrategy: ResourceStrategy<Role> = {
  allowCreateOnUpdate: true,
  validate: validateRole,
  validateUpdate: validateRoleUpdate,
};
