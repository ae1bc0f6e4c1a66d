import { describe, expect, test } from 'vitest';
import type { ResourceForm } from '../../../registry/admission.ts';
import { attributesFor } from '../testing/attributes.ts';
import { matchedForm, matchesRule, namespaceOf, type Rule } from './rules.ts';

const rule = (more: Partial<Rule> = {}): Rule => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  scope: '*',
  ...more,
});

const request = (more: Parameters<typeof attributesFor>[2] & { readonly of?: string } = {}) =>
  attributesFor(more.of ?? 'pods', { metadata: { name: 'p' } }, more);

describe('rules', () => {
  test.each([
    { name: 'all members fit', rule: rule(), of: request(), matches: true },
    { name: 'another operation', rule: rule({ operations: ['UPDATE', 'DELETE'] }), of: request(), matches: false },
    {
      name: 'every operation',
      rule: rule({ operations: ['*'] }),
      of: request({ operation: 'CONNECT' }),
      matches: true,
    },
    { name: 'another group', rule: rule({ apiGroups: ['apps'] }), of: request(), matches: false },
    { name: 'every group', rule: rule({ apiGroups: ['*'] }), of: request(), matches: true },
    { name: 'another version', rule: rule({ apiVersions: ['v1beta1'] }), of: request(), matches: false },
    { name: 'every version', rule: rule({ apiVersions: ['*'] }), of: request(), matches: true },
    { name: 'another resource', rule: rule({ resources: ['nodes'] }), of: request(), matches: false },
    { name: 'every resource', rule: rule({ resources: ['*'] }), of: request(), matches: true },
    {
      name: 'every resource is no subresource',
      rule: rule({ resources: ['*'] }),
      of: request({ subresource: 'status' }),
      matches: false,
    },
    { name: 'everything', rule: rule({ resources: ['*/*'] }), of: request({ subresource: 'status' }), matches: true },
    {
      name: 'everything of a resource is the resource too',
      rule: rule({ resources: ['pods/*'] }),
      of: request(),
      matches: true,
    },
    {
      name: 'a subresource of everything',
      rule: rule({ resources: ['*/status'] }),
      of: request({ subresource: 'status' }),
      matches: true,
    },
    {
      name: 'a subresource of everything is not the resource',
      rule: rule({ resources: ['*/status'] }),
      of: request(),
      matches: false,
    },
    {
      name: 'a subresource',
      rule: rule({ resources: ['pods/exec'] }),
      of: request({ subresource: 'exec' }),
      matches: true,
    },
    {
      name: 'another subresource',
      rule: rule({ resources: ['pods/exec'] }),
      of: request({ subresource: 'log' }),
      matches: false,
    },
    { name: 'what is in a namespace', rule: rule({ scope: 'Namespaced' }), of: request(), matches: true },
    {
      name: 'what is in a namespace is not of the cluster',
      rule: rule({ scope: 'Cluster' }),
      of: request(),
      matches: false,
    },
    {
      name: 'what is in no namespace',
      rule: rule({ scope: 'Cluster', resources: ['*'] }),
      of: request({ of: 'nodes' }),
      matches: true,
    },
    {
      name: 'a namespace is of the cluster',
      rule: rule({ scope: 'Cluster', resources: ['*'] }),
      of: request({ of: 'namespaces' }),
      matches: true,
    },
    {
      name: 'a namespace is in none',
      rule: rule({ scope: 'Namespaced', resources: ['*'] }),
      of: request({ of: 'namespaces' }),
      matches: false,
    },
    { name: 'a rule without anything', rule: {}, of: request(), matches: false },
  ])('$name: $matches', ({ rule: asked, of, matches }) => expect(matchesRule(asked, of)).toBe(matches));
});

const hpa = (version: string): ResourceForm => ({
  resource: { group: 'autoscaling', version, resource: 'horizontalpodautoscalers' },
  kind: { group: 'autoscaling', version, kind: 'HorizontalPodAutoscaler' },
});
const forms = [hpa('v2'), hpa('v1')];
const rules = (...versions: string[]): Rule[] =>
  versions.map((version) => rule({ apiGroups: ['autoscaling'], apiVersions: [version], resources: ['*'] }));

test.each([
  { name: 'the version of the request', rules: rules('v2'), policy: 'Equivalent', version: 'v2' },
  { name: 'another version of it', rules: rules('v1'), policy: 'Equivalent', version: 'v1' },
  {
    name: 'another version of it, where only itself is wanted',
    rules: rules('v1'),
    policy: 'Exact',
    version: undefined,
  },
  {
    name: 'the version of the request, although a rule before asks for another',
    rules: rules('v1', 'v2'),
    policy: 'Equivalent',
    version: 'v2',
  },
  { name: 'a version that is not served', rules: rules('v2beta1'), policy: 'Equivalent', version: undefined },
  {
    name: 'another object',
    rules: [{ ...rules('v2')[0]!, resourceNames: ['q'] }],
    policy: 'Equivalent',
    version: undefined,
  },
  {
    name: 'this object',
    rules: [{ ...rules('v1')[0]!, resourceNames: ['q', 'p'] }],
    policy: 'Equivalent',
    version: 'v1',
  },
])('Rules for $name ask for $version', ({ rules: asked, policy, version }) => {
  const target = { ...request({ resource: hpa('v2').resource }), kind: hpa('v2').kind };
  expect(matchedForm(asked, policy, target, forms)?.kind.version).toBe(version);
});

test.each([
  { name: 'an object of a namespace', of: request(), namespace: 'team' },
  { name: 'an object of none', of: request({ of: 'nodes' }), namespace: '' },
  { name: 'a namespace', of: request({ of: 'namespaces' }), namespace: 'p' },
])('$name lies in "$namespace"', ({ of, namespace }) => expect(namespaceOf(of)).toBe(namespace));
