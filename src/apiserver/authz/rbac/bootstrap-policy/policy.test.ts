import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../../../test/support/shared.ts';
import type { KubeObject } from '../../../../machinery/object-meta.ts';
import { isGateOn } from '../../../../api/feature-gates.ts';
import { bootstrapPolicy } from './policy.ts';

type Roles = Record<string, { rules: object[]; labels?: object; aggregationRule?: object }>;
type Bindings = Record<string, { roleRef: string; subjects: string[] }>;
interface Facts {
  commonLabels: object;
  commonAnnotations: object;
  clusterRoles: Roles;
  controllerRoles: Roles;
  clusterRoleBindings: Bindings;
  roles: Roles;
  roleBindings: Bindings;
}

const isThere = hasShared('facts/rbac.json');
const policy = bootstrapPolicy((gate) => isGateOn(gate));
const byName = <T extends KubeObject>(objects: readonly T[]): Record<string, T> =>
  Object.fromEntries(
    objects.map((object) => [
      object.metadata!.namespace === undefined
        ? object.metadata!.name!
        : `${object.metadata!.namespace}/${object.metadata!.name}`,
      object,
    ]),
  );

describe.skipIf(!isThere)(
  'the default policy equals the recorded facts (skipped where facts/rbac.json is absent)',
  () => {
    const facts = isThere ? (JSON.parse(readFileSync(sharedPath('facts/rbac.json'), 'utf8')) as Facts) : undefined!;
    const expectRoles = (objects: Record<string, KubeObject>, roles: Roles): void => {
      for (const [name, { rules, labels, aggregationRule }] of Object.entries(roles)) {
        expect(objects[name], name).toMatchObject({
          metadata: { labels: { ...facts.commonLabels, ...labels }, annotations: facts.commonAnnotations },
          ...(aggregationRule === undefined ? { rules } : { aggregationRule }),
        });
      }
    };
    const flat = (
      bindings: Record<
        string,
        { roleRef: { kind?: string; name?: string }; subjects?: { kind?: string; name?: string; namespace?: string }[] }
      >,
    ): Bindings =>
      Object.fromEntries(
        Object.entries(bindings).map(([name, { roleRef, subjects = [] }]) => [
          name,
          {
            roleRef: `${roleRef.kind}/${roleRef.name}`,
            subjects: subjects.map(({ kind, namespace, name: subject }) =>
              [kind, namespace, subject].filter((part) => part !== undefined).join('/'),
            ),
          },
        ]),
      );

    test('The default cluster roles are those of 1.32', () => {
      const objects = byName(policy.clusterRoles);
      expectRoles(objects, { ...facts.clusterRoles, ...facts.controllerRoles });
      expect(Object.keys(objects)).toHaveLength(
        Object.keys(facts.clusterRoles).length + Object.keys(facts.controllerRoles).length,
      );
    });

    test('The default cluster role bindings are those of 1.32', () => {
      const controllers = Object.keys(facts.controllerRoles).map((name) => [
        name,
        {
          roleRef: `ClusterRole/${name}`,
          subjects: [`ServiceAccount/kube-system/${name.slice('system:controller:'.length)}`],
        },
      ]);
      expect(flat(byName(policy.clusterRoleBindings))).toEqual({
        ...facts.clusterRoleBindings,
        ...Object.fromEntries(controllers),
      });
    });

    test('The default roles and bindings of namespaces equal the recorded facts', () => {
      const isRecorded = ({ metadata }: KubeObject): boolean => metadata!.namespace !== 'orch-system';
      const roles = policy.roles.filter(isRecorded);
      expectRoles(byName(roles), facts.roles);
      expect(roles).toHaveLength(Object.keys(facts.roles).length);
      expect(flat(byName(policy.roleBindings.filter(isRecorded)))).toEqual(facts.roleBindings);
    });
  },
);

test.each([
  { daemon: 'controller-manager', user: 'system:kube-controller-manager' },
  { daemon: 'scheduler', user: 'system:kube-scheduler' },
])('The default policy allows the lock that the $daemon has unless it runs for the original', ({ daemon, user }) => {
  const name = `orch-system/system::leader-locking-${daemon}`;
  expect(byName(policy.roles)[name]?.rules).toEqual([
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'list', 'update', 'watch'] },
  ]);
  expect(byName(policy.roleBindings)[name]).toMatchObject({
    roleRef: { kind: 'Role', name: `system::leader-locking-${daemon}` },
    subjects: [{ kind: 'User', name: user }],
  });
});

test('Feature gates add roles and rules', () => {
  const gated = byName(bootstrapPolicy((gate) => gate === 'DynamicResourceAllocation').clusterRoles);
  const usual = byName(policy.clusterRoles);
  expect(usual['system:controller:resource-claim-controller']).toBeUndefined();
  expect(gated['system:controller:resource-claim-controller']!.rules).toHaveLength(6);
  expect(gated['system:node']!.rules!.length - usual['system:node']!.rules!.length).toBe(2);
});
