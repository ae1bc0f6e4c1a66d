import { expect, test } from 'vitest';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { identityOf, isExpired } from './identity-lease.ts';

test('The identity of a server is a hash of the name of its host', () => {
  // printf host | sha256sum, the first 16 bytes in base 32.
  expect(identityOf('host')).toBe('apiserver-i5ak4y2hwalsyajfj72vxls274');
});

const nowMs = Date.UTC(2024, 0, 1, 1);
test.each([
  {
    name: 'that was renewed in time',
    spec: { renewTime: '2024-01-01T00:30:00.000000Z', leaseDurationSeconds: 1800 },
    expired: false,
  },
  {
    name: 'that was not renewed',
    spec: { renewTime: '2024-01-01T00:29:59.000000Z', leaseDurationSeconds: 1800 },
    expired: true,
  },
  { name: 'without a time', spec: { leaseDurationSeconds: 1800 }, expired: true },
  { name: 'without a duration', spec: { renewTime: '2024-01-01T00:30:00.000000Z' }, expired: true },
])('Whether a lease $name has expired', ({ spec, expired }) => {
  expect(isExpired({ metadata: {}, spec } as Lease, nowMs)).toBe(expired);
});
