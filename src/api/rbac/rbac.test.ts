import { describe, expect, test } from 'vitest';
import type { PolicyRule, Subject } from '../gen/types/rbac-v1.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { validateClusterRoleBinding } from './cluster-role-bindings/validation.ts';
import { validateRoleBinding, validateRoleBindingUpdate } from './role-bindings/validation.ts';
import { rbacGroup, setBindingDefaults } from './defaults.ts';
import { validateClusterRole, validateClusterRoleUpdate } from './cluster-roles/validation.ts';
import { validateRole } from './roles/validation.ts';

const namespaced = { name: 'system:x', namespace: 'n', resourceVersion: '1' };
const cluster = { name: 'system:x', resourceVersion: '1' };
const aboutPods: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

describe('roles', () => {
  test.each<{ name: string; rule: PolicyRule; inNamespace: string[]; inCluster: string[] }>([
    { name: 'resources', rule: aboutPods, inNamespace: [], inCluster: [] },
    {
      name: 'paths',
      rule: { nonResourceURLs: ['/x'], verbs: ['get'] },
      inNamespace: [
        'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs',
      ],
      inCluster: [],
    },
    {
      name: 'names without resources',
      rule: { nonResourceURLs: ['/x'], verbs: ['get'], resourceNames: ['a'] },
      inNamespace: [expect.any(String), expect.any(String)],
      inCluster: [
        'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: rules cannot apply to both regular resources ' +
          'and non-resource URLs',
      ],
    },
  ])('Judge rules about $name', ({ rule, inNamespace, inCluster }) => {
    expect(validateRole({ metadata: namespaced, rules: [rule] }).map(fieldErrorText)).toEqual(inNamespace);
    expect(validateClusterRole({ metadata: cluster, rules: [rule] }).map(fieldErrorText)).toEqual(inCluster);
  });

  const notUnderstood = 'aggregationRule.clusterRoleSelectors[0]: Invalid value: "null": invalid label selector.';

  test.each([
    {
      name: 'no label',
      selector: { matchLabels: { 'bad key': 'x' } },
      why: /^aggregationRule\.clusterRoleSelectors\[0\]\.matchLabels: Invalid value: "bad key": /,
    },
    {
      name: 'no value',
      selector: { matchExpressions: [{ key: 'a', operator: 'In' as const, values: ['b c'] }] },
      why: /^aggregationRule\.clusterRoleSelectors\[0\]\.matchExpressions\[0\]\.values\[0\]: Invalid value: "b c": /,
    },
  ])('RBAC roles say why a selector is not understood: $name', ({ selector, why }) => {
    expect(
      validateClusterRole({ metadata: cluster, aggregationRule: { clusterRoleSelectors: [selector] } }).map(
        fieldErrorText,
      ),
    ).toEqual([expect.stringMatching(why), notUnderstood]);
  });

  test('Validation of roles stops at an invalid selector, and does not report an invalid value that is stored', () => {
    const role = {
      metadata: cluster,
      aggregationRule: {
        clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' as const, values: ['b c'] }] }],
      },
    };
    expect(validateClusterRoleUpdate(role, role).map(fieldErrorText)).toEqual([notUnderstood, notUnderstood]);
  });
});

describe('bindings', () => {
  const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'view' };
  const account: Subject = { kind: 'ServiceAccount', name: 's' };

  test('Role bindings get the API group where one is needed', () => {
    const binding = {
      metadata: namespaced,
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'a' }, account],
    };
    setBindingDefaults(binding);
    expect(binding).toMatchObject({ roleRef: { apiGroup: rbacGroup }, subjects: [{ apiGroup: rbacGroup }, account] });
    expect(binding.subjects[1]).not.toHaveProperty('apiGroup');
  });

  test('ClusterRoleBindings say which namespace an account is of', () => {
    expect(validateRoleBinding({ metadata: namespaced, roleRef, subjects: [account] })).toEqual([]);
    expect(validateClusterRoleBinding({ metadata: cluster, roleRef, subjects: [account] }).map(fieldErrorText)).toEqual(
      ['subjects[0].namespace: Required value'],
    );
  });

  test('The role of a binding is immutable', () => {
    const errors = validateRoleBindingUpdate(
      { metadata: namespaced, roleRef: { ...roleRef, name: 'edit' } },
      { metadata: namespaced, roleRef },
    );
    expect(errors.map(({ field, type }) => [field, type])).toEqual([['roleRef', 'FieldValueInvalid']]);
  });
});
