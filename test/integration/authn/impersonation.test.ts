import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Call, startTestServer, type TestServer } from '../../support/caller.ts';
import { Openssl } from '../../support/openssl.ts';

let openssl: Openssl;
let server: TestServer;
beforeAll(async () => {
  openssl = await Openssl.open();
  server = await startTestServer({
    flags: [
      '--authorization-mode=RBAC',
      '--token-auth-file',
      await openssl.file(
        'tokens.csv',
        'admin-token,admin,1,"system:masters"\nhelp-token,helper,2\nnobody-token,nobody,3\n',
      ),
    ],
  });
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrole';
  const rules = [
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['jane'] },
    { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['devs'] },
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
    {
      apiGroups: ['authentication.k8s.io'],
      resources: ['userextras/scopes'],
      verbs: ['impersonate'],
      resourceNames: ['view'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['uids'], verbs: ['impersonate'], resourceNames: ['7'] },
  ];
  await server.call({
    method: 'POST',
    path: `${rbac}s`,
    headers: as('admin'),
    body: { metadata: { name: 'helpers' }, rules },
  });
  await server.call({
    method: 'POST',
    path: `${rbac}bindings`,
    headers: as('admin'),
    body: {
      metadata: { name: 'helpers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'helpers' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'helper' }],
    },
  });
  await vi.waitFor(async () =>
    expect(await whoIs('help', 'Impersonate-User', 'jane')).toMatchObject({ username: 'jane' }),
  );
});
afterAll(async () => {
  await server.close();
  await openssl[Symbol.asyncDispose]();
});

const as = (user: string): string[] => ['authorization', `Bearer ${user}-token`];
const callOf = (user: string, headers: string[]): Call => ({ headers: [...as(user), ...headers] });
const whoIs = (user: string, ...headers: string[]): Promise<unknown> => server.whoAmI(callOf(user, headers));
const messageOf = async (user: string, ...headers: string[]): Promise<unknown> =>
  (await server.call(callOf(user, headers))).body['message'];

describe('impersonation', () => {
  test.each([
    { headers: ['Impersonate-User', 'jane'], user: { username: 'jane', groups: ['system:authenticated'] } },
    {
      headers: ['Impersonate-User', 'jane', 'Impersonate-Group', 'a', 'impersonate-group', 'b,c'],
      user: { username: 'jane', groups: ['a', 'b,c', 'system:authenticated'] },
    },
    {
      headers: ['Impersonate-User', 'jane', 'Impersonate-Group', 'system:authenticated'],
      user: { username: 'jane', groups: ['system:authenticated'] },
    },
    {
      headers: ['Impersonate-User', 'system:serviceaccount:ns:robot'],
      user: {
        username: 'system:serviceaccount:ns:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    },
    {
      headers: ['Impersonate-User', 'system:serviceaccount:ns:robot', 'Impersonate-Group', 'a'],
      user: { username: 'system:serviceaccount:ns:robot', groups: ['a', 'system:authenticated'] },
    },
    {
      headers: [
        'Impersonate-User',
        'jane',
        'Impersonate-Uid',
        '7',
        'Impersonate-Extra-Acme.com%2FTeam',
        'red',
        'Impersonate-Extra-acme.com%2fteam',
        'blue',
        'Impersonate-Extra-__proto__',
        'x',
      ],
      user: {
        username: 'jane',
        uid: '7',
        groups: ['system:authenticated'],
        extra: { 'acme.com/team': ['red', 'blue'], ['__proto__']: ['x'] },
      },
    },
  ])('Impersonation: $headers', async ({ headers, user }) => {
    expect(await whoIs('admin', ...headers)).toEqual(user);
  });

  test('Each part of an impersonation needs its right', async () => {
    expect(
      await whoIs(
        'help',
        'Impersonate-User',
        'jane',
        'Impersonate-Group',
        'devs',
        'Impersonate-Extra-Scopes',
        'view',
        'Impersonate-Uid',
        '7',
      ),
    ).toMatchObject({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
      extra: { scopes: ['view'] },
      uid: '7',
    });
    expect(await messageOf('help', 'Impersonate-User', 'john')).toBe(
      'users "john" is forbidden: User "helper" cannot impersonate resource "users" in API group "" ' +
        'at the cluster scope',
    );
    expect(
      await messageOf(
        'help',
        'Impersonate-User',
        'jane',
        'Impersonate-Group',
        'devs',
        'Impersonate-Group',
        'system:masters',
      ),
    ).toBe(
      'groups "system:masters" is forbidden: User "helper" cannot impersonate resource "groups" in API group ' +
        '"" at the cluster scope',
    );
    expect(await messageOf('help', 'Impersonate-User', 'jane', 'Impersonate-Extra-Scopes', 'admin')).toBe(
      'userextras.authentication.k8s.io "admin" is forbidden: User "helper" cannot impersonate resource ' +
        '"userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(await messageOf('help', 'Impersonate-User', 'jane', 'Impersonate-Uid', '8')).toBe(
      'uids.authentication.k8s.io "8" is forbidden: User "helper" cannot impersonate resource "uids" in API ' +
        'group "authentication.k8s.io" at the cluster scope',
    );
    expect(await messageOf('nobody', 'Impersonate-User', 'system:serviceaccount:ns:robot')).toBe(
      'serviceaccounts "robot" is forbidden: User "nobody" cannot impersonate resource "serviceaccounts" in ' +
        'API group "" in the namespace "ns"',
    );
  });

  test('Impersonation of system:anonymous has no group system:authenticated', async () => {
    expect(await messageOf('admin', 'Impersonate-User', 'system:anonymous')).toBe(
      'forbidden: User "system:anonymous" cannot get path "/api"',
    );
    expect(await messageOf('admin', 'Impersonate-User', 'somebody')).toBeUndefined();
  });

  test('The rights are those of the other from then on, not of both', async () => {
    expect(
      (await server.call({ ...callOf('admin', ['Impersonate-User', 'jane']), path: '/api/v1/secrets' })).body,
    ).toMatchObject({
      code: 403,
      message: 'secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" at the cluster scope',
    });
    expect(
      (
        await server.call({
          ...callOf('help', ['Impersonate-User', 'jane', 'Impersonate-Group', 'devs']),
          path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        })
      ).status,
    ).toBe(403);
  });

  test('Impersonation of groups, uid or extra without a user is no request', async () => {
    const answer = await server.call(callOf('admin', ['Impersonate-Group', 'a', 'Impersonate-Extra-Scopes', 'x']));
    expect([answer.status, answer.text]).toEqual([
      500,
      'Internal Server Error: "/api": requested [{Group  a    } {UserExtra  x  authentication.k8s.io/v1  ' +
        'scopes}] without impersonating a user\n',
    ]);
    expect((await server.call(callOf('nobody', ['Impersonate-Group', 'system:masters']))).status).toBe(500);
    expect(
      (await server.call(callOf('nobody', ['Impersonate-User', '', 'Impersonate-Group', 'system:masters']))).status,
    ).toBe(500);
  });

  test('An unauthenticated client cannot impersonate a user', async () => {
    expect(
      (await server.call({ headers: ['Impersonate-User', 'admin', 'Impersonate-Group', 'system:masters'] })).body,
    ).toMatchObject({ code: 403, message: expect.stringContaining('User "system:anonymous" cannot impersonate') });
    expect(
      (await server.call({ headers: ['authorization', 'Bearer wrong', 'Impersonate-User', 'admin'] })).status,
    ).toBe(401);
  });
});
