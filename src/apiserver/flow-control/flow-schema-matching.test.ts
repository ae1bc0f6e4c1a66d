import { describe, expect, test } from 'vitest';
import type { PolicyRulesWithSubjects, Subject } from '../../api/gen/types/flowcontrol-v1.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { compileFlowRules } from './flow-schema-matching.ts';

const alice = { name: 'alice', groups: ['devs'] };
const everything: Omit<PolicyRulesWithSubjects, 'subjects'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
};

const isMatched = (rule: PolicyRulesWithSubjects, target: string, user = alice, method = 'GET'): boolean => {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  return compileFlowRules([rule])(parseRequestInfo(method, pathname, searchParams), user);
};

describe('subjects of a flow schema', () => {
  const account = (namespace: string, name: string): Subject => ({
    kind: 'ServiceAccount',
    serviceAccount: { namespace, name },
  });
  const one = { name: 'system:serviceaccount:ns:one', groups: [] };
  test.each<{ name: string; subject: Subject; user: typeof alice; matches: boolean }>([
    { name: 'a user by name', subject: { kind: 'User', user: { name: 'alice' } }, user: alice, matches: true },
    { name: 'no other user', subject: { kind: 'User', user: { name: 'devs' } }, user: alice, matches: false },
    { name: 'any user by a star', subject: { kind: 'User', user: { name: '*' } }, user: alice, matches: true },
    { name: 'a member of a group', subject: { kind: 'Group', group: { name: 'devs' } }, user: alice, matches: true },
    { name: 'no user of that name', subject: { kind: 'Group', group: { name: 'alice' } }, user: alice, matches: false },
    { name: 'any group by a star', subject: { kind: 'Group', group: { name: '*' } }, user: one, matches: true },
    { name: 'a service account', subject: account('ns', 'one'), user: one, matches: true },
    { name: 'no other service account', subject: account('ns', 'two'), user: one, matches: false },
    { name: 'all service accounts of a namespace', subject: account('ns', '*'), user: one, matches: true },
    { name: 'none of a longer namespace', subject: account('n', '*'), user: one, matches: false },
    { name: 'no user without the member of its kind', subject: { kind: 'User' }, user: alice, matches: false },
  ])('A subject matches $name', ({ subject, user, matches }) => {
    expect(isMatched({ subjects: [subject], ...everything }, '/api/v1/nodes', user)).toBe(matches);
  });
});

describe('resource rules of a flow schema', () => {
  const rule: PolicyRulesWithSubjects = {
    subjects: [{ kind: 'User', user: { name: '*' } }],
    resourceRules: [
      { verbs: ['get', 'create'], apiGroups: [''], resources: ['configmaps', 'pods/status'], namespaces: ['ns'] },
    ],
  };
  test.each([
    { name: 'a verb that is listed', target: '/api/v1/namespaces/ns/configmaps/a', matches: true },
    { name: 'no other verb', target: '/api/v1/namespaces/ns/configmaps', matches: false },
    { name: 'a subresource that is listed', target: '/api/v1/namespaces/ns/pods/p/status', matches: true },
    { name: 'no resource of which a subresource is listed', target: '/api/v1/namespaces/ns/pods/p', matches: false },
    { name: 'no other group', target: '/apis/apps/v1/namespaces/ns/configmaps/a', matches: false },
    { name: 'no other namespace', target: '/api/v1/namespaces/other/configmaps/a', matches: false },
    { name: 'nothing of all namespaces', target: '/api/v1/configmaps/a', matches: false },
    { name: 'no other path', target: '/version', matches: false },
  ])('A resource rule matches $name', ({ target, matches }) => {
    expect(isMatched(rule, target)).toBe(matches);
  });

  test('A rule with cluster scope matches what has no namespace', () => {
    const clusterScope: PolicyRulesWithSubjects = {
      ...rule,
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }],
    };
    expect(isMatched(clusterScope, '/api/v1/nodes')).toBe(true);
    expect(isMatched(clusterScope, '/api/v1/namespaces/ns/configmaps')).toBe(false);
  });
});

describe('rules of a flow schema about paths', () => {
  const rule: PolicyRulesWithSubjects = {
    subjects: [{ kind: 'User', user: { name: '*' } }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version', '/openapi/*'] }],
  };
  test.each([
    { name: 'the path', target: '/version', method: 'GET', matches: true },
    { name: 'what is below the path', target: '/version/', method: 'GET', matches: true },
    { name: 'what is below a wildcard', target: '/openapi/v3/api/v1', method: 'GET', matches: true },
    { name: 'no path above a wildcard', target: '/openapi', method: 'GET', matches: false },
    { name: 'no longer name', target: '/versions', method: 'GET', matches: false },
    { name: 'no other method', target: '/version', method: 'POST', matches: false },
    { name: 'no resource', target: '/api/v1/nodes', method: 'GET', matches: false },
  ])('A rule about paths matches $name', ({ target, method, matches }) => {
    expect(isMatched(rule, target, alice, method)).toBe(matches);
  });
});
