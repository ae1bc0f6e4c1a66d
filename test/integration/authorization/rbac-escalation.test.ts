import { beforeAll, describe, expect, test } from 'vitest';
import { joined } from '../../support/patterns.ts';
import {
  rbac,
  isAllowed,
  clusterRole,
  clusterBinding,
  api,
  grant,
  startBeforeTests,
} from '../../support/servers/rbac.ts';

startBeforeTests();

describe('users cannot grant rights that they do not have', () => {
  const rules = [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
      verbs: ['create', 'update', 'patch', 'get'],
    },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
  ];
  beforeAll(async () => {
    await grant('carol', rules);
    await api.until('carol', 'GET', `${rbac}/clusterroles/cluster-admin`, isAllowed);
  });

  test('A role with more rights than its writer has is refused, with what is missing', async () => {
    const wanted = clusterRole('more', [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'delete', 'create'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    ]);
    expect((await api.call('carol', 'POST', `${rbac}/clusterroles`, { body: wanted })).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { name: 'more', group: 'rbac.authorization.k8s.io', kind: 'clusterroles' },
      message:
        'clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "carol" ' +
        '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}\n{APIGroups:[""], ' +
        'Resources:["secrets"], Verbs:["get"]}',
    });
    expect(
      (
        await api.call('carol', 'POST', `${rbac}/clusterroles`, {
          body: clusterRole('same', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]),
        })
      ).status,
    ).toBe(201);
  });

  test('A role with too many rights for a message is refused with some of them, and grants all if bound', async () => {
    const names = (prefix: string): string[] => Array.from({ length: 200 }, (_, i) => `${prefix}${i}`);
    const wanted = clusterRole('product', [
      { apiGroups: names('g'), resources: names('r'), verbs: [...names('v'), 'get'] },
    ]);
    const { status, body } = await api.call('carol', 'POST', `${rbac}/clusterroles`, { body: wanted });
    expect(status).toBe(403);
    expect(body.message).toMatch(
      joined(
        /permissions not currently held:\n\{APIGroups:\["g0"\], Resources:\["r0"\], Verbs:\["v0" "v1" [^]*\n\.\.\. /,
        /\(cut\)$/,
      ),
    );
    expect((body.message as string).length).toBeLessThan(300_000);
    await api.create(`${rbac}/clusterroles`, wanted);
    await api.create(`${rbac}/clusterrolebindings`, clusterBinding('product', 'product', 'heidi'));
    expect(
      (await api.until('heidi', 'GET', '/apis/g7/v1/r199/a', ({ status: allowed }) => allowed !== 403)).status,
    ).toBe(404);
  });

  test.each([
    {
      name: 'by PUT',
      method: 'PUT',
      contentType: 'application/json',
      body: clusterRole('grows', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
    },
    {
      name: 'by patch',
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { rules: [{ nonResourceURLs: ['*'], verbs: ['*'] }] },
    },
    {
      name: 'by apply',
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        ...clusterRole('grows', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
      },
    },
    {
      name: 'by an aggregation rule',
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
      why: 'must have cluster-admin privileges to use an aggregationRule',
    },
  ])(
    'A role cannot be made to grow $name',
    async ({ method, contentType, body, why = 'is attempting to grant RBAC permissions not currently held' }) => {
      await api.call('admin', 'POST', `${rbac}/clusterroles`, { body: clusterRole('grows', []) });
      const answer = await api.call(
        'carol',
        method,
        `${rbac}/clusterroles/grows?fieldManager=t${contentType.includes('apply') ? '&force=true' : ''}`,
        { contentType, body },
      );
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain(why);
    },
  );

  test.each([
    {
      name: 'a ClusterRoleBinding',
      path: `${rbac}/clusterrolebindings`,
      body: clusterBinding('all-mine', 'cluster-admin', 'carol'),
    },
    {
      name: 'a RoleBinding',
      path: `${rbac}/namespaces/default/rolebindings`,
      body: clusterBinding('all-mine', 'cluster-admin', 'carol'),
    },
  ])(
    'Users cannot grant rights that they do not have: $name of a role with more rights is refused',
    async ({ path, body }) => {
      const answer = await api.call('carol', 'POST', path, { body });
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain('{NonResourceURLs:["*"], Verbs:["*"]}');
    },
  );

  test.each([
    {
      name: 'by PUT',
      method: 'PUT',
      contentType: 'application/json',
      change: (binding: object) => ({
        ...binding,
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'carol' }],
      }),
    },
    {
      name: 'by patch',
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      change: () => ({ subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'carol' }] }),
    },
    {
      name: 'by JSON patch',
      method: 'PATCH',
      contentType: 'application/json-patch+json',
      change: () => [{ op: 'replace', path: '/subjects/0/name', value: 'carol' }],
    },
    {
      name: 'by apply',
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      change: () => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        ...clusterBinding('of-others', 'cluster-admin', 'carol'),
      }),
    },
  ])('No subject is added to a binding of a role with more rights $name', async ({ method, contentType, change }) => {
    await api.call('admin', 'POST', `${rbac}/clusterrolebindings`, {
      body: clusterBinding('of-others', 'cluster-admin', 'somebody'),
    });
    const path = `${rbac}/clusterrolebindings/of-others`;
    const body = change((await api.call('admin', 'GET', path)).body as object);
    const answer = await api.call(
      'carol',
      method,
      `${path}?fieldManager=t${contentType.includes('apply') ? '&force=true' : ''}`,
      { contentType, body },
    );
    expect([answer.status, answer.body.message]).toEqual([
      403,
      expect.stringContaining('{NonResourceURLs:["*"], Verbs:["*"]}'),
    ]);
  });

  test('A binding of a role that is not there is 404', async () => {
    expect(
      (await api.call('carol', 'POST', `${rbac}/clusterrolebindings`, { body: clusterBinding('x', 'nope', 'carol') }))
        .body,
    ).toMatchObject({ code: 404, message: 'clusterrole.rbac.authorization.k8s.io "nope" not found' });
  });

  test('Verb escalate allows to write any role, verb bind to bind that one', async () => {
    await grant('dave', [
      ...rules,
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['escalate'] },
    ]);
    await grant('erin', [
      ...rules,
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['edit', 'cluster-admin'],
        verbs: ['bind'],
      },
    ]);
    await api.until('dave', 'POST', `${rbac}/clusterroles`, isAllowed, {
      body: clusterRole('anything', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
    });
    await api.until('erin', 'POST', `${rbac}/clusterrolebindings`, isAllowed, {
      body: clusterBinding('of-frank', 'cluster-admin', 'frank'),
    });
    expect(
      (
        await api.call('erin', 'POST', `${rbac}/clusterrolebindings`, {
          body: clusterBinding('frank-again', 'anything', 'frank'),
        })
      ).status,
    ).toBe(403);
    await api.until('frank', 'GET', '/metrics', isAllowed);
  });

  test('What the garbage collector changes is no grant', async () => {
    await api.create(`${rbac}/clusterroles`, {
      ...clusterRole('held', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
      metadata: { name: 'held', finalizers: ['example.com/a'] },
    });
    expect(
      (
        await api.call('carol', 'PATCH', `${rbac}/clusterroles/held`, {
          contentType: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await api.call('carol', 'PATCH', `${rbac}/clusterroles/held`, {
          contentType: 'application/merge-patch+json',
          body: { metadata: { labels: { a: 'b' } } },
        })
      ).status,
    ).toBe(403);
  });
});
