import { rbacGroup as group, setBindingDefaults } from '../../api/rbac/defaults.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../api/gen/types/rbac-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { type Cell, defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { roleStrategy } from './roles/strategy.ts';
import { clusterRoleStrategy } from './cluster-roles/strategy.ts';
import { roleBindingStrategy } from './role-bindings/strategy.ts';
import { clusterRoleBindingStrategy } from './cluster-role-bindings/strategy.ts';

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
    strategy: roleStrategy,
  }),
  defineResource<ClusterRole>({
    group,
    resource: 'clusterroles',
    strategy: clusterRoleStrategy,
  }),
  defineResource<RoleBinding>({
    group,
    resource: 'rolebindings',
    versions,
    strategy: roleBindingStrategy,
    table: { cells: (object, { now }) => bindingCells(object, now) },
  }),
  defineResource<ClusterRoleBinding>({
    group,
    resource: 'clusterrolebindings',
    versions,
    strategy: clusterRoleBindingStrategy,
    table: { cells: (object, { now }) => bindingCells(object, now) },
  }),
];
