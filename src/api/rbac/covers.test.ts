import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../gen/types/rbac-v1.ts';
import { describeRules, missingRules } from './covers.ts';

const rule = (apiGroups: string, resources: string, verbs: string, resourceNames?: string): PolicyRule =>
  ({ apiGroups: apiGroups.split(','), resources: resources.split(','), verbs: verbs.split(','), ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(',') }) });
const paths = (nonResourceURLs: string, verbs: string): PolicyRule => ({ nonResourceURLs: nonResourceURLs.split(','), verbs: verbs.split(',') });

describe('what rules cover', () => {
  test.each([
    { name: 'the same', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods', 'get') },
    { name: 'parts from several rules', owned: [rule('', 'pods', 'get'), rule('', 'pods', 'list'), rule('', 'services', 'get,list')], wanted: rule('', 'pods,services', 'get,list') },
    { name: 'by stars', owned: [rule('*', '*', '*')], wanted: rule('apps,', 'deployments/scale,pods', 'get,escalate') },
    { name: 'a subresource by a star for the resource', owned: [rule('', '*/scale', 'get')], wanted: rule('', 'replicationcontrollers/scale', 'get') },
    { name: 'one object by all', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods', 'get', 'a') },
    { name: 'objects by objects', owned: [rule('', 'pods', 'get', 'a,b,c')], wanted: rule('', 'pods', 'get', 'a,c') },
    { name: 'a path by its beginning', owned: [paths('/healthz/*', 'get')], wanted: paths('/healthz/etcd,/healthz/*', 'get') },
  ])('$name', ({ owned, wanted }) => {
    expect(missingRules(owned, [wanted])).toEqual([]);
  });

  test.each([
    { name: 'another verb', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods', 'get,list'), missing: [rule('', 'pods', 'list')] },
    { name: 'another group', owned: [rule('apps', 'pods', 'get')], wanted: rule('', 'pods', 'get'), missing: [rule('', 'pods', 'get')] },
    { name: 'a subresource by its resource', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods/log', 'get'), missing: [rule('', 'pods/log', 'get')] },
    { name: 'the star itself by all there is', owned: [rule('', 'pods,pods/log', 'get')], wanted: rule('', '*', 'get'), missing: [rule('', '*', 'get')] },
    { name: 'a star for the resource by another subresource', owned: [rule('', '*/scale', 'get')], wanted: rule('', 'pods/status', 'get'), missing: [rule('', 'pods/status', 'get')] },
    { name: 'all objects by one', owned: [rule('', 'pods', 'get', 'a')], wanted: rule('', 'pods', 'get'), missing: [rule('', 'pods', 'get')] },
    { name: 'another object', owned: [rule('', 'pods', 'get', 'a')], wanted: rule('', 'pods', 'get', 'a,b'), missing: [rule('', 'pods', 'get', 'b')] },
    { name: 'a path by a longer one', owned: [paths('/healthz/*', 'get')], wanted: paths('/healthz', 'get'), missing: [paths('/healthz', 'get')] },
    { name: 'a path by resources', owned: [rule('*', '*', '*')], wanted: paths('/metrics', 'get'), missing: [paths('/metrics', 'get')] },
  ])('not $name', ({ owned, wanted, missing }) => {
    expect(missingRules(owned, [wanted])).toEqual(missing);
  });
});

test('rules are told sorted, with the verbs on one resource taken together', () => {
  expect(describeRules([paths('/a', 'get'), rule('', 'pods', 'list'), rule('', 'pods', 'get'), rule('', 'pods', 'get', 'x'), rule('apps', 'a,b', '*')])).toEqual([
    '{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}',
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["get"]}',
    '{APIGroups:["apps"], Resources:["a" "b"], Verbs:["*"]}',
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
  ].sort());
});
