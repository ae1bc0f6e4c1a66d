import { expect, test } from 'vitest';
import { goType, groupOf, internalType } from './go-types.ts';

test.each([
  { apiVersion: 'v1', kind: 'Secret', sent: 'v1.Secret', kept: 'core.Secret', group: '' },
  { apiVersion: 'apps/v1', kind: 'Deployment', sent: 'v1.Deployment', kept: 'apps.Deployment', group: 'apps' },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    sent: 'v1.Role',
    kept: 'rbac.Role',
    group: 'rbac.authorization.k8s.io',
  },
  {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    sent: 'v1alpha1.StorageVersion',
    kept: 'apiserverinternal.StorageVersion',
    group: 'internal.apiserver.k8s.io',
  },
])('$kind of $apiVersion is $sent when it is sent, and $kept when it is kept', (row) => {
  expect(goType(row.apiVersion, row.kind)).toBe(row.sent);
  expect(internalType(row.apiVersion, row.kind)).toBe(row.kept);
  expect(groupOf(row.apiVersion)).toBe(row.group);
});
