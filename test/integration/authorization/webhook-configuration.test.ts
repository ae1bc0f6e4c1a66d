import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { openssl, startJudge, pods, startBeforeTests } from '../../support/servers/authorization-webhook.ts';

startBeforeTests();

describe('--authorization-config', () => {
  test('With --authorization-config webhooks have conditions; an invalid new file is not loaded', async () => {
    const first = await startJudge('first');
    const second = await startJudge('second');
    await using _first = first.judge;
    await using _second = second.judge;
    const file = join((await openssl.file('authz.json', '')).replace(/authz\.json$/, ''), 'authz.json');
    const webhook = (name: string, kubeConfigFile: string, more: object = {}): object => ({
      type: 'Webhook',
      name,
      webhook: {
        timeout: '2s',
        authorizedTTL: '1ms',
        unauthorizedTTL: '1ms',
        subjectAccessReviewVersion: 'v1',
        failurePolicy: 'Deny',
        connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
        ...more,
      },
    });
    const write = (...authorizers: object[]): Promise<void> =>
      replaceFile(
        file,
        JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers }),
      );
    const onSecrets = {
      matchConditionSubjectAccessReviewVersion: 'v1',
      matchConditions: [
        { expression: "has(request.resourceAttributes) && request.resourceAttributes.resource == 'secrets'" },
      ],
    };
    await write(webhook('secrets', first.kubeconfig, onSecrets), webhook('rest', second.kubeconfig), {
      type: 'RBAC',
      name: 'rbac',
    });
    await using api = await startApiUsers({ alice: [] }, ['--authorization-config', file], { fileCheckMs: 20 });
    first.judge.answer = () => ({ allowed: true });
    expect((await api.call('alice', 'GET', '/api/v1/secrets')).status).toBe(200);
    expect([first.judge.asked.length, second.judge.asked.length]).toEqual([1, 0]);
    expect((await api.call('alice', 'GET', pods)).status).toBe(403);
    expect([first.judge.asked.length, second.judge.asked.length]).toEqual([1, 1]);
    second.judge.answer = () => 400;
    expect((await api.call('alice', 'GET', '/api')).status).toBe(500);
    const metrics = async (): Promise<string> => (await api.call('admin', 'GET', '/metrics')).body as string;
    expect(await metrics()).toContain(
      'apiserver_authorization_match_condition_exclusions_total{type="Webhook",name="secrets"} 2',
    );

    await write(webhook('secrets', first.kubeconfig), { type: 'RBAC', name: 'rbac' });
    await api.until('alice', 'GET', pods, ({ status }) => status === 200);
    await replaceFile(file, '{}');
    await api.until('admin', 'GET', '/metrics', ({ body }) =>
      /automatic_reloads_total\{[^}]*status="failure"\} 1/.test(body as string),
    );
    await write({ type: 'RBAC', name: 'rbac' }, { type: 'AlwaysAllow', name: 'alwaysallow' });
    await api.until('admin', 'GET', '/metrics', ({ body }) =>
      /automatic_reloads_total\{[^}]*status="failure"\} 2/.test(body as string),
    );
    expect(await metrics()).toMatch(/automatic_reloads_total\{[^}]*status="success"\} 1/);
    expect((await api.call('alice', 'GET', pods)).status).toBe(200);
    expect((await api.call(undefined, 'GET', '/api')).status).toBe(200);
    first.judge.answer = () => ({ allowed: false });
    expect((await api.call('alice', 'GET', pods)).status).toBe(403);
  });

  test('A file that is wrong is refused with the path of the field', async () => {
    const file = await openssl.file(
      'wrong.json',
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [{ type: 'RBAC', name: 'mine' }],
      }),
    );
    await expect(startApiUsers({}, ['--authorization-config', file])).rejects.toThrow(
      '--authorization-config: ' +
        file +
        ': authorizers[0].name: Invalid value: "mine": expected name rbac for authorizer RBAC instead of mine',
    );
  });

  test('With AlwaysAllow in the --authorization-config anonymous requests are refused', async () => {
    const file = await openssl.file(
      'all.json',
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [{ type: 'AlwaysAllow', name: 'alwaysallow' }],
      }),
    );
    await using api = await startApiUsers({ alice: [] }, ['--authorization-config', file]);
    expect((await api.call('alice', 'GET', pods)).status).toBe(200);
    expect((await api.call(undefined, 'GET', pods)).status).toBe(401);
  });
});

describe('--authorization-mode=ABAC', () => {
  test('--authorization-mode=ABAC decides by the lines of its policy file', async () => {
    const file = await openssl.file(
      'policy.jsonl',
      '# reading\n{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy",' +
        '"spec":{"user":"alice","namespace":"default","resource":"pods","readonly":true}}\n',
    );
    await using api = await startApiUsers({ alice: [] }, [
      '--authorization-mode=ABAC',
      '--authorization-policy-file',
      file,
    ]);
    expect((await api.call('alice', 'GET', pods)).status).toBe(200);
    expect((await api.call('alice', 'POST', pods, { body: {} })).body.message).toBe(
      'pods is forbidden: User "alice" cannot create resource "pods" in API group "" in the namespace ' +
        '"default": No policy matched.',
    );
  });

  test('A line that cannot be read is named', async () => {
    const file = await openssl.file('bad.jsonl', '{}\nnonsense\n');
    await expect(startApiUsers({}, ['--authorization-mode=ABAC', '--authorization-policy-file', file])).rejects.toThrow(
      /--authorization-policy-file: error reading policy file .*bad\.jsonl, line 2: nonsense: /,
    );
  });
});
