import { describe, expect, test } from 'vitest';
import type { AuthorizationDecision, Authorizer } from './authorizer.ts';
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import { attributes, userNamed } from './testing/attributes.ts';
import { createUnion, type NamedAuthorizer } from './union.ts';

const named = (type: string, authorizer: Authorizer): NamedAuthorizer => ({
  type,
  name: type.toLowerCase(),
  authorizer,
});
const says = (type: string, decision: AuthorizationDecision): NamedAuthorizer =>
  named(type, { authorize: () => decision });
const saysLater = (type: string, decision: AuthorizationDecision): NamedAuthorizer =>
  named(type, { authorize: () => Promise.resolve(decision) });
const no = (reason: string, error?: string): AuthorizationDecision => ({
  decision: 'noOpinion',
  reason,
  ...(error === undefined ? {} : { error }),
});
const allow: AuthorizationDecision = { decision: 'allow', reason: 'yes' };
const deny: AuthorizationDecision = { decision: 'deny', reason: 'never' };

describe('the authorizers in order', () => {
  test.each([
    {
      name: 'the first that allows decides',
      authorizers: [says('A', no('a')), says('B', allow), says('C', deny)],
      expected: allow,
    },
    { name: 'the first that denies decides', authorizers: [says('A', deny), says('B', allow)], expected: deny },
    {
      name: 'one that takes its time is waited for',
      authorizers: [saysLater('A', no('a')), saysLater('B', deny), says('C', allow)],
      expected: deny,
    },
    {
      name: 'without a decision all reasons are told',
      authorizers: [says('A', no('a')), saysLater('B', no('')), says('C', no('c'))],
      expected: no('a\nc'),
    },
    {
      name: 'without a decision errors are told',
      authorizers: [says('A', no('', 'broken')), says('B', no('', 'worse'))],
      expected: no('', '[broken, worse]'),
    },
    { name: 'no authorizer allows nothing', authorizers: [], expected: no('') },
    {
      name: 'AlwaysDeny leaves the decision to the others',
      authorizers: [named('AlwaysDeny', alwaysDeny), named('AlwaysAllow', alwaysAllow)],
      expected: { decision: 'allow', reason: '' },
    },
    {
      name: 'AlwaysDeny alone forbids',
      authorizers: [named('AlwaysDeny', alwaysDeny)],
      expected: no('Everything is forbidden.'),
    },
  ])('The authorizers in order: $name', async ({ authorizers, expected }) => {
    expect(await createUnion(authorizers).authorize(attributes())).toEqual(expected);
  });

  test('The group system:masters may do everything, and no authorizer is asked', async () => {
    const union = createUnion([says('A', deny)]);
    expect(await union.authorize(attributes({ user: userNamed('root', 'system:masters') }))).toEqual({
      decision: 'allow',
      reason: '',
    });
  });

  test('Authorizers in memory answer synchronously', () => {
    expect(createUnion([says('A', no('')), says('B', allow)]).authorize(attributes())).toEqual(allow);
  });

  test('The union of authorizers reports the authorizer that decided', async () => {
    const told: string[] = [];
    const union = createUnion([says('A', no('')), saysLater('B', allow)], ({ type, name }, decision) =>
      told.push(`${type} ${name} ${decision}`),
    );
    await union.authorize(attributes());
    expect(told).toEqual(['B b allow']);
  });

  test('The union of authorizers lists the rules of all, and says when one cannot', async () => {
    const cannot: Authorizer = {
      authorize: () => allow,
      rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: true, error: 'cannot tell' }),
    };
    const rules = await createUnion([named('A', alwaysAllow), named('B', cannot), says('C', allow)]).rulesFor!(
      userNamed('u'),
      'ns',
    );
    expect(rules).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: true,
      error: 'cannot tell',
    });
  });
});
