import { describe, expect, test } from 'vitest';
import type { StatusError } from '../../../machinery/status.ts';
import { checkReview, type ReviewKind } from './access-review-validation.ts';

interface Row {
  readonly name: string;
  readonly kind?: ReviewKind;
  readonly spec?: object;
  readonly metadata?: object;
}

const resourceAttributes = { namespace: 'x', resource: 'pods', verb: 'get' };
const user = 'jane';

const check = ({ kind = 'SubjectAccessReview', spec = {}, metadata = {} }: Row): void =>
  checkReview(kind, { metadata, spec } as Parameters<typeof checkReview>[1], 'x');

describe('an access review', () => {
  test.each<Row>([
    { name: 'of a user and a resource', spec: { user, resourceAttributes } },
    {
      name: 'of groups and a path',
      spec: { groups: ['devs'], nonResourceAttributes: { path: '/livez', verb: 'get' } },
    },
    { name: 'of the caller', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
    {
      name: 'in its namespace',
      kind: 'LocalSubjectAccessReview',
      spec: { user, resourceAttributes },
      metadata: { namespace: 'x' },
    },
    {
      name: 'with managed fields, which the server writes',
      spec: { user, resourceAttributes },
      metadata: { managedFields: [] },
    },
    { name: 'with selectors as text', spec: { user, resourceAttributes: { fieldSelector: { rawSelector: 'a=b' } } } },
  ])('An access review is accepted: $name', (row) => expect(() => check(row)).not.toThrow());

  test.each<Row & { code?: number; message: string }>([
    {
      name: 'without a user and groups',
      spec: { resourceAttributes },
      message: 'spec.user: Invalid value: "": at least one of user or group must be specified',
    },
    {
      name: 'without attributes',
      spec: { user },
      message:
        'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes ' +
        'must be specified',
    },
    {
      name: 'with both kinds of attributes',
      spec: { user, resourceAttributes, nonResourceAttributes: { path: '/a', verb: 'get' } },
      message:
        'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/a", Verb:"get"}: ' +
        'cannot be specified in combination with resourceAttributes',
    },
    {
      name: 'with a name',
      spec: { user, resourceAttributes },
      metadata: { name: 'a' },
      message: 'Finalizers:[]string(nil), ManagedFields:[]v1.ManagedFieldsEntry(nil)}: must be empty',
    },
    {
      name: 'with a selector as text and as requirements',
      spec: { user, resourceAttributes: { labelSelector: { rawSelector: 'a', requirements: [{}] } } },
      message:
        'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same ' +
        'time as requirements',
    },
    {
      name: 'with an empty selector',
      spec: { user, resourceAttributes: { fieldSelector: {} } },
      message:
        'spec.resourceAttributes.fieldSelector.requirements: Required value: when ' +
        'spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    },
    {
      name: 'of another namespace than its own',
      kind: 'LocalSubjectAccessReview',
      spec: { user, resourceAttributes: { namespace: 'y' } },
      metadata: { namespace: 'x' },
      message: 'spec.resourceAttributes.namespace: Invalid value: "y": must match metadata.namespace',
    },
    {
      name: 'of a path, in a namespace',
      kind: 'LocalSubjectAccessReview',
      spec: { user, nonResourceAttributes: { path: '/a', verb: 'get' } },
      metadata: { namespace: 'x' },
      message: 'disallowed on this kind of request',
    },
    {
      name: 'in another namespace than that of the path',
      kind: 'LocalSubjectAccessReview',
      spec: { user, resourceAttributes },
      metadata: { namespace: 'y' },
      code: 400,
      message: 'spec.resourceAttributes.namespace must match namespace: x',
    },
  ])('An access review is refused: $name', ({ code = 422, message, ...row }) => {
    expect(() => check(row)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringContaining(message) as string,
      } satisfies Partial<StatusError>),
    );
  });
});
