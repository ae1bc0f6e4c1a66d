/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll } from 'vitest';
import { type Answer, startTestServer, type TestServer } from '../caller.ts';
import { Openssl } from '../openssl.ts';

export let openssl: Openssl;

export let server: TestServer;

export const secretText = 'a-secret-nobody-may-see';

export function startBeforeTests(): void {
  beforeAll(async () => {
    openssl = await Openssl.open();
    server = await startTestServer({
      flags: [
        '--authorization-mode=RBAC',
        '--anonymous-auth=false',
        '--token-auth-file',
        await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\njane-token,jane,2\nsue-token,sue,3\n'),
      ],
    });
    const post = (path: string, body: object): Promise<Answer> =>
      server.call({ method: 'POST', path, headers: as('admin'), body });
    await post('/api/v1/namespaces/default/secrets', {
      metadata: { name: 'hidden', labels: { app: 'x' } },
      stringData: { text: secretText },
    });
    await post('/api/v1/namespaces/default/secrets', { metadata: { name: 'open' }, stringData: { text: 'for sue' } });
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    for (const name of ['one', 'two']) await post('/api/v1/namespaces/default/configmaps', { metadata: { name } });
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'one-secret' },
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['open'],
          verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete', 'deletecollection'],
        },
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      ],
    });
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'one-secret' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one-secret' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'sue' }],
    });
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'reader' },
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps', 'serviceaccounts'],
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
        },
      ],
    });
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    });
  });

  afterAll(async () => {
    await server.close();
    await openssl[Symbol.asyncDispose]();
  });
}

export const as = (user: string): string[] => ['authorization', `Bearer ${user}-token`];

export const secrets = '/api/v1/namespaces/default/secrets';
