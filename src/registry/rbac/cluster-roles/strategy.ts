import { validateClusterRole, validateClusterRoleUpdate } from '../../../api/rbac/cluster-roles/validation.ts';
import type { ClusterRole } from '../../../api/gen/types/rbac-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const clusterRoleStrategy: ResourceStrategy<ClusterRole> = {
  allowCreateOnUpdate: true,
  validate: (object) => validateClusterRole(object),
  validateUpdate: validateClusterRoleUpdate,
};
