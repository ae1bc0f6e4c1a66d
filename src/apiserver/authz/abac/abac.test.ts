import { describe, expect, test } from 'vitest';
import type { AuthorizationAttributes } from '../../../auth/authorization/authorizer.ts';
import { attributes, pathAttributes, userNamed } from '../../../auth/authorization/testing/attributes.ts';
import { createAbacAuthorizer } from './authorizer.ts';
import { parseAbacPolicy } from './policy-file.ts';

const versioned = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const decision = (policy: string, of: AuthorizationAttributes): unknown =>
  createAbacAuthorizer(parseAbacPolicy(policy)).authorize(of);
const known = userNamed('alice', 'devs', 'system:authenticated');
const allowed = { decision: 'allow', reason: '' };
const notAllowed = { decision: 'noOpinion', reason: 'No policy matched.' };

describe('a policy', () => {
  test.each([
    {
      name: 'for a user',
      policy: versioned({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }),
      of: attributes(),
      expected: allowed,
    },
    {
      name: 'for another user',
      policy: versioned({ user: 'bob', namespace: '*', resource: '*', apiGroup: '*' }),
      of: attributes(),
      expected: notAllowed,
    },
    {
      name: 'for a group',
      policy: versioned({ group: 'devs', namespace: 'team', resource: 'pods' }),
      of: attributes(),
      expected: allowed,
    },
    {
      name: 'for a user in a group',
      policy: versioned({ user: 'alice', group: 'ops', namespace: '*', resource: '*' }),
      of: attributes(),
      expected: notAllowed,
    },
    {
      name: 'without a subject',
      policy: versioned({ namespace: '*', resource: '*' }),
      of: attributes({ user: known }),
      expected: notAllowed,
    },
    {
      name: 'for all authenticated users',
      policy: versioned({ user: '*', namespace: '*', resource: '*' }),
      of: attributes({ user: known }),
      expected: allowed,
    },
    {
      name: 'for all authenticated users, not for anonymous requests',
      policy: versioned({ group: '*', namespace: '*', resource: '*' }),
      of: attributes({ user: userNamed('system:anonymous', 'system:unauthenticated') }),
      expected: notAllowed,
    },
    {
      name: 'to read',
      policy: versioned({ user: 'alice', namespace: '*', resource: '*', readonly: true }),
      of: attributes({ verb: 'watch' }),
      expected: allowed,
    },
    {
      name: 'to read, not to write',
      policy: versioned({ user: 'alice', namespace: '*', resource: '*', readonly: true }),
      of: attributes({ verb: 'create' }),
      expected: notAllowed,
    },
    {
      name: 'in another namespace',
      policy: versioned({ user: 'alice', namespace: 'other', resource: '*' }),
      of: attributes(),
      expected: notAllowed,
    },
    {
      name: 'in another API group',
      policy: versioned({ user: 'alice', namespace: '*', resource: 'pods', apiGroup: 'apps' }),
      of: attributes(),
      expected: notAllowed,
    },
    {
      name: 'on resources, not on paths',
      policy: versioned({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }),
      of: pathAttributes('/metrics'),
      expected: notAllowed,
    },
    {
      name: 'on paths by their beginning',
      policy: versioned({ user: 'alice', nonResourcePath: '/healthz*' }),
      of: pathAttributes('/healthz/etcd'),
      expected: allowed,
    },
    {
      name: 'on paths, not on resources',
      policy: versioned({ user: 'alice', nonResourcePath: '*' }),
      of: attributes(),
      expected: notAllowed,
    },
    {
      name: 'in the format without version, for a namespace',
      policy: '{"user":"alice","namespace":"team"}',
      of: attributes({ group: 'apps', resource: 'deployments', verb: 'delete' }),
      expected: allowed,
    },
    {
      name: 'in the format without version, for a namespace, not for paths',
      policy: '{"user":"alice","namespace":"team"}',
      of: pathAttributes('/metrics'),
      expected: notAllowed,
    },
    {
      name: 'in the format without version, for everything',
      policy: '# all\n\n{}',
      of: pathAttributes('/metrics', { user: known }),
      expected: allowed,
    },
  ])('An ABAC policy: $name', ({ policy, of, expected }) => {
    expect(decision(policy, of)).toEqual(expected);
  });

  test.each([
    { name: 'a line that is no JSON', text: '{}\n{"user"', message: /^line 2: {"user": / },
    {
      name: 'another version',
      text: '{"apiVersion":"v1","kind":"Policy"}',
      message: 'no kind "Policy" is registered for version "v1"',
    },
    { name: 'a member of another type', text: versioned({ user: 1 }), message: 'user is no text' },
    {
      name: 'no truth value',
      text: versioned({ user: 'a', readonly: 'yes' }),
      message: 'readonly is neither true nor false',
    },
    { name: 'a list', text: '[]', message: 'it is no object' },
  ])('An ABAC policy is refused with $name', ({ text, message }) => {
    expect(() => parseAbacPolicy(text)).toThrow(message);
  });
});

test('Lists what a user may do', () => {
  const policy = [
    versioned({ user: 'alice', namespace: 'team', resource: 'pods', readonly: true }),
    versioned({ user: 'alice', namespace: 'other', resource: '*' }),
    versioned({ user: 'bob', namespace: '*' }),
  ].join('\n');
  expect(createAbacAuthorizer(parseAbacPolicy(policy)).rulesFor!(userNamed('alice'), 'team')).toEqual({
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['get', 'list', 'watch'], nonResourceURLs: [''] }],
    incomplete: false,
  });
});
