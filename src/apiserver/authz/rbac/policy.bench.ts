/** One decision with 1,000 bindings and 5,000 rules in the cluster. */
import { bench, describe } from 'vitest';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../../api/gen/types/rbac-v1.ts';
import { attributes, userNamed } from '../../../auth/authorization/testing/attributes.ts';
import { decide } from './authorizer.ts';
import { RbacPolicy } from './policy.ts';

const count = 1000;
const rule = (role: number, i: number): PolicyRule => ({
  apiGroups: [`g${i}.example.com`],
  resources: [`things${role}`, `things${role}/status`],
  verbs: ['get', 'list', 'watch'],
});

/** @param subjectOf the user of a binding */
function policyOf(subjectOf: (i: number) => string): RbacPolicy {
  const policy = new RbacPolicy();
  for (let i = 0; i < count; i++) {
    policy.changeRole(undefined, {
      metadata: { name: `role${i}` },
      rules: Array.from({ length: 5 }, (_, j) => rule(i, j)),
    } as ClusterRole);
    policy.changeBinding(undefined, {
      metadata: { name: `binding${i}` },
      roleRef: { kind: 'ClusterRole', name: `role${i}` },
      subjects: [{ kind: 'User', name: subjectOf(i) }],
    } as ClusterRoleBinding);
  }
  return policy;
}

const groups = ['system:authenticated', 'a', 'b', 'c', 'd'];
const allowed = (user: string) =>
  attributes({ user: userNamed(user, ...groups), group: 'g4.example.com', resource: 'things999' });
const refused = (user: string) =>
  attributes({ user: userNamed(user, ...groups), group: 'g4.example.com', resource: 'nothing' });

describe('a binding for each of 1,000 users', () => {
  const policy = policyOf((i) => `user${i}`);
  const [yes, no] = [allowed('user999'), refused('user999')];
  bench('allowed', () => void decide(policy, yes));
  bench('refused', () => void decide(policy, no));
});

describe('1,000 bindings of one user', () => {
  const policy = policyOf(() => 'alice');
  const [yes, no] = [allowed('alice'), refused('alice')];
  bench('allowed', () => void decide(policy, yes));
  bench('refused', () => void decide(policy, no));
  bench('the first after a role changed', () => {
    policy.changeRole(undefined, { metadata: { name: 'other' }, rules: [] } as ClusterRole);
    decide(policy, yes);
  });
});
