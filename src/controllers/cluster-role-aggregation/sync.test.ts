import { expect, test } from 'vitest';
import type { ClusterRole, PolicyRule } from '../../api/gen/types/rbac-v1.ts';
import { aggregatedRules } from './sync.ts';

const rule = (verb: string): PolicyRule => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });
const role = (name: string, labels: Record<string, string>, ...verbs: string[]): ClusterRole =>
  ({ metadata: { name, labels }, rules: verbs.map(rule) }) as ClusterRole;
const all = (selectors: readonly object[], ...verbs: string[]): ClusterRole => ({
  ...role('all', { x: '1' }, ...verbs),
  aggregationRule: { clusterRoleSelectors: selectors as never },
});

const roles = [
  role('c', { x: '1', y: '1' }, 'watch'),
  role('b', { x: '1' }, 'get'),
  role('a', { y: '1' }, 'list', 'get'),
];
const x = { matchLabels: { x: '1' } };
const y = { matchExpressions: [{ key: 'y', operator: 'In', values: ['1'] }] };

test.each([
  {
    name: 'those of all roles that are selected, by selector and name',
    of: all([x, y]),
    verbs: ['get', 'watch', 'list'],
  },
  { name: 'none of its own', of: all([x], 'delete'), verbs: ['get', 'watch'] },
  { name: 'none when no role is selected', of: all([{ matchLabels: { z: '1' } }], 'get'), verbs: [] },
  { name: 'left when they are so already', of: all([x], 'get', 'watch'), verbs: undefined },
])('The rules of an aggregated cluster role are $name', ({ of, verbs }) => {
  expect(aggregatedRules(of, [...roles, of])).toEqual(verbs?.map(rule));
});
