import {
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from '../../api/rbac/binding-validation.ts';
import { rbacGroup as group, setBindingDefaults } from '../../api/rbac/defaults.ts';
import {
  validateClusterRole,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleUpdate,
} from '../../api/rbac/role-validation.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../api/gen/types/rbac-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { type Cell, defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';

const versions = { v1: { defaults: setBindingDefaults } as VersionRules };

const names = (subjects: readonly Subject[] = [], kind: string, show: (subject: Subject) => string): string =>
  subjects
    .filter((subject) => subject.kind === kind)
    .map(show)
    .join(', ');

const bindingCells = ({ metadata, roleRef, subjects }: RoleBinding | ClusterRoleBinding, now: Date): Cell[] => [
  metadata.name ?? '',
  `${roleRef.kind ?? ''}/${roleRef.name ?? ''}`,
  ageCell(metadata.creationTimestamp, now),
  names(subjects, 'User', ({ name = '' }) => name),
  names(subjects, 'Group', ({ name = '' }) => name),
  names(subjects, 'ServiceAccount', ({ name = '', namespace = '' }) =>
    namespace === '' ? name : `${namespace}/${name}`,
  ),
];

export const rbac: readonly ResourceDefinition[] = [
  defineResource<Role>({
    group,
    resource: 'roles',
    strategy: { allowCreateOnUpdate: true, validate: validateRole, validateUpdate: validateRoleUpdate },
  }),
  defineResource<ClusterRole>({
    group,
    resource: 'clusterroles',
    strategy: {
      allowCreateOnUpdate: true,
      validate: (object) => validateClusterRole(object),
      validateUpdate: validateClusterRoleUpdate,
    },
  }),
  defineResource<RoleBinding>({
    group,
    resource: 'rolebindings',
    versions,
    strategy: { allowCreateOnUpdate: true, validate: validateRoleBinding, validateUpdate: validateRoleBindingUpdate },
    table: { cells: (object, { now }) => bindingCells(object, now) },
  }),
  defineResource<ClusterRoleBinding>({
    group,
    resource: 'clusterrolebindings',
    versions,
    strategy: {
      allowCreateOnUpdate: true,
      validate: validateClusterRoleBinding,
      validateUpdate: validateClusterRoleBindingUpdate,
    },
    table: { cells: (object, { now }) => bindingCells(object, now) },
  }),
];
