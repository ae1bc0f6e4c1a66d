import { describe, expect, test } from 'vitest';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../../api/gen/types/rbac-v1.ts';
import { attributes, pathAttributes, userNamed } from '../../../auth/authorization/testing/attributes.ts';
import { createRbacAuthorizer, decide } from './authorizer.ts';
import { RbacPolicy } from './policy.ts';

const role = (name: string, rules: PolicyRule[], namespace?: string): Role | ClusterRole => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const user = (name: string): Subject => ({ kind: 'User', name });
const group = (name: string): Subject => ({ kind: 'Group', name });
const account = (name: string, namespace?: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
const binding = (
  name: string,
  to: string,
  subjects: Subject[],
  namespace?: string,
): RoleBinding | ClusterRoleBinding => {
  const [kind = '', roleName = ''] = to.split('/');
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { kind, name: roleName },
    subjects,
  };
};
const read: PolicyRule[] = [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }];

function policyOf(roles: (Role | ClusterRole)[], bindings: (RoleBinding | ClusterRoleBinding)[]): RbacPolicy {
  const policy = new RbacPolicy();
  for (const one of roles) policy.changeRole(undefined, one);
  for (const one of bindings) policy.changeBinding(undefined, one);
  return policy;
}

const allows = (rules: PolicyRule[], of: Parameters<typeof decide>[1]): boolean =>
  decide(policyOf([role('r', rules)], [binding('b', 'ClusterRole/r', [user('alice')])]), of).decision === 'allow';
