import { expect, test } from 'vitest';
import { proxiedUrl } from './proxied-urls.ts';

const prefix = '/api/v1/namespaces/default/services/s/proxy';
const place = { prefix, authority: '10.0.0.1:80', requestHost: 'localhost:8001' };

test.each([
  { name: 'an absolute path', url: '/a/b?c=d#e', expected: `${prefix}/a/b?c=d#e` },
  { name: 'the path of a folder', url: '/a/', expected: `${prefix}/a/` },
  { name: 'the root', url: '/', expected: `${prefix}/` },
  { name: 'a path through the proxy', url: `${prefix}/a`, expected: `${prefix}/a` },
  { name: 'a relative path', url: 'a/b', expected: 'a/b' },
  { name: 'the server behind', url: 'http://10.0.0.1:80/a', expected: `${prefix}/a` },
  { name: 'the host of the request', url: 'http://localhost:8001/a', expected: `http://localhost:8001${prefix}/a` },
  { name: 'another server', url: 'http://elsewhere.test/a', expected: 'http://elsewhere.test/a' },
  { name: 'another server without a scheme', url: '//elsewhere.test/a', expected: '//elsewhere.test/a' },
  { name: 'a fragment', url: '#a', expected: '#a' },
  { name: 'a script', url: 'javascript:f()', expected: 'javascript:f()' },
])('A link to $name leads through the proxy where it is on the server behind', ({ url, expected }) => {
  expect(proxiedUrl(url, place)).toBe(expected);
});
