import { describe, expect, test } from 'vitest';
import { findResource, type ResourceInfo } from '../../api/resources.ts';
import { type Operation } from './operation.ts';
import { groupTag, groupTitle, resourceOperations } from './operations.ts';
import { pathItems } from './paths.ts';

const operationsOf = (apiVersion: string, name: string): Operation[] =>
  resourceOperations(findResource(apiVersion, name) as ResourceInfo);
const ids = (operations: Operation[]): Record<string, string> =>
  Object.fromEntries(operations.map(({ method, path, operationId }) => [`${method} ${path}`, operationId]));

describe('titles of groups in operation ids and tags', () => {
  test.each([
    { group: '', title: 'Core', tag: 'core_v1' },
    { group: 'apps', title: 'Apps', tag: 'apps_v1' },
    { group: 'rbac.authorization.k8s.io', title: 'RbacAuthorization', tag: 'rbacAuthorization_v1' },
    { group: 'stable.example.com', title: 'StableExampleCom', tag: 'stableExampleCom_v1' },
  ])('Titles of groups in operation ids and tags: $group', ({ group, title, tag }) => {
    expect(groupTitle(group)).toBe(title);
    expect(groupTag(group, 'v1')).toBe(tag);
  });
});

describe('operations of a resource', () => {
  test('A namespaced resource with status and scale has its operations in OpenAPI', () => {
    const base = '/apis/apps/v1';
    const item = `${base}/namespaces/{namespace}/statefulsets`;
    expect(ids(operationsOf('apps/v1', 'statefulsets'))).toEqual({
      [`get ${base}/statefulsets`]: 'listAppsV1StatefulSetForAllNamespaces',
      [`get ${item}`]: 'listAppsV1NamespacedStatefulSet',
      [`post ${item}`]: 'createAppsV1NamespacedStatefulSet',
      [`delete ${item}`]: 'deleteAppsV1CollectionNamespacedStatefulSet',
      [`get ${item}/{name}`]: 'readAppsV1NamespacedStatefulSet',
      [`put ${item}/{name}`]: 'replaceAppsV1NamespacedStatefulSet',
      [`delete ${item}/{name}`]: 'deleteAppsV1NamespacedStatefulSet',
      [`patch ${item}/{name}`]: 'patchAppsV1NamespacedStatefulSet',
      [`get ${item}/{name}/scale`]: 'readAppsV1NamespacedStatefulSetScale',
      [`put ${item}/{name}/scale`]: 'replaceAppsV1NamespacedStatefulSetScale',
      [`patch ${item}/{name}/scale`]: 'patchAppsV1NamespacedStatefulSetScale',
      [`get ${item}/{name}/status`]: 'readAppsV1NamespacedStatefulSetStatus',
      [`put ${item}/{name}/status`]: 'replaceAppsV1NamespacedStatefulSetStatus',
      [`patch ${item}/{name}/status`]: 'patchAppsV1NamespacedStatefulSetStatus',
      [`get ${base}/watch/statefulsets`]: 'watchAppsV1StatefulSetListForAllNamespaces',
      [`get ${base}/watch/namespaces/{namespace}/statefulsets`]: 'watchAppsV1NamespacedStatefulSetList',
      [`get ${base}/watch/namespaces/{namespace}/statefulsets/{name}`]: 'watchAppsV1NamespacedStatefulSet',
    });
  });

  test('A resource that can only be created has its operations in OpenAPI', () => {
    expect(ids(operationsOf('authorization.k8s.io/v1', 'subjectaccessreviews'))).toEqual({
      'post /apis/authorization.k8s.io/v1/subjectaccessreviews': 'createAuthorizationV1SubjectAccessReview',
    });
  });

  test('What a proxy takes over has its operations in OpenAPI, with and without a path', () => {
    const found = ids(operationsOf('v1', 'nodes').filter(({ action }) => action === 'connect'));
    expect(Object.keys(found)).toHaveLength(14);
    expect(found['get /api/v1/nodes/{name}/proxy']).toBe('connectCoreV1GetNodeProxy');
    expect(found['head /api/v1/nodes/{name}/proxy/{path}']).toBe('connectCoreV1HeadNodeProxyWithPath');
  });

  test('A subresource has the kind of its body', () => {
    const eviction = operationsOf('v1', 'pods').find(({ path }) => path.endsWith('/eviction'));
    expect(eviction).toMatchObject({
      operationId: 'createCoreV1NamespacedPodEviction',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      body: { type: 'policy/v1.Eviction', required: true },
    });
  });

  test.each([
    { name: 'a Status', apiVersion: 'v1', resource: 'configmaps', type: 'meta/v1.Status' },
    { name: 'the object where the kind does so', apiVersion: 'v1', resource: 'pods', type: 'core/v1.Pod' },
  ])('A delete answers with $name', ({ apiVersion, resource, type }) => {
    const deletion = operationsOf(apiVersion, resource).find(({ action }) => action === 'delete');
    expect(deletion?.responses['200']?.type).toBe(type);
  });

  test('OpenAPI operations of a resource name the query parameters of each action', () => {
    const names = (action: string): string[] | undefined =>
      operationsOf('v1', 'configmaps')
        .find((operation) => operation.action === action)
        ?.parameters.filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name);
    expect(names('post')).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'pretty']);
    expect(names('patch')).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force', 'pretty']);
    expect(names('delete')).toEqual([
      'dryRun',
      'gracePeriodSeconds',
      'ignoreStoreReadErrorWithClusterBreakingPotential',
      'orphanDependents',
      'pretty',
      'propagationPolicy',
    ]);
    expect(names('list')).toEqual([
      'allowWatchBookmarks',
      'continue',
      'fieldSelector',
      'labelSelector',
      'limit',
      'pretty',
      'resourceVersion',
      'resourceVersionMatch',
      'sendInitialEvents',
      'timeoutSeconds',
      'watch',
    ]);
  });
});

describe('parameters of a path', () => {
  const item = pathItems(operationsOf('v1', 'configmaps')).find(
    ({ path }) => path === '/api/v1/namespaces/{namespace}/configmaps',
  );

  test('OpenAPI parameters that all operations of a path take are lifted to the path', () => {
    expect(item?.shared.map(({ name }) => name)).toEqual(['namespace', 'pretty']);
  });

  test('OpenAPI parameters that not all operations of a path take stay with their operation', () => {
    const own = item?.operations.map(({ operation, own }) => [
      operation.method,
      own.some(({ name }) => name === 'dryRun'),
    ]);
    expect(own).toEqual([
      ['get', false],
      ['post', true],
      ['delete', true],
    ]);
  });
});
