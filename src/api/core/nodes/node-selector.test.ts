import { describe, expect, it } from 'vitest';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../gen/types/core-v1.ts';
import { nodeTermPredicate, requiredNodePredicate } from './node-selector.ts';

const node: Node = {
  metadata: { name: 'n1', labels: { zone: 'a', cores: '8' } },
  spec: {},
  status: { daemonEndpoints: { kubeletEndpoint: {} }, nodeInfo: {} },
};
const label = (
  key: string,
  operator: NonNullable<NodeSelectorRequirement['operator']>,
  ...values: string[]
): NodeSelectorTerm => ({ matchExpressions: [{ key, operator, values }] });

describe('a term that selects nodes', () => {
  it.each([
    { name: 'In, with the value', term: label('zone', 'In', 'a', 'b'), expected: true },
    { name: 'In, without the value', term: label('zone', 'In', 'b'), expected: false },
    { name: 'In, without the label', term: label('rack', 'In', 'a'), expected: false },
    { name: 'NotIn, with the value', term: label('zone', 'NotIn', 'a'), expected: false },
    { name: 'NotIn, without the label', term: label('rack', 'NotIn', 'a'), expected: true },
    { name: 'Exists', term: label('zone', 'Exists'), expected: true },
    { name: 'DoesNotExist', term: label('zone', 'DoesNotExist'), expected: false },
    { name: 'Gt', term: label('cores', 'Gt', '7'), expected: true },
    { name: 'Lt', term: label('cores', 'Lt', '8'), expected: false },
    { name: 'Gt, of what is no number', term: label('zone', 'Gt', '1'), expected: false },
    {
      name: 'the name',
      term: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
      expected: true,
    },
    { name: 'no requirements', term: {}, expected: false },
  ] satisfies { name: string; term: NodeSelectorTerm; expected: boolean }[])(
    'A term that selects nodes by $name matches: $expected',
    ({ term, expected }) => expect(nodeTermPredicate(term)(node)).toBe(expected),
  );
});

describe('what a pod requires of its node', () => {
  const affinity = (...nodeSelectorTerms: NodeSelectorTerm[]): PodSpec => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  it.each([
    { name: 'nothing', spec: {}, expected: undefined },
    { name: 'its labels', spec: { nodeSelector: { zone: 'a' } }, expected: true },
    { name: 'all of the labels', spec: { nodeSelector: { zone: 'a', rack: '1' } }, expected: false },
    { name: 'one of the terms', spec: affinity(label('zone', 'In', 'b'), label('zone', 'In', 'a')), expected: true },
    { name: 'a term where there is none', spec: affinity(), expected: false },
    {
      name: 'labels and terms',
      spec: { nodeSelector: { zone: 'a' }, ...affinity(label('zone', 'In', 'b')) },
      expected: false,
    },
  ])('What a pod requires of its node is $name: $expected', ({ spec, expected }) =>
    expect(requiredNodePredicate(spec)?.(node)).toBe(expected),
  );
});
