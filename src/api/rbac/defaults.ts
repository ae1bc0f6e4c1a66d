import type { ClusterRoleBinding, RoleBinding } from '../gen/types/rbac-v1.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Roles, users and groups are of the one API group; service accounts are core objects. */
export function setBindingDefaults({ roleRef, subjects }: RoleBinding | ClusterRoleBinding): void {
  if ((roleRef.apiGroup ?? '') === '') roleRef.apiGroup = rbacGroup;
  for (const subject of subjects ?? []) {
    if ((subject.apiGroup ?? '') === '' && (subject.kind === 'User' || subject.kind === 'Group'))
      subject.apiGroup = rbacGroup;
  }
}
