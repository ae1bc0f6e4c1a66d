import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { rbac, isAllowed, clusterBinding, binding, api, grant, startBeforeTests } from '../../support/servers/rbac.ts';

startBeforeTests();

const isForbidden = ({ status }: Answer): boolean => status === 403;

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('what is granted is allowed', () => {
  test('What is granted is allowed with the binding, and no longer than it is there', async () => {
    expect((await api.call('alice', 'GET', configMaps)).body.message).toBe(
      'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the ' +
        'namespace "default"',
    );
    await api.create(`${rbac}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await api.create(`${rbac}/namespaces/default/rolebindings`, binding('reader', 'reader', 'alice'));
    await api.until('alice', 'GET', configMaps, isAllowed);
    expect((await api.call('alice', 'GET', '/api/v1/namespaces/kube-system/configmaps')).status).toBe(403);
    expect((await api.call('admin', 'DELETE', `${rbac}/namespaces/default/rolebindings/reader`)).status).toBe(200);
    await api.until('alice', 'GET', configMaps, isForbidden);
  });

  test('A binding of a role that is not there says so', async () => {
    await api.create(`${rbac}/clusterrolebindings`, clusterBinding('dangling', 'nothing-like-it', 'grace'));
    const answer = await api.until('grace', 'GET', '/api/v1/nodes', ({ body }) =>
      (body.message as string).includes('RBAC'),
    );
    expect(answer.body.message).toBe(
      'nodes is forbidden: User "grace" cannot list resource "nodes" in API group "" at the cluster scope: ' +
        'RBAC: clusterrole.rbac.authorization.k8s.io "nothing-like-it" not found',
    );
  });

  test('Anonymous requests read public paths, and a wrong token is not anonymous', async () => {
    expect((await api.call(undefined, 'GET', '/version')).status).toBe(200);
    expect((await api.call(undefined, 'GET', '/readyz')).body).toBe('ok');
    expect((await api.call(undefined, 'GET', '/api')).body.message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/api"',
    );
    expect((await api.call('nobody-has-this', 'GET', '/version')).status).toBe(401);
  });
});

describe('rights in one namespace', () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  beforeAll(async () => {
    await api.create(`${roles}/roles`, {
      metadata: { name: 'keeper' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    });
    await api.create(`${roles}/rolebindings`, binding('keeper', 'keeper', 'heidi'));
    await api.until('heidi', 'GET', '/api/v1/namespaces/default', isAllowed);
  });

  const merge = { body: { metadata: { labels: { a: 'b' } } }, contentType: 'application/merge-patch+json' };
  test.each([
    { what: 'list all namespaces', method: 'GET', path: '/api/v1/namespaces/default/namespaces' },
    {
      what: 'watch all namespaces',
      method: 'GET',
      path: '/api/v1/namespaces/default/namespaces?watch=1&timeoutSeconds=1',
    },
    {
      what: 'watch all namespaces by the old path',
      method: 'GET',
      path: '/api/v1/watch/namespaces/default/namespaces?timeoutSeconds=1',
    },
    {
      what: 'make a namespace',
      method: 'POST',
      path: '/api/v1/namespaces/default/namespaces',
      call: { body: { metadata: { name: 'heidi' } } },
    },
    { what: 'read another namespace', method: 'GET', path: '/api/v1/namespaces/default/namespaces/kube-system' },
    {
      what: 'change another namespace',
      method: 'PATCH',
      path: '/api/v1/namespaces/default/namespaces/kube-system',
      call: merge,
    },
    {
      what: 'change the status of another namespace',
      method: 'PATCH',
      path: '/api/v1/namespaces/default/namespaces/kube-system/status',
      call: merge,
    },
    { what: 'delete another namespace', method: 'DELETE', path: '/api/v1/namespaces/default/namespaces/orch-system' },
    { what: 'list nodes', method: 'GET', path: '/api/v1/namespaces/default/nodes' },
  ])('Rights in one namespace are none to $what', async ({ method, path, call }) => {
    expect((await api.call('heidi', method, path, call)).status).toBe(404);
  });

  test('Rights in one namespace are rights to the namespace itself', async () => {
    expect((await api.call('heidi', 'PATCH', '/api/v1/namespaces/default', merge)).status).toBe(200);
    expect((await api.call('heidi', 'GET', '/api/v1/namespaces/default/status')).status).toBe(200);
  });
});

describe('PUT and apply that create', () => {
  const put = (user: string, name: string, resourceVersion?: string): Promise<Answer> =>
    api.call(user, 'PUT', `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`, {
      body: { metadata: { name, resourceVersion }, spec: {} },
    });
  const apply = (user: string, name: string): Promise<Answer> =>
    api.call(user, 'PATCH', `${configMaps}/${name}?fieldManager=t`, {
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } },
    });

  test('PUT and apply that create need create besides update and patch', async () => {
    await grant('bob', [
      { apiGroups: ['', 'coordination.k8s.io'], resources: ['leases', 'configmaps'], verbs: ['update', 'patch'] },
    ]);
    await api.until('bob', 'PATCH', `${configMaps}/none`, ({ status }) => status === 404, {
      contentType: 'application/merge-patch+json',
      body: {},
    });
    expect((await put('bob', 'new')).body.message).toBe(
      'leases.coordination.k8s.io "new" is forbidden: User "bob" cannot create resource "leases" in API group ' +
        '"coordination.k8s.io" in the namespace "default"',
    );
    expect((await apply('bob', 'new')).body).toMatchObject({ code: 403, details: { name: 'new', kind: 'configmaps' } });
    const old = await put('admin', 'old');
    await apply('admin', 'old');
    expect([
      (await put('bob', 'old', old.body.metadata.resourceVersion)).status,
      (await apply('bob', 'old')).status,
    ]).toEqual([200, 200]);
  });
});

describe('the default roles', () => {
  test('The default roles regain removed rules at the next start, but for autoupdate off', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'orch-roles-'));
    const flags = ['--authorization-mode=RBAC'];
    const patch = (on: ApiUsers, path: string, body: object): Promise<Answer> =>
      on.call('admin', 'PATCH', `${rbac}/${path}`, { contentType: 'application/merge-patch+json', body });
    {
      await using first = await startApiUsers({}, flags, { dataDir });
      await patch(first, 'clusterroles/system:basic-user', {
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
        metadata: { labels: null },
      });
      await patch(first, 'clusterroles/system:discovery', {
        rules: [],
        metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
      });
      await patch(first, 'clusterrolebindings/system:basic-user', { subjects: [{ kind: 'User', name: 'x' }] });
      await first.call('admin', 'DELETE', `${rbac}/clusterrolebindings/system:kube-dns`);
      await first.create(`${rbac}/clusterrolebindings`, clusterBinding('mine', 'view', 'x'));
      await first.call('admin', 'DELETE', `${rbac}/clusterrolebindings/system:node`);
      await first.create(`${rbac}/clusterrolebindings`, clusterBinding('system:node', 'view', 'x'));
    }
    await using second = await startApiUsers({}, flags, { dataDir });
    const get = async (path: string) => (await second.call('admin', 'GET', `${rbac}/${path}`)).body;
    expect(await get('clusterroles/system:basic-user')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
      rules: [
        { resources: ['pods'] },
        { resources: ['selfsubjectaccessreviews'] },
        { resources: ['selfsubjectrulesreviews'] },
        { resources: ['selfsubjectreviews'] },
      ],
    });
    expect((await get('clusterroles/system:discovery')).rules).toBeNull();
    expect((await get('clusterrolebindings/system:basic-user')).subjects).toMatchObject([
      { name: 'x' },
      { name: 'system:authenticated' },
    ]);
    expect((await get('clusterrolebindings/system:kube-dns')).kind).toBe('ClusterRoleBinding');
    expect((await get('clusterrolebindings/system:node')).roleRef.name).toBe('system:node');
    expect((await get('clusterrolebindings/mine')).roleRef.name).toBe('view');
    await second[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true });
  });

  test('The default roles that aggregate others are empty at first, and their parts can be bound', async () => {
    await using api = await startApiUsers({ whole: [], parts: [] }, ['--authorization-mode=RBAC']);
    const bind = (user: string, role: string): Promise<unknown> =>
      api.create(`${rbac}/namespaces/default/rolebindings`, {
        metadata: { name: `${user}-${role.split(':').at(-1)!}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
    await bind('whole', 'edit');
    for (const role of ['system:aggregate-to-view', 'system:aggregate-to-edit']) await bind('parts', role);
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    await api.until('parts', 'GET', deployments, ({ status }) => status === 200);
    await api.until('parts', 'POST', `${deployments}?dryRun=All`, ({ status }) => status === 422, { body: {} });
    expect((await api.call('whole', 'GET', deployments)).status).toBe(403);

    const { body: part } = await api.call('admin', 'GET', `${rbac}/clusterroles/system:aggregate-to-view`);
    const patch = { body: { rules: part.rules as object[] }, contentType: 'application/merge-patch+json' };
    expect((await api.call('admin', 'PATCH', `${rbac}/clusterroles/edit`, patch)).status).toBe(200);
    await api.until('whole', 'GET', deployments, ({ status }) => status === 200);
  });

  test('The default roles are there in every mode, and readiness tells', async () => {
    await using plain = await startApiUsers({}, []);
    expect((await plain.until('admin', 'GET', '/readyz/poststarthook/rbac/bootstrap-roles', isAllowed)).body).toBe(
      'ok',
    );
    expect((await plain.call('admin', 'GET', `${rbac}/clusterroles`)).body.items).toHaveLength(64);
    expect((await plain.call('admin', 'GET', `${rbac}/rolebindings`)).body.items).toHaveLength(9);
  });
});
