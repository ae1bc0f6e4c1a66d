import { describe, expect, it } from 'vitest';
import type { Secret, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { knownFromMs, type TokenUse, verdictOn } from './sync.ts';

const day = 24 * 3600 * 1000;
const nowMs = Date.parse('2026-06-30T12:00:00Z');

const secret = (metadata: object = {}): Secret =>
  ({
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'robot-token', namespace: 'team', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  }) as Secret;
const account = { metadata: { name: 'robot', uid: 'u1' }, secrets: [{ name: 'robot-token' }] } as ServiceAccount;
const use = (more: Partial<TokenUse> = {}): TokenUse => ({
  secret: secret(),
  account,
  isMounted: () => false,
  nowMs,
  periodMs: 30 * day,
  ...more,
});
const used = (date: string): object => ({ labels: { 'kubernetes.io/legacy-token-last-used': date } });
const invalid = (date: string): object => ({ labels: { 'kubernetes.io/legacy-token-invalid-since': date } });

describe('the token in a secret', () => {
  it.each([
    { name: 'becomes invalid when it was never used', use: use(), verdict: 'invalidate' },
    {
      name: 'becomes invalid a period after its last use',
      use: use({ secret: secret(used('2026-05-30')) }),
      verdict: 'invalidate',
    },
    {
      name: 'is kept within a period after its last use',
      use: use({ secret: secret(used('2026-05-31')) }),
      verdict: 'keep',
    },
    { name: 'is kept when its last use is no date', use: use({ secret: secret(used('lately')) }), verdict: 'keep' },
    {
      name: 'is kept within a period after it was made',
      use: use({ secret: secret({ creationTimestamp: '2026-06-01T00:00:00Z' }) }),
      verdict: 'keep',
    },
    { name: 'is kept when a pod refers to its secret', use: use({ isMounted: () => true }), verdict: 'keep' },
    {
      name: 'is kept when a user made the secret',
      use: use({ account: { ...account, secrets: [] } }),
      verdict: 'keep',
    },
    { name: 'is kept when its account is gone', use: use({ account: undefined }), verdict: 'keep' },
    {
      name: 'is kept when it was for an earlier account of the name',
      use: use({ secret: secret({ annotations: { 'kubernetes.io/service-account.uid': 'u0' } }) }),
      verdict: 'keep',
    },
    {
      name: 'is kept within a period after it became invalid',
      use: use({ secret: secret(invalid('2026-06-20')) }),
      verdict: 'keep',
    },
    {
      name: 'is deleted a period after it became invalid',
      use: use({ secret: secret(invalid('2026-05-01')) }),
      verdict: 'delete',
    },
    {
      name: 'becomes invalid again when the mark is no date',
      use: use({ secret: secret(invalid('true')) }),
      verdict: 'invalidate',
    },
    {
      name: 'is kept in a secret that is being deleted',
      use: use({ secret: secret({ deletionTimestamp: '2026-06-30T00:00:00Z' }) }),
      verdict: 'keep',
    },
  ] as const)('The token in a secret: $name', ({ use, verdict }) => {
    expect(verdictOn(use)).toBe(verdict);
  });

  it.each([
    { name: 'a period after the day on which that began', since: '2026-05-30', expected: Date.parse('2026-06-30') },
    { name: 'never, when the config map has no date', since: 'soon', expected: undefined },
    { name: 'never, when the config map has nothing', since: undefined, expected: undefined },
  ])('The token in a secret is looked at when uses are known: $name', ({ since, expected }) => {
    expect(knownFromMs(since, 30 * day)).toBe(expected);
  });
});
