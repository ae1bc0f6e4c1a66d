import { describe, expect, test } from 'vitest';
import { isLongRunning, parseRequestInfo, type RequestInfo } from './request-info.ts';

const parse = (method: string, target: string): RequestInfo => {
  const [path = '', query = ''] = target.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
};

describe('a request for a resource', () => {
  test.each([
    { request: 'GET /api/v1/pods', verb: 'list', resource: 'pods' },
    { request: 'GET /api/v1/pods?watch=1', verb: 'watch', resource: 'pods' },
    { request: 'GET /api/v1/pods?watch=false', verb: 'list', resource: 'pods' },
    { request: 'GET /api/v1/watch/namespaces/x/pods/y', verb: 'watch', namespace: 'x', resource: 'pods', name: 'y' },
    { request: 'GET /api/v1/namespaces', verb: 'list', resource: 'namespaces' },
    { request: 'GET /api/v1/namespaces/x', verb: 'get', namespace: 'x', resource: 'namespaces', name: 'x' },
    {
      request: 'PUT /api/v1/namespaces/x/finalize',
      verb: 'update',
      namespace: 'x',
      resource: 'namespaces',
      name: 'x',
      subresource: 'finalize',
    },
    {
      request: 'GET /api/v1/namespaces/x/pods/y/log',
      verb: 'get',
      namespace: 'x',
      resource: 'pods',
      name: 'y',
      subresource: 'log',
    },
    { request: 'POST /api/v1/namespaces/x/pods', verb: 'create', namespace: 'x', resource: 'pods' },
    { request: 'HEAD /api/v1/nodes/n', verb: 'get', resource: 'nodes', name: 'n' },
    { request: 'DELETE /api/v1/nodes/n', verb: 'delete', resource: 'nodes', name: 'n' },
    {
      request: 'DELETE /api/v1/nodes?labelSelector=a',
      verb: 'deletecollection',
      resource: 'nodes',
      labelSelector: 'a',
    },
    {
      request: 'PATCH /apis/apps/v1/namespaces/x/deployments/d/scale',
      verb: 'patch',
      group: 'apps',
      namespace: 'x',
      resource: 'deployments',
      name: 'd',
      subresource: 'scale',
    },
    {
      request: 'GET /apis/apps/v1/deployments?fieldSelector=metadata.name%3Dd,a!=b',
      verb: 'list',
      group: 'apps',
      resource: 'deployments',
      name: 'd',
      fieldSelector: 'metadata.name=d,a!=b',
    },
    { request: 'GET /api/v1/nodes//', verb: 'list', resource: 'nodes' },
    { request: 'GET /api//v1/nodes', version: '', verb: 'get', resource: 'v1', name: 'nodes' },
    { request: 'GET /api/v1/namespaces//x/pods', verb: 'get', resource: 'x', name: 'pods' },
    { request: 'GET /api/v1/namespaces/x//pods', verb: 'get', namespace: 'x', resource: '', name: 'pods' },
  ])('A request for a resource: $request', ({ request, ...expected }) => {
    const [method = '', target = ''] = request.split(' ');
    expect(parse(method, target)).toMatchObject({
      isResourceRequest: true,
      version: 'v1',
      group: '',
      namespace: '',
      name: '',
      subresource: '',
      fieldSelector: '',
      labelSelector: '',
      ...expected,
    });
  });

  test.each(['/', '/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/healthz', 'x', '//api/v1/nodes'])(
    'A request for a resource is not %s',
    (path) => {
      expect(parse('GET', path)).toMatchObject({ isResourceRequest: false, path, verb: 'get', resource: '' });
    },
  );
});

test.each([
  { target: '/api/v1/pods?watch=1', isLong: true },
  { target: '/api/v1/namespaces/x/pods/y/exec', isLong: true },
  { target: '/api/v1/namespaces/x/services/y/proxy', isLong: true },
  { target: '/api/v1/namespaces/x/things/y/log', isLong: false },
  { target: '/api/v1/pods', isLong: false },
])('$target is long running: $isLong', ({ target, isLong }) =>
  expect(isLongRunning(parse('GET', target))).toBe(isLong),
);
