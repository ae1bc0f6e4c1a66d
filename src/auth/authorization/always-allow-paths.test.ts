import { expect, test } from 'vitest';
import { alwaysAllowPaths } from './always-allow-paths.ts';
import { attributes, pathAttributes } from './testing/attributes.ts';

test.each([
  { paths: ['/healthz', '/livez'], asked: '/healthz', decision: 'allow' },
  { paths: ['healthz'], asked: '/healthz', decision: 'allow' },
  { paths: ['/healthz'], asked: '/healthz/ping', decision: 'noOpinion' },
  { paths: ['/healthz'], asked: '/metrics', decision: 'noOpinion' },
  { paths: ['/healthz*'], asked: '/healthz/ping', decision: 'allow' },
  { paths: ['/healthz/*'], asked: '/healthz', decision: 'noOpinion' },
  { paths: ['*'], asked: '/debug/pprof/', decision: 'allow' },
  { paths: [], asked: '/healthz', decision: 'noOpinion' },
])('$asked with $paths always allowed: $decision', async ({ paths, asked, decision }) => {
  expect(await alwaysAllowPaths(paths).authorize(pathAttributes(asked))).toMatchObject({ decision });
});

test('A resource is never allowed by its path', async () => {
  expect(await alwaysAllowPaths(['*']).authorize(attributes({}))).toMatchObject({ decision: 'noOpinion' });
});
