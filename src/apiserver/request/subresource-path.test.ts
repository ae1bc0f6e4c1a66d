import { expect, test } from 'vitest';
import { parseRequestInfo } from './request-info.ts';
import { subresourcePath } from './subresource-path.ts';

test.each([
  { path: '/api/v1/nodes/n/proxy/a/b/', prefix: '/api/v1/nodes/n/proxy', rest: '/a/b/' },
  { path: '/api/v1/nodes/n/proxy', prefix: '/api/v1/nodes/n/proxy', rest: '' },
  { path: '/api/v1/namespaces/a/pods/p/proxy/', prefix: '/api/v1/namespaces/a/pods/p/proxy', rest: '/' },
  {
    path: '/api/v1/namespaces/pods/pods/pods/proxy/pods/x',
    prefix: '/api/v1/namespaces/pods/pods/pods/proxy',
    rest: '/pods/x',
  },
])('Path $path is divided behind its subresource', ({ path, prefix, rest }) => {
  expect(subresourcePath(parseRequestInfo('GET', path, new URLSearchParams()), path)).toEqual([prefix, rest]);
});
