import { describe, expect, test } from 'vitest';
import { post, refusal, startBeforeTests } from '../support/servers/virtual-resources.ts';

startBeforeTests();

describe('reviews of access', () => {
  const reviews = '/apis/authorization.k8s.io/v1';
  const local = `${reviews}/namespaces/default/localsubjectaccessreviews`;
  const pods = { verb: 'get', resource: 'pods', namespace: 'default' };

  test.each([
    {
      name: 'an administrator may',
      spec: { user: 'admin', groups: ['system:masters'], resourceAttributes: pods },
      allowed: true,
    },
    { name: 'a stranger may not', spec: { user: 'alice', resourceAttributes: pods }, allowed: false },
    {
      name: 'a public path',
      spec: { groups: ['system:authenticated'], nonResourceAttributes: { path: '/api', verb: 'get' } },
      allowed: true,
    },
  ])('Reviews of access of a subject: $name', async ({ spec, allowed }) => {
    const answer = await post(`${reviews}/subjectaccessreviews`, { spec });
    expect([answer.status, answer.json<{ status: { allowed?: boolean } }>().status.allowed ?? false]).toEqual([
      201,
      allowed,
    ]);
  });

  test.each([
    {
      name: 'no subject',
      path: `${reviews}/subjectaccessreviews`,
      body: { spec: { resourceAttributes: pods } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or ' +
        'group must be specified',
    },
    {
      name: 'no question',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: {} },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: "null": exactly one of ' +
        'nonResourceAttributes or resourceAttributes must be specified',
    },
    {
      name: 'two questions',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: { resourceAttributes: pods, nonResourceAttributes: { path: '/', verb: 'get' } } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: ' +
        'authorization.NonResourceAttributes{Path:"/", Verb:"get"}: cannot be specified in combination with ' +
        'resourceAttributes',
    },
    {
      name: 'an empty selector',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: { resourceAttributes: { ...pods, labelSelector: {} } } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.labelSelector.requirements: Required ' +
        'value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is ' +
        'required',
    },
    {
      name: 'a selector as text and as requirements',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: {
        spec: {
          resourceAttributes: {
            ...pods,
            fieldSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] },
          },
        },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.fieldSelector.rawSelector: Invalid ' +
        'value: "a=b": may not specified at the same time as requirements',
    },
    {
      name: 'a question about another namespace',
      path: local,
      body: {
        metadata: { namespace: 'default' },
        spec: { user: 'a', resourceAttributes: { ...pods, namespace: 'other' } },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": must ' +
        'match metadata.namespace',
    },
    {
      name: 'a question about a path in a namespace',
      path: local,
      body: {
        metadata: { namespace: 'default' },
        spec: { user: 'a', nonResourceAttributes: { path: '/', verb: 'get' } },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: ' +
        'authorization.NonResourceAttributes{Path:"/", Verb:"get"}: disallowed on this kind of request',
    },
    {
      name: 'rules of no namespace',
      path: `${reviews}/selfsubjectrulesreviews`,
      body: { spec: {} },
      code: 400,
      message: 'no namespace on request',
    },
  ])('Reviews of access are refused with $name', async ({ path, body, code, message }) => {
    expect(refusal(await post(path, body))).toMatchObject({ code, message });
  });

  test('Reviews of access say which selector narrowed nothing down', async () => {
    const answer = await post(`${reviews}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { ...pods, fieldSelector: { rawSelector: '!!' } } },
    });
    expect(answer.json()).toMatchObject({
      status: { allowed: true, evaluationError: 'spec.resourceAttributes.fieldSelector ignored due to parse error' },
    });
  });
});

test('A SelfSubjectReview returns the user of the request', async () => {
  expect((await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 'alice')).json()).toMatchObject({
    kind: 'SelfSubjectReview',
    status: { userInfo: { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] } },
  });
});
