import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { encodedRequest } from '../../support/certificate-requests.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const signers = ['example.com/one', 'example.com/two', 'other.org/one'];
const approved = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }] } };
const failed = { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Test', message: 'no' }] } };

let api: ApiUsers;
beforeAll(async () => {
  api = await startApiUsers({ one: [], domain: [], none: [] }, ['--authorization-mode=RBAC']);
  const everything = {
    apiGroups: ['certificates.k8s.io'],
    resources: [
      'certificatesigningrequests',
      'certificatesigningrequests/approval',
      'certificatesigningrequests/status',
    ],
    verbs: ['*'],
  };
  const grant = async (user: string, names: string[]): Promise<void> => {
    const rules = [
      everything,
      ...(names.length === 0
        ? []
        : [
            {
              apiGroups: ['certificates.k8s.io'],
              resources: ['signers'],
              resourceNames: names,
              verbs: ['approve', 'sign'],
            },
          ]),
    ];
    await api.create(`${rbac}/clusterroles`, { metadata: { name: user }, rules });
    await api.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { kind: 'ClusterRole', name: user },
      subjects: [{ kind: 'User', name: user }],
    });
    await api.until(user, 'GET', requests, ({ status }) => status === 200);
  };
  await grant('one', ['example.com/one']);
  await grant('domain', ['example.com/*']);
  await grant('none', []);
  for (const signerName of signers) {
    await api.create(requests, {
      metadata: { name: signerName.replace('/', '.') },
      spec: { signerName, request: encodedRequest({ commonName: 'a' }), usages: ['client auth'] },
    });
  }
});
afterAll(() => api[Symbol.asyncDispose]());

const patch = (user: string, signer: string, subresource: string, body: object): Promise<Answer> =>
  api.call(user, 'PATCH', `${requests}/${signer.replace('/', '.')}/${subresource}?dryRun=All`, {
    contentType: 'application/merge-patch+json',
    body,
  });

describe.each([
  {
    subresource: 'approval',
    body: approved,
    message: (signer: string) => `user not permitted to approve requests with signerName "${signer}"`,
  },
  {
    subresource: 'status',
    body: failed,
    message: (signer: string) => `user not permitted to sign requests with signerName "${signer}"`,
  },
])('$subresource of certificate requests', ({ subresource, body, message }) => {
  test.each([
    { user: 'one', allowed: ['example.com/one'] },
    { user: 'domain', allowed: ['example.com/one', 'example.com/two'] },
    { user: 'none', allowed: [] as string[] },
    { user: 'admin', allowed: signers },
  ])('A subresource of certificate requests needs the right for the signer: $user', async ({ user, allowed }) => {
    for (const signer of signers) {
      const { status, body: answer } = await patch(user, signer, subresource, body);
      if (allowed.includes(signer)) expect(status, signer).toBe(200);
      else
        expect(answer, signer).toMatchObject({
          code: 403,
          message:
            `certificatesigningrequests.certificates.k8s.io "${signer.replace('/', '.')}" is ` +
            `forbidden: ${message(signer)}`,
        });
    }
  });
});

test('Labels of a certificate request do not count as approval', async () => {
  expect((await patch('none', 'example.com/one', 'status', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
});

describe("a request for an administrator's certificate", () => {
  const request = (signerName: string, organizations: string[]): Promise<Answer> =>
    api.call('none', 'POST', `${requests}?dryRun=All`, {
      body: {
        metadata: { name: 'admin' },
        spec: { signerName, request: encodedRequest({ commonName: 'a', organizations }), usages: ['client auth'] },
      },
    });

  test('A client certificate request for system:masters is refused', async () => {
    expect((await request('kubernetes.io/kube-apiserver-client', ['devs', 'system:masters'])).body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "admin" is forbidden: use of ' +
        'kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  test.each([
    ['kubernetes.io/kube-apiserver-client', 'devs'],
    ['example.com/one', 'system:masters'],
  ])('One for %s with group %s is not', async (signer, group) => {
    expect((await request(signer, [group])).status).toBe(201);
  });
});
