import { expect, test } from 'vitest';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import { attributesFor, objectsOf } from '../testing/attributes.ts';
import { BoundPolicies, nameOf, type Policy } from './bound-policies.ts';
import { PolicyMatcher } from './matched.ts';
import { ParamReader } from './params.ts';
import { binding, validating } from './testing/policies.ts';

const of = (value: string) => ({ namespaceSelector: { matchLabels: { of: value } } });
const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] as never;
const policy = (name: string, resources: object = {}): Policy =>
  validating({ matchConstraints: { resourceRules: everything, ...resources } }, name);

const namespace = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } });
const pod = (where = 'team'): AdmissionAttributes =>
  attributesFor('pods', { metadata: { name: 'p', labels: { l: 'x' } } }, { namespace: where });

type BoundTo = ReturnType<typeof binding>;

function setUp(policies: readonly Policy[], bindings: readonly BoundTo[]) {
  const index = new BoundPolicies<Policy, BoundTo, string>(() => Promise.resolve('')).index(policies, bindings);
  const namespaces = [namespace('team', { of: 'a' }), namespace('other', { of: 'b' })];
  const matcher = new PolicyMatcher<Policy, BoundTo, string>(
    new ParamReader({ kindOf: () => undefined }),
    objectsOf({ '/namespaces': namespaces }),
  );
  return async (attributes: AdmissionAttributes): Promise<string[]> => {
    const found: string[] = [];
    for await (const { policy: matched, bindings: bound, problems } of matcher.matched(
      index.candidates(attributes),
      attributes,
    )) {
      const texts = [...bound.map((one) => nameOf(one.binding)), ...problems.map(({ message }) => message)];
      if (texts.length > 0) found.push(`${nameOf(matched)}: ${texts.join(', ')}`);
    }
    return found;
  };
}

test('A policy and its bindings are matched by the labels of namespace and object', async () => {
  const matched = setUp(
    [policy('p', of('a')), policy('q'), policy('r', { objectSelector: { matchLabels: { l: 'y' } } })],
    [
      binding({ policyName: 'p' }, '1'),
      binding({ policyName: 'q', matchResources: of('b') }, '2'),
      binding({ policyName: 'q', matchResources: { objectSelector: { matchLabels: { l: 'x' } } } }, '3'),
      binding({ policyName: 'r' }, '4'),
    ],
  );
  expect(await matched(pod())).toEqual(['p: 1', 'q: 3']);
  expect(await matched(pod('other'))).toEqual(['q: 2, 3']);
});

test('A thousand policies for other namespaces are looked at once, not for each request', async () => {
  let looks = 0;
  const resources = {
    namespaceSelector: {
      get matchLabels() {
        looks++;
        return { of: 'b' };
      },
    },
  };
  const policies = Array.from({ length: 1000 }, (_, i) => policy(`p${i}`, resources));
  const matched = setUp(
    policies,
    policies.map((one) => binding({ policyName: nameOf(one) }, nameOf(one))),
  );
  expect(await matched(pod())).toEqual([]);
  const first = looks;
  for (let i = 0; i < 10; i++) await matched(pod());
  expect(looks).toBe(first);
});

test('Of a namespace that is changed the labels count that it gets', async () => {
  const matched = setUp([policy('p', of('b'))], [binding()]);
  const object = namespace('team', { of: 'a' });
  const change = attributesFor('namespaces', object, { operation: 'UPDATE', name: 'team' });
  expect(await matched(change)).toEqual([]);
  object.metadata.labels['of'] = 'b';
  expect(await matched(change)).toEqual(['p: b']);
});

test('What keeps a policy or a binding from being asked is a problem of it', async () => {
  const odd = { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] } } as never;
  const unknown = { ...policy('r') };
  unknown.spec = { ...unknown.spec, paramKind: { apiVersion: 'v1', kind: 'Nothing' } };
  const matched = setUp(
    [policy('p', odd), policy('q'), unknown],
    [
      binding(),
      binding({ policyName: 'q', matchResources: odd }, 'c'),
      binding({ policyName: 'r', matchResources: of('b') }, 'd'),
    ],
  );
  expect(await matched(pod())).toEqual([
    'p: failed to configure policy: Internal error occurred: "Odd" is not a valid label selector operator',
    'q: failed to configure binding: Internal error occurred: "Odd" is not a valid label selector operator',
    "r: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nothing'",
  ]);
  expect(await matched(pod('gone'))).toHaveLength(3);
});
