import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiUsers } from '../../support/api-users.ts';
import { Openssl } from '../../support/openssl.ts';
import { replaceFile } from '../../support/replace-file.ts';

interface Review {
  readonly apiVersion: string;
  readonly spec: {
    readonly user: string;
    readonly resourceAttributes?: { readonly resource: string; readonly fieldSelector?: object };
    readonly nonResourceAttributes?: { readonly path: string };
  };
}

type Answer = (review: Review) => object | number;

/** A service that judges: what it was asked, and what it says. */
class Judge implements AsyncDisposable {
  readonly asked: Review[] = [];
  answer: Answer = () => ({ allowed: false });
  /** What its callers said of themselves. */
  readonly callers: {
    readonly commonName: string | undefined;
    readonly authorization: string | undefined;
    readonly path: string | undefined;
  }[] = [];
  readonly #server: https.Server;

  constructor(certificate: string, key: string, authority: string) {
    this.#server = https.createServer(
      { cert: certificate, key, ca: authority, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        void request.toArray().then((chunks) => {
          const review = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Review;
          this.asked.push(review);
          const socket = request.socket as TLSSocket;
          const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined;
          this.callers.push({
            commonName: subject?.CN as string | undefined,
            authorization: request.headers.authorization,
            path: request.url,
          });
          const status = this.answer(review);
          response.writeHead(typeof status === 'number' ? status : 200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'SubjectAccessReview', status }));
        });
      },
    );
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param user how the server is known there, as a connection file has it */
  async kubeconfig(openssl: Openssl, name: string, ca: string, user: object = { token: 'secret' }): Promise<string> {
    const server = `https://127.0.0.1:${await this.listen()}/authorize`;
    return openssl.file(
      `${name}.yaml`,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'hook', user: 'me' } }],
        users: [{ name: 'me', user }],
        clusters: [
          {
            name: 'hook',
            cluster: {
              server,
              'certificate-authority-data': Buffer.from(ca).toString('base64'),
              'tls-server-name': 'webhook.example.com',
            },
          },
        ],
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.resolve();
  }
}

let openssl: Openssl;
let ca: { certificate: string; key: string };
let shown: { certificate: string; key: string };
beforeAll(async () => {
  openssl = await Openssl.open();
  ca = await openssl.authority('webhook-ca');
  shown = await openssl.issue({
    subject: '/CN=webhook',
    issuer: ca,
    extensions: ['extendedKeyUsage=serverAuth', 'subjectAltName=DNS:webhook.example.com'],
  });
});
afterAll(() => openssl[Symbol.asyncDispose]());

async function startJudge(name: string, user?: object): Promise<{ judge: Judge; kubeconfig: string }> {
  const judge = new Judge(shown.certificate, shown.key, ca.certificate);
  return { judge, kubeconfig: await judge.kubeconfig(openssl, name, ca.certificate, user) };
}

const pods = '/api/v1/namespaces/default/pods';

describe('--authorization-mode=Webhook', () => {
  test('asks the service, keeps its answers, and leaves what it has no opinion about to others', async () => {
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

  test('a webhook that fails leaves the decision to the others; where none allows it the request fails', async () => {
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

  test('a certificate of another authority is not trusted', async () => {
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

  test('a client certificate that was renewed is shown without a restart', async () => {
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

describe('--authorization-config', () => {
  test('webhooks with conditions and failure policies; a new file is loaded, an invalid one is not', async () => {
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

  test('a file that is wrong is refused with the path of the field', async () => {
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

  test('with AlwaysAllow in it anonymous requests are refused', async () => {
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
  test('decides by the lines of its policy file', async () => {
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

  test('a line that cannot be read is named', async () => {
    const file = await openssl.file('bad.jsonl', '{}\nnonsense\n');
    await expect(startApiUsers({}, ['--authorization-mode=ABAC', '--authorization-policy-file', file])).rejects.toThrow(
      /--authorization-policy-file: error reading policy file .*bad\.jsonl, line 2: nonsense: /,
    );
  });
});
