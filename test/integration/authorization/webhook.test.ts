import { describe, expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';
import { replaceFile } from '../../support/replace-file.ts';
import {
  Judge,
  openssl,
  ca,
  shown,
  startJudge,
  pods,
  startBeforeTests,
} from '../../support/servers/authorization-webhook.ts';

startBeforeTests();

describe('--authorization-mode=Webhook', () => {
  test('--authorization-mode=Webhook asks the service, and leaves no opinion to others', async () => {
    const { judge, kubeconfig } = await startJudge('mode');
    await using _judge = judge;
    await using api = await startApiUsers({ alice: ['devs'], bob: [] }, [
      '--authorization-mode=Webhook,RBAC',
      '--authorization-webhook-config-file',
      kubeconfig,
      '--authorization-webhook-version=v1',
    ]);
    judge.answer = ({ spec }) =>
      spec.user === 'alice'
        ? { allowed: spec.resourceAttributes?.resource === 'pods', reason: 'alice reads pods' }
        : { allowed: false, denied: true, reason: 'bob may not' };
    expect((await api.call('alice', 'GET', `${pods}?fieldSelector=spec.nodeName=a`)).status).toBe(200);
    expect((await api.call('alice', 'GET', `${pods}?fieldSelector=spec.nodeName=a`)).status).toBe(200);
    expect(judge.asked).toHaveLength(1);
    expect(judge.asked[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1',
      spec: {
        user: 'alice',
        groups: ['devs', 'system:authenticated'],
        resourceAttributes: {
          verb: 'list',
          resource: 'pods',
          namespace: 'default',
          fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['a'] }] },
        },
      },
    });
    expect((await api.call('alice', 'GET', '/api')).status).toBe(200);
    expect((await api.call('alice', 'GET', '/api/v1/secrets')).body.message).toBe(
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" at the cluster ' +
        'scope: alice reads pods',
    );
    expect((await api.call('bob', 'GET', '/api')).body.message).toBe(
      'forbidden: User "bob" cannot get path "/api": bob may not',
    );
    const before = judge.asked.length;
    expect((await api.call('admin', 'GET', '/api/v1/secrets')).status).toBe(200);
    expect(judge.asked).toHaveLength(before);
  });

  test('A webhook that fails leaves the decision to the others; where none allows it the request fails', async () => {
    const { judge, kubeconfig } = await startJudge('broken');
    await using _judge = judge;
    await using api = await startApiUsers({ alice: [] }, [
      '--authorization-mode=Webhook,RBAC',
      '--authorization-webhook-config-file',
      kubeconfig,
    ]);
    judge.answer = () => 403;
    expect((await api.call('alice', 'GET', '/api')).status).toBe(200);
    expect(await api.call('alice', 'GET', pods)).toMatchObject({
      status: 500,
      body: `Internal Server Error: "${pods}": the webhook answered with status 403\n`,
    });
    expect(judge.asked[0]!.apiVersion).toBe('authorization.k8s.io/v1beta1');
    const metrics = (await api.call('admin', 'GET', '/metrics')).body as string;
    expect(metrics).toContain(
      'apiserver_authorization_webhook_evaluations_fail_open_total{name="webhook",result="error"} 2',
    );
    expect(metrics).toMatch(/^rest_client_requests_total\{code="403",host="127\.0\.0\.1:\d+",method="POST"\} 2$/m);
    expect(metrics).toContain('apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"} 1');
  });

  test('A certificate of another authority is not trusted', async () => {
    const { judge } = await startJudge('stranger');
    await using _judge = judge;
    const other = await openssl.authority('other-ca');
    await using second = new Judge(shown.certificate, shown.key, ca.certificate);
    const kubeconfig = await second.kubeconfig(openssl, 'stranger', other.certificate);
    second.answer = () => ({ allowed: true });
    await using api = await startApiUsers({ alice: [] }, [
      '--authorization-mode=Webhook',
      '--authorization-webhook-config-file',
      kubeconfig,
    ]);
    expect((await api.call('alice', 'GET', pods)).status).toBe(500);
    expect(second.asked).toEqual([]);
  });

  test('--authorization-webhook-cache-unauthorized-ttl is how long a no is kept, and not a yes', async () => {
    const { judge, kubeconfig } = await startJudge('forgetful');
    await using _judge = judge;
    await using api = await startApiUsers({ alice: [] }, [
      '--authorization-mode=Webhook',
      '--authorization-webhook-config-file',
      kubeconfig,
      '--authorization-webhook-cache-unauthorized-ttl=1ns',
    ]);
    for (const allowed of [false, false, true, true]) {
      judge.answer = () => ({ allowed });
      expect((await api.call('alice', 'GET', pods)).status).toBe(allowed ? 200 : 403);
    }
    expect(judge.asked).toHaveLength(3);
  });

  test('A client certificate that was renewed is shown without a restart', async () => {
    const [first, renewed] = [
      await openssl.issue({ subject: '/CN=first', issuer: ca }),
      await openssl.issue({ subject: '/CN=renewed', issuer: ca }),
    ];
    const [certificate, key] = [
      await openssl.file('client.crt', first.certificate),
      await openssl.file('client.key', first.key),
    ];
    const { judge, kubeconfig } = await startJudge('renewal', {
      'client-certificate': 'client.crt',
      'client-key': 'client.key',
    });
    await using _judge = judge;
    judge.answer = () => ({ allowed: true });
    await using api = await startApiUsers({ alice: [] }, [
      '--authorization-mode=Webhook',
      '--authorization-webhook-config-file',
      kubeconfig,
      '--authorization-webhook-cache-authorized-ttl=1ns',
    ]);
    const caller = async (): Promise<string | undefined> => {
      expect((await api.call('alice', 'GET', pods)).status).toBe(200);
      return judge.callers.at(-1)!.commonName;
    };
    expect(await caller()).toBe('first');
    await replaceFile(certificate, renewed.certificate);
    await replaceFile(key, renewed.key);
    await expect.poll(caller, { timeout: 20_000 }).toBe('renewed');
  });
});
