import { expect, test } from 'vitest';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { awaitStorageVersions, type PendingStorageVersions } from './storage-version-precondition.ts';

const answer: ApiResponse = { status: 200, headers: {}, body: '' };
const pending: PendingStorageVersions = {
  isDone: false,
  isPending: ({ resource }) => resource !== 'widgets',
  lastError: ({ resource }) => (resource === 'jobs' ? 'the store is away' : undefined),
};

const send = async (method: string, path: string, versions = pending): Promise<ApiResponse> => {
  const info = parseRequestInfo(method, path, new URLSearchParams());
  return awaitStorageVersions(versions)({ info } as ApiRequest, async () => answer);
};

test.each([
  { name: 'A read', method: 'GET', path: '/api/v1/namespaces/default/pods/a' },
  { name: 'A request for no resource', method: 'POST', path: '/healthz' },
  {
    name: 'A write of a StorageVersion',
    method: 'PUT',
    path: '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/a.b',
  },
  {
    name: 'A write of a lease in kube-system',
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a',
  },
  { name: 'A write of what has no storage version', method: 'POST', path: '/apis/example.com/v1/widgets' },
])('$name passes while storage versions are not published', async ({ method, path }) => {
  expect(await send(method, path)).toBe(answer);
});

test.each([
  { name: 'A creation', method: 'POST', path: '/api/v1/namespaces/default/pods', resource: 'pods', error: '<nil>' },
  {
    name: 'A patch',
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/n/deployments/a',
    resource: 'deployments.apps',
    error: '<nil>',
  },
  {
    name: 'A deletion',
    method: 'DELETE',
    path: '/apis/batch/v1/namespaces/n/jobs/a',
    resource: 'jobs.batch',
    error: 'the store is away',
  },
  {
    name: 'A write of a lease of another namespace',
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/n/leases/a',
    resource: 'leases.coordination.k8s.io',
    error: '<nil>',
  },
])('$name is refused with 503 before the storage version is published', async ({ method, path, resource, error }) => {
  await expect(send(method, path)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `wait for storage version registration to complete for resource: ${resource}, last seen error: ${error}`,
  });
  expect(await send(method, path, { ...pending, isDone: true })).toBe(answer);
});
