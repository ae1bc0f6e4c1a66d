import { describe, expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';

describe('--authorization-mode=AlwaysDeny', () => {
  test('--authorization-mode=AlwaysDeny forbids all to all users but system:masters', async () => {
    await using api = await startApiUsers({ alice: [] }, ['--authorization-mode=AlwaysDeny']);
    expect(
      await api.call('alice', 'POST', '/api/v1/namespaces/default/configmaps', { body: 'this is not JSON' }),
    ).toMatchObject({
      status: 403,
      body: {
        kind: 'Status',
        reason: 'Forbidden',
        code: 403,
        message:
          'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the ' +
          'namespace "default": Everything is forbidden.',
      },
    });
    expect((await api.call(undefined, 'GET', '/healthz')).body.message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/healthz": Everything is forbidden.',
    );
    expect((await api.call('admin', 'GET', '/api/v1/namespaces/default')).status).toBe(200);
    const metrics = (await api.call('admin', 'GET', '/metrics')).body as string;
    expect(metrics).toContain('authorization_attempts_total{result="no-opinion"} 2');
  });

  test('AlwaysDeny after AlwaysAllow has nothing to say', async () => {
    await using api = await startApiUsers({ alice: [] }, ['--authorization-mode=AlwaysAllow,AlwaysDeny']);
    expect((await api.call('alice', 'GET', '/api/v1/namespaces/default')).status).toBe(200);
  });
});
