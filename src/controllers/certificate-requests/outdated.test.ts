import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { createAuthority } from '../../pki/pki.ts';
import { outdatedReason } from './outdated.ts';

const minuteMs = 60_000;
const now = new Date('2030-01-01T00:00:00Z');
const ago = (minutes: number): string => new Date(now.getTime() - minutes * minuteMs).toISOString();
const condition = (type: 'Approved' | 'Denied' | 'Failed', minutes: number) => ({ type, lastUpdateTime: ago(minutes) });
const issued = (at: Date): string =>
  Buffer.from(createAuthority({ commonName: 'a' }, at).certificate).toString('base64');
const valid = issued(now);
const expired = issued(new Date('2010-01-01T00:00:00Z'));

test.each([
  { name: 'pending', minutes: 1439, status: {}, reason: undefined },
  { name: 'pending for more than a day', minutes: 1441, status: {}, reason: 'pending for a day' },
  { name: 'denied', minutes: 5000, status: { conditions: [condition('Denied', 59)] }, reason: undefined },
  {
    name: 'denied for more than an hour',
    minutes: 61,
    status: { conditions: [condition('Denied', 61)] },
    reason: 'denied for an hour',
  },
  {
    name: 'approved but not issued',
    minutes: 5000,
    status: { conditions: [condition('Approved', 5000)] },
    reason: undefined,
  },
  {
    name: 'issued',
    minutes: 59,
    status: { conditions: [condition('Approved', 59)], certificate: valid },
    reason: undefined,
  },
  {
    name: 'issued for more than an hour',
    minutes: 61,
    status: { conditions: [condition('Approved', 61)], certificate: valid },
    reason: 'issued for an hour',
  },
  {
    name: 'issued and expired',
    minutes: 10,
    status: { conditions: [condition('Approved', 10)], certificate: expired },
    reason: 'expired',
  },
  {
    name: 'failed',
    minutes: 5000,
    status: { conditions: [condition('Approved', 5000), condition('Failed', 5000)] },
    reason: undefined,
  },
])('A request that is $name is kept or not', ({ minutes, status, reason }) => {
  const request = { metadata: { name: 'a', creationTimestamp: ago(minutes) }, spec: {}, status };
  expect(outdatedReason(request as CertificateSigningRequest, now.getTime())).toBe(reason);
});

test('A certificate that cannot be read is no reason to delete its request', () => {
  const status = { conditions: [condition('Approved', 1)], certificate: 'eA==' };
  const request = { metadata: { name: 'a', creationTimestamp: ago(1) }, spec: {}, status };
  expect(() => outdatedReason(request as CertificateSigningRequest, now.getTime())).toThrow();
});
