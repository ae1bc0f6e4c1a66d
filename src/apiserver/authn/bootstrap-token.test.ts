import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { bootstrapTokens } from './bootstrap-token.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const data = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };

function askWith(
  changes: Readonly<Record<string, string | undefined>> = {},
  more: Record<string, unknown> = {},
  token = 'abcdef.0123456789abcdef',
) {
  const encoded = Object.fromEntries(
    Object.entries({ ...data, ...changes }).map(([key, value]) => [key, Buffer.from(value ?? '').toString('base64')]),
  );
  const secret = { type: 'bootstrap.kubernetes.io/token', data: encoded, metadata: {}, ...more } as KubeObject;
  const find = (_group: string, resource: string, namespace: string, name: string) =>
    Promise.resolve(
      `${resource}/${namespace}/${name}` === 'secrets/kube-system/bootstrap-token-abcdef'
        ? (secret as never)
        : undefined,
    );
  return bootstrapTokens({ find, findFresh: find }, () => now).authenticateToken(token, []);
}

describe('bootstrap tokens', () => {
  test('Bootstrap tokens authenticate as the user of their id, in group system:bootstrappers', async () => {
    expect(await askWith()).toEqual({ user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } });
  });

  test('Bootstrap tokens can name more groups, and end', async () => {
    expect(
      await askWith({
        'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a',
        expiration: '2026-01-02T01:00:00+00:30',
      }),
    ).toEqual({
      user: {
        name: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
      },
      expiresAt: now + 30 * 60_000,
    });
  });

  test.each([
    { name: 'another secret', token: 'abcdef.0123456789abcdeg' },
    { name: 'another id', token: 'abcdeg.0123456789abcdef' },
    { name: 'a longer token', token: 'abcdef.0123456789abcdef0' },
    { name: 'capitals', token: 'ABCDEF.0123456789abcdef' },
    { name: 'a line break after it', token: 'abcdef.0123456789abcdef\n' },
    { name: 'an end that has passed', changes: { expiration: '2026-01-01T23:59:59Z' } },
    { name: 'an end that cannot be read', changes: { expiration: 'tomorrow' } },
    { name: 'a use that is not allowed', changes: { 'usage-bootstrap-authentication': 'yes' } },
    { name: 'an id in the data that is another', changes: { 'token-id': 'abcdeg' } },
    { name: 'another type of secret', more: { type: 'Opaque' } },
    { name: 'a secret that is being deleted', more: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } },
    { name: 'a group of the others', changes: { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' } },
    { name: 'an empty group', changes: { 'auth-extra-groups': 'system:bootstrappers:a,' } },
  ])('Bootstrap tokens with $name are not known', async ({ changes, more, token }) => {
    expect(await askWith(changes, more, token)).toBeUndefined();
  });
});
