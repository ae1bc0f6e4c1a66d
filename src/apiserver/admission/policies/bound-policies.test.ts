import { expect, test } from 'vitest';
import { attributesFor } from '../testing/attributes.ts';
import { BoundPolicies, type Policy } from './bound-policies.ts';
import { binding, validating } from './testing/policies.ts';

function setUp() {
  const compiled: string[] = [];
  const compile = (policy: Policy): Promise<string> => {
    compiled.push(policy.metadata!.name!);
    return Promise.resolve('');
  };
  return {
    bound: new BoundPolicies<Policy, ReturnType<typeof binding>, string>(compile),
    compiled,
  };
}

const pod = attributesFor('pods', { metadata: { name: 'p' } });
const withStatus = (generation: number): Policy => {
  const policy = validating({});
  return { ...policy, metadata: { ...policy.metadata, generation } };
};

test('A policy is compiled at its first use, and again when its spec has changed', async () => {
  const { bound, compiled } = setUp();
  const use = async (policy: Policy): Promise<void> => {
    for (const { entry } of bound.index([policy], [binding()]).candidates(pod)) await entry.compiled();
  };
  bound.index([withStatus(1)], [binding()]);
  expect(compiled).toEqual([]);
  await use(withStatus(1));
  await use(withStatus(1));
  expect(compiled).toEqual(['p']);
  await use(withStatus(2));
  expect(compiled).toEqual(['p', 'p']);
});

test('A policy that was deleted and made again is compiled again', async () => {
  const { bound, compiled } = setUp();
  for (const policies of [[withStatus(1)], [], [withStatus(1)]])
    for (const { entry } of bound.index(policies, [binding()]).candidates(pod)) await entry.compiled();
  expect(compiled).toEqual(['p', 'p']);
});

test('A policy without a binding, and a binding without a policy, concern no request', () => {
  const { bound } = setUp();
  expect(bound.index([withStatus(1)], []).candidates(pod)).toEqual([]);
  expect(bound.index([], [binding()]).candidates(pod)).toEqual([]);
});

test.each([
  ['validatingadmissionpolicies', false],
  ['mutatingadmissionpolicybindings', false],
  ['validatingwebhookconfigurations', true],
])('A policy for everything concerns %s: %s', (resource, expected) => {
  const { bound } = setUp();
  const target = attributesFor('pods', undefined, {
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', resource },
  });
  expect(bound.index([withStatus(1)], [binding()]).candidates(target).length > 0).toBe(expected);
});