const on = (apiGroups: string, resources: string, verbs: string, resourceNames?: string[]): PolicyRule => ({
  apiGroups: [apiGroups],
  resources: [resources],
  verbs: [verbs],
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const at = (nonResourceURLs: string, verbs = 'get'): PolicyRule => ({
  nonResourceURLs: [nonResourceURLs],
  verbs: [verbs],
});

describe('rules', () => {
  const cases = [
    { name: 'verb, group and resource', rule: on('', 'pods', 'get'), of: attributes(), allowed: true },
    { name: 'another verb', rule: on('', 'pods', 'list'), of: attributes(), allowed: false },
    { name: 'another group', rule: on('apps', 'pods', 'get'), of: attributes(), allowed: false },
    { name: 'any verb', rule: on('', 'pods', '*'), of: attributes({ verb: 'deletecollection' }), allowed: true },
    {
      name: 'any group',
      rule: on('*', 'deployments', 'get'),
      of: attributes({ group: 'apps', resource: 'deployments' }),
      allowed: true,
    },
    { name: 'any resource', rule: on('', '*', 'get'), of: attributes(), allowed: true },
    {
      name: 'any resource, subresource too',
      rule: on('', '*', 'get'),
      of: attributes({ subresource: 'log' }),
      allowed: true,
    },
    {
      name: 'a subresource is not in its resource',
      rule: on('', 'pods', 'get'),
      of: attributes({ subresource: 'log' }),
      allowed: false,
    },
    { name: 'a resource is not in its subresource', rule: on('', 'pods/log', 'get'), of: attributes(), allowed: false },
    { name: 'a subresource', rule: on('', 'pods/log', 'get'), of: attributes({ subresource: 'log' }), allowed: true },
    {
      name: 'a subresource of any resource',
      rule: on('*', '*/scale', 'get'),
      of: attributes({ group: 'apps', resource: 'deployments', subresource: 'scale' }),
      allowed: true,
    },
    {
      name: 'a subresource of any resource is that one',
      rule: on('*', '*/scale', 'get'),
      of: attributes({ subresource: 'status' }),
      allowed: false,
    },
    { name: 'a named object', rule: on('', 'pods', 'get', ['a', 'p']), of: attributes(), allowed: true },
    { name: 'another object', rule: on('', 'pods', 'get', ['a']), of: attributes(), allowed: false },
    {
      name: 'a collection by names',
      rule: on('', 'pods', 'list', ['a']),
      of: attributes({ verb: 'list', name: '' }),
      allowed: false,
    },
    {
      name: 'a resource named like a member of Object',
      rule: on('', 'pods', 'get'),
      of: attributes({ resource: 'constructor' }),
      allowed: false,
    },
    { name: 'a path', rule: at('/metrics'), of: pathAttributes('/metrics'), allowed: true },
    { name: 'a path by its beginning', rule: at('/healthz/*'), of: pathAttributes('/healthz/etcd'), allowed: true },
    { name: 'a beginning without the slash', rule: at('/healthz/*'), of: pathAttributes('/healthz'), allowed: false },
    { name: 'any path', rule: at('*'), of: pathAttributes('/debug/x'), allowed: true },
    {
      name: 'a path with another verb',
      rule: at('/metrics'),
      of: pathAttributes('/metrics', { verb: 'post' }),
      allowed: false,
    },
    { name: 'a path by rules for resources', rule: on('*', '*', '*'), of: pathAttributes('/metrics'), allowed: false },
  ];

  test.each(cases)('RBAC rules: $name: $allowed', ({ rule, of, allowed }) => {
    expect(allows([rule], of)).toBe(allowed);
  });

  test.each(cases)('RBAC rules: $name, among many other rules: $allowed', ({ rule, of, allowed }) => {
    expect(allows([amongOthers(rule)], of)).toBe(allowed);
  });

  test('RBAC rules are not written out: what one grants is the product of its lists', () => {
    let reads = 0;
    const counted = (name: string): string[] =>
      new Proxy(
        Array.from({ length: 200 }, (_, i) => `${name}${i}`),
        { get: (list, key) => (reads++, Reflect.get(list, key) as unknown) },
      );
    const rule = { verbs: counted('v'), apiGroups: counted('g'), resources: counted('r'), resourceNames: counted('n') };
    expect(allows([rule], attributes({ verb: 'v1', group: 'g2', resource: 'r3', name: 'n4' }))).toBe(true);
    expect(reads).toBeLessThan(20 * 4 * 200);
  });
});

/** The rule with other items in all of its lists: too many for all that it grants to be written out. */
function amongOthers(rule: PolicyRule): PolicyRule {
  const more = (list: readonly string[] | undefined, name: string): string[] | undefined =>
    list && [...Array.from({ length: 50 }, (_, i) => `${name}${i}`), ...list];
  return {
    ...rule,
    verbs: more(rule.verbs, 'other')!,
    ...(rule.apiGroups === undefined ? {} : { apiGroups: more(rule.apiGroups, 'other')! }),
    ...(rule.resources === undefined ? {} : { resources: more(rule.resources, 'other')! }),
    ...(rule.resourceNames === undefined ? {} : { resourceNames: more(rule.resourceNames, 'other')! }),
    ...(rule.nonResourceURLs === undefined ? {} : { nonResourceURLs: more(rule.nonResourceURLs, '/other')! }),
  };
}

describe('subjects', () => {
  const sa = userNamed('system:serviceaccount:team:builder', 'system:serviceaccounts', 'system:serviceaccounts:team');
  test.each([
    {
      name: 'a user',
      subject: user('alice'),
      of: attributes(),
      reason: 'ClusterRoleBinding "b" of ClusterRole "r" to User "alice"',
    },
    {
      name: 'a group',
      subject: group('devs'),
      of: attributes(),
      reason: 'ClusterRoleBinding "b" of ClusterRole "r" to Group "devs"',
    },
    {
      name: 'a service account',
      subject: account('builder', 'team'),
      of: attributes({ user: sa }),
      reason: 'ClusterRoleBinding "b" of ClusterRole "r" to ServiceAccount "builder/team"',
    },
    {
      name: 'a service account by its user name',
      subject: user('system:serviceaccount:team:builder'),
      of: attributes({ user: sa }),
      reason: 'ClusterRoleBinding "b" of ClusterRole "r" to User "system:serviceaccount:team:builder"',
    },
  ])('Subjects of RBAC bindings: $name', ({ subject, of, reason }) => {
    expect(decide(policyOf([role('r', read)], [binding('b', 'ClusterRole/r', [subject])]), of)).toEqual({
      decision: 'allow',
      reason: `RBAC: allowed by ${reason}`,
    });
  });

  test.each([
    { name: 'a group of the name of the user', subject: group('alice') },
    { name: 'a user of the name of the group', subject: user('devs') },
    { name: 'a service account without a namespace', subject: account('alice') },
    { name: 'an unknown kind of subject', subject: { kind: 'Robot', name: 'alice' } },
  ])('A binding does not hold for $name', ({ subject }) => {
    expect(decide(policyOf([role('r', read)], [binding('b', 'ClusterRole/r', [subject])]), attributes())).toEqual({
      decision: 'noOpinion',
      reason: '',
    });
  });

  test('The service account of a RoleBinding is of its namespace unless it says otherwise', () => {
    const policy = policyOf([role('r', read)], [binding('b', 'ClusterRole/r', [account('builder')], 'team')]);
    expect(decide(policy, attributes({ user: sa })).reason).toBe(
      'RBAC: allowed by RoleBinding "b/team" of ClusterRole "r" to ServiceAccount "builder/team"',
    );
  });
});

describe('scopes', () => {
  const policy = policyOf(
    [role('r', read), role('r', [on('', 'secrets', 'get')], 'team')],
    [
      binding('b', 'ClusterRole/r', [user('alice')], 'team'),
      binding('c', 'Role/r', [user('bob')], 'team'),
      binding('d', 'ClusterRole/r', [user('eve')]),
    ],
  );
  test.each([
    { name: 'a RoleBinding in its namespace', of: attributes(), allowed: true },
    { name: 'a RoleBinding elsewhere', of: attributes({ namespace: 'other' }), allowed: false },
    { name: 'a RoleBinding in the cluster', of: attributes({ namespace: '', verb: 'list', name: '' }), allowed: false },
    { name: 'a Role, not the ClusterRole of its name', of: attributes({ user: userNamed('bob') }), allowed: false },
    { name: 'a Role', of: attributes({ user: userNamed('bob'), resource: 'secrets' }), allowed: true },
    { name: 'a ClusterRoleBinding in a namespace', of: attributes({ user: userNamed('eve') }), allowed: true },
    {
      name: 'a ClusterRoleBinding in the cluster',
      of: attributes({ user: userNamed('eve'), namespace: '', verb: 'list', name: '' }),
      allowed: true,
    },
  ])('Scopes of RBAC bindings: $name: $allowed', ({ of, allowed }) => {
    expect(decide(policy, of).decision === 'allow').toBe(allowed);
  });
});

describe('changes', () => {
  const b = binding('b', 'ClusterRole/r', [user('alice')]);

  test('A bound role that is not there is told, and allows once it is', () => {
    const policy = policyOf([], [b]);
    expect(decide(policy, attributes())).toEqual({
      decision: 'noOpinion',
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "r" not found',
    });
    const first = role('r', read);
    policy.changeRole(undefined, first);
    expect(decide(policy, attributes()).decision).toBe('allow');
    policy.changeRole(first, role('r', []));
    expect(decide(policy, attributes()).decision).toBe('noOpinion');
  });

  test('Changes of a binding take effect at once, also for subjects that lose it', () => {
    const policy = policyOf([role('r', read)], [b]);
    expect(decide(policy, attributes()).decision).toBe('allow');
    const other = binding('b', 'ClusterRole/r', [group('ops')]);
    policy.changeBinding(b, other);
    expect(decide(policy, attributes()).decision).toBe('noOpinion');
    expect(decide(policy, attributes({ user: userNamed('x', 'ops') })).decision).toBe('allow');
    policy.changeBinding(other, undefined);
    expect(decide(policy, attributes({ user: userNamed('x', 'ops') })).decision).toBe('noOpinion');
  });
});

test('Lists the rules of a user in a namespace, each binding once', async () => {
  const rules: PolicyRule[] = [{ ...read[0]!, resourceNames: ['a'] }, at('/metrics')];
  const policy = policyOf(
    [role('r', rules)],
    [
      binding('b', 'ClusterRole/r', [user('alice'), group('devs')], 'team'),
      binding('c', 'ClusterRole/gone', [group('devs')]),
    ],
  );
  expect(await createRbacAuthorizer(() => policy).rulesFor!(userNamed('alice', 'devs'), 'team')).toEqual({
    resourceRules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'], resourceNames: ['a'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
    incomplete: true,
    error: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
  });
});
