import {
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
} from '../../../api/rbac/cluster-role-bindings/validation.ts';
import type { ClusterRoleBinding } from '../../../api/gen/types/rbac-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const clusterRoleBindingStrategy: ResourceStrategy<ClusterRoleBinding> = {
  allowCreateOnUpdate: true,
  validate: validateClusterRoleBinding,
  validateUpdate: validateClusterRoleBindingUpdate,
};
