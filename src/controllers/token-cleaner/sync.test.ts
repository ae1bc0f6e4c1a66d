import { expect, test } from 'vitest';
import type { Secret } from '../../api/gen/types/core-v1.ts';
import { isBootstrapToken, verdictOn } from './sync.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

test.each([
  { name: 'no end', expiration: '', verdict: undefined },
  { name: 'an end in a second', expiration: '2026-01-01T00:00:01Z', verdict: 1000 },
  { name: 'an end in another zone', expiration: '2026-01-01T02:00:01+02:00', verdict: 1000 },
  { name: 'an end in years', expiration: '2036-01-01T00:00:00Z', verdict: 86_400_000 },
  { name: 'its end now', expiration: '2026-01-01T00:00:00Z', verdict: 'delete' },
  { name: 'an end that cannot be read', expiration: 'tomorrow', verdict: 'delete' },
])('A token with $name is kept so long', ({ expiration, verdict }) => {
  const data = { expiration: Buffer.from(expiration).toString('base64') };
  expect(verdictOn({ metadata: {}, data } as Secret, nowMs)).toBe(verdict);
});

test.each([
  { name: 'a token', namespace: 'kube-system', type: 'bootstrap.kubernetes.io/token', is: true },
  { name: 'one of another namespace', namespace: 'team', type: 'bootstrap.kubernetes.io/token', is: false },
  { name: 'another secret', namespace: 'kube-system', type: 'Opaque', is: false },
])('Only bootstrap tokens of kube-system are looked at: $name', ({ namespace, type, is }) => {
  expect(isBootstrapToken({ metadata: { namespace }, type } as Secret)).toBe(is);
});
