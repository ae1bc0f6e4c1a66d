import { expect, test } from 'vitest';
import { forbiddenRequest } from './forbidden.ts';
import { attributes, pathAttributes, userNamed } from './testing/attributes.ts';

test.each([
  {
    name: 'an object',
    of: attributes(),
    message: 'pods "p" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "team"',
    details: { name: 'p', kind: 'pods' },
  },
  {
    name: 'a subresource',
    of: attributes({ group: 'apps', resource: 'deployments', subresource: 'scale' }),
    message:
      'deployments.apps "p" is forbidden: User "alice" cannot get resource "deployments/scale" in API group ' +
      '"apps" in the namespace "team"',
    details: { name: 'p', group: 'apps', kind: 'deployments' },
  },
  {
    name: 'a collection of the cluster',
    of: attributes({ verb: 'list', name: '', namespace: '', resource: 'nodes' }),
    message: 'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    details: { kind: 'nodes' },
  },
  {
    name: 'a path',
    of: pathAttributes('/metrics'),
    message: 'forbidden: User "alice" cannot get path "/metrics"',
    details: {},
  },
  {
    name: 'a path with a reason',
    of: pathAttributes('/metrics'),
    reason: 'no <b>',
    message: 'forbidden: User "alice" cannot get path "/metrics": no <b>',
    details: {},
  },
  {
    name: 'names that are no plain text',
    of: pathAttributes('/<script>', { user: userNamed('a&b') }),
    message: 'forbidden: User "a&amp;b" cannot get path "/&lt;script&gt;"',
    details: {},
  },
])('Names the user, the verb and $name', ({ of, reason = '', message, details }) => {
  expect(forbiddenRequest(of, reason)).toMatchObject({ code: 403, reason: 'Forbidden', message, details });
});
