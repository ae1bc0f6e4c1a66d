import http2 from 'node:http2';
import { describe, expect, test } from 'vitest';
import { type Call, callServer2 } from '../../support/caller.ts';
import { server, secretText, as, secrets, startBeforeTests } from '../../support/servers/secrets-of-others.ts';

startBeforeTests();

describe('as a user without the right', () => {
  const paths = [
    `${secrets}/hidden`,
    secrets,
    '/api/v1/secrets',
    '/api/v1/watch/secrets',
    `${secrets}?watch=true`,
    `${secrets}?fieldSelector=metadata.name%3Dhidden`,
    `${secrets}?labelSelector=app%3Dx`,
    '//api/v1/namespaces/default/secrets/hidden',
    '/api//v1/namespaces/default//secrets/hidden',
    '/api/v1/namespaces/default/./secrets/hidden',
    '/api/v1/namespaces/default/configmaps/../secrets/hidden',
    '/api/v1/namespaces/default/configmaps/%2e%2e/secrets/hidden',
    '/api/v1/namespaces/default/configmaps%2f..%2fsecrets%2fhidden',
    '/api/v1/namespaces/default/secrets%2Fhidden',
    '/%61pi/v1/namespaces/default/%73ecrets/hidden',
    '/api/v1/namespaces/default/secrets/hidden/',
    '/api/v1/namespaces/default/secrets./hidden',
    '/api/v1/namespaces/default/Secrets/hidden',
    '/api/v1/proxy/namespaces/default/secrets/hidden',
    '/api/v1/namespaces/default/secrets/hidden.',
    '/api/v1/namespaces/default./secrets/hidden',
    '/api/v1/namespaces/default/secrets/hidden%00',
    '/api/v1/namespaces/default/configmaps/%252e%252e/secrets/hidden',
    '/api/v1/namespaces/default/configmaps/..%5csecrets%5chidden',
    '/api/v1/namespaces/default/configmaps;/../secrets/hidden',
    '/api/v1/namespaces/default/configmaps/one/../../secrets/hidden',
    '/version/../api/v1/secrets',
    '/api/../metrics',
    '/api/%2e%2e/metrics',
    '/version/..%2fmetrics',
    '//metrics',
    '/metrics/',
    '/metrics.',
    '/Metrics',
    '/apis/meta.orch.io/v1/secrets',
    '/api/v1/namespaces/default/secrets/hidden?dryRun=All',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/api/v1/namespaces/kube-system/configmaps',
  ];
  test.each(paths)('GET %s shows nothing', async (path) => {
    for (const accept of [
      'application/json',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      'application/vnd.kubernetes.protobuf',
    ]) {
      const answer = await server.call({ path, headers: [...as('jane'), 'accept', accept] });
      expect([
        answer.status >= 400,
        answer.text.includes(secretText),
        answer.text.includes(Buffer.from(secretText).toString('base64')),
      ]).toEqual([true, false, false]);
    }
  });

  test('Other spellings over HTTP/2 do not reach the resource', async () => {
    const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
    for (const path of paths) {
      const answer = await callServer2(session, path, { authorization: 'Bearer jane-token' });
      expect([path, answer.status >= 400, answer.text.includes(secretText)]).toEqual([path, true, false]);
    }
    session.destroy();
  });

  describe('an impersonation header behind so many headers that some could be lost', () => {
    // The request of a proxy that impersonates its users: their headers, and the impersonated user at the end.
    const many = Array.from({ length: 3000 }, (_, i) => [`x-${i}`, '1'] as const);
    const acting = { authorization: 'Bearer admin-token', ...Object.fromEntries(many), 'impersonate-user': 'jane' };

    test('The request has the impersonated user', async () => {
      const answer = await server.call({ path: secrets, headers: Object.entries(acting).flat() });
      expect([answer.status, answer.body['message']]).toEqual([
        403,
        expect.stringContaining('User "jane" cannot list resource "secrets"'),
      ]);
    });

    test('The request over HTTP/2 has the impersonated user', async () => {
      const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
      const answer = await callServer2(session, secrets, acting);
      expect([answer.status, answer.body['message']]).toEqual([
        403,
        expect.stringContaining('User "jane" cannot list resource "secrets"'),
      ]);
      session.destroy();
    });
  });

  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  test.each<{ why: string; call: Call }>([
    {
      why: 'a token of a service account needs its own right, not that of the account',
      call: { method: 'POST', path: '/api/v1/namespaces/default/serviceaccounts/robot/token', body: {} },
    },
    { why: 'impersonation needs a right', call: { path: secrets, headers: ['Impersonate-User', 'admin'] } },
    {
      why: 'so is being in a group',
      call: { path: secrets, headers: ['Impersonate-User', 'jane', 'Impersonate-Group', 'system:masters'] },
    },
    {
      why: 'so is being a service account',
      call: { path: secrets, headers: ['Impersonate-User', 'system:serviceaccount:kube-system:default'] },
    },
    {
      why: 'headers of a front proxy beside a token say nothing',
      call: { path: secrets, headers: ['X-Remote-User', 'admin', 'X-Remote-Group', 'system:masters'] },
    },
    {
      why: 'roles are not for her to make',
      call: {
        method: 'POST',
        path: `${rbac}/clusterroles`,
        body: { metadata: { name: 'all' }, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
      },
    },
    {
      why: 'nor to bind',
      call: {
        method: 'POST',
        path: `${rbac}/clusterrolebindings`,
        body: {
          metadata: { name: 'me' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
          subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
        },
      },
    },
    {
      why: 'reviews of tokens are for servers',
      call: {
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { spec: { token: 'admin-token' } },
      },
    },
    {
      why: 'the right to read is none to delete',
      call: { method: 'DELETE', path: '/api/v1/namespaces/default/configmaps' },
    },
    {
      why: 'a method by another name is the method that was sent',
      call: { method: 'POST', path: secrets, headers: ['X-HTTP-Method-Override', 'GET'], body: {} },
    },
  ])('403: $why', async ({ call }) => {
    expect((await server.call({ ...call, headers: [...as('jane'), ...(call.headers ?? [])] })).status).toBe(403);
  });

  test('A refusal says the same whether there is something or nothing', async () => {
    const refusal = async (name: string, method: string): Promise<string> =>
      (
        await server.call({
          method,
          path: `${secrets}/${name}`,
          headers: as('jane'),
          ...(method === 'GET' ? {} : { body: {} }),
        })
      ).text.replaceAll(name, 'NAME');
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'])
      expect(await refusal('hidden', method)).toBe(await refusal('nothere', method));
  });

  test.each([
    '../secrets/default/',
    '../../secrets/default/hidden',
    '/registry/secrets/default/',
    'secrets/default/hidden',
    '\u0000',
    '',
  ])('The next page of a list is one of that list: %j', async (start) => {
    const configMaps = '/api/v1/namespaces/default/configmaps?limit=1';
    const first = (await server.call({ path: configMaps, headers: as('jane') })).body as {
      metadata: { continue: string };
    };
    const token = JSON.parse(Buffer.from(first.metadata.continue, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...token, start })).toString('base64url');
    const answer = await server.call({ path: `${configMaps}&continue=${forged}`, headers: as('jane') });
    const names = ((answer.body['items'] ?? []) as { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
    expect([
      answer.text.includes(Buffer.from(secretText).toString('base64')),
      names.filter((name) => !['one', 'two'].includes(name)),
    ]).toEqual([false, []]);
  });
});

describe('a right on one object is none on another', () => {
  test('The one can be had: the refusals below are no accident', async () => {
    for (const path of [
      `${secrets}/open`,
      `${secrets}?fieldSelector=metadata.name%3Dopen`,
      `${secrets}?fieldSelector=metadata.name%3D%3Dopen,type%21%3Dx`,
    ]) {
      await expect.poll(async () => (await server.call({ path, headers: as('sue') })).status).toBe(200);
    }
  });

  const selected = (selector: string): string => `${secrets}?fieldSelector=${encodeURIComponent(selector)}`;
  test.each<{ why: string; path: string }>([
    { why: 'its name is another', path: `${secrets}/hidden` },
    { why: 'a name written in escapes is the same name', path: `${secrets}/%68idden` },
    { why: 'a slash in a name makes no other', path: `${secrets}/open%2F..%2Fhidden` },
    { why: 'nor does a step back', path: `${secrets}/open/../hidden` },
    { why: 'what stands behind a name is a subresource', path: `${secrets}/open/hidden` },
    { why: 'the list is all of them', path: secrets },
    { why: 'all but one are not that one', path: selected('metadata.name!=open') },
    { why: 'the name stands in another value', path: selected('type!=x\\,metadata.name=open') },
    {
      why: 'the name stands in another value, behind an escaped escape',
      path: selected('type!=x\\\\\\,metadata.name==open'),
    },
    { why: 'one selector counts, the first', path: `${selected('type!=x')}&fieldSelector=metadata.name%3Dopen` },
    { why: 'a label is no name', path: `${secrets}?labelSelector=metadata.name%3Dopen` },
    { why: 'a field that only looks like it is another', path: selected('xmetadata.name=open') },
    {
      why: 'there is one watch of all',
      path:
        '/api/v1/watch/namespaces/default/secrets?' +
        `fieldSelector=${encodeURIComponent('type!=x\\,metadata.name=open')}`,
    },
    { why: 'and one of another', path: '/api/v1/watch/namespaces/default/secrets/hidden' },
    {
      why: 'a selector beside a name in the path changes nothing',
      path: '/api/v1/watch/namespaces/default/secrets/hidden?fieldSelector=metadata.name%3Dopen',
    },
    { why: 'another namespace is another', path: '/api/v1/namespaces/kube-system/secrets/open' },
    { why: 'all namespaces are not one', path: '/api/v1/secrets?fieldSelector=metadata.name%3Dopen' },
  ])('A right on one object is none on another: $why: GET $path', async ({ path }) => {
    const answer = await server.call({
      path: path.includes('/watch/') ? `${path}${path.includes('?') ? '&' : '?'}timeoutSeconds=1` : path,
      headers: as('sue'),
    });
    expect([
      answer.status >= 400,
      answer.text.includes(secretText),
      answer.text.includes(Buffer.from(secretText).toString('base64')),
    ]).toEqual([true, false, false]);
  });

  test('Two names in a selector are the objects that have both: none', async () => {
    for (const selector of ['metadata.name=open,metadata.name=hidden', 'metadata.name=hidden,metadata.name=open']) {
      const answer = await server.call({ path: selected(selector), headers: as('sue') });
      expect([
        answer.text.includes(secretText),
        answer.text.includes(Buffer.from(secretText).toString('base64')),
      ]).toEqual([false, false]);
    }
  });

  test.each<{ why: string; call: Call; status: number }>([
    {
      why: 'the object is the one of the path, and no other by its body',
      call: {
        method: 'PUT',
        path: `${secrets}/open`,
        body: { metadata: { name: 'hidden' }, stringData: { text: 'mine' } },
      },
      status: 400,
    },
    {
      why: 'a patch does not rename',
      call: {
        method: 'PATCH',
        path: `${secrets}/open`,
        headers: ['content-type', 'application/merge-patch+json'],
        body: { metadata: { name: 'hidden' } },
      },
      status: 400,
    },
    {
      why: 'a patch does not move',
      call: {
        method: 'PATCH',
        path: `${secrets}/open`,
        headers: ['content-type', 'application/merge-patch+json'],
        body: { metadata: { namespace: 'kube-system' } },
      },
      status: 400,
    },
    {
      why: 'a namespace in the body is none to write to',
      call: { method: 'POST', path: secrets, body: { metadata: { name: 'new', namespace: 'kube-system' } } },
      status: 400,
    },
    {
      why: 'a right to delete one is none to delete those that a selector names',
      call: { method: 'DELETE', path: `${secrets}?fieldSelector=metadata.name%3Dopen` },
      status: 403,
    },
    {
      why: 'a PUT that creates needs the name that it has a right to',
      call: { method: 'PUT', path: `${secrets}/hidden`, body: { metadata: { name: 'open' } } },
      status: 403,
    },
  ])('A right on one object is none on another: $why', async ({ call, status }) => {
    // A content type of the call wins over the one that comes with a body.
    const answer = await server.call({ ...call, headers: [...as('sue'), ...(call.headers ?? [])] });
    expect(answer.status).toBe(status);
    expect((await server.call({ path: `${secrets}/hidden`, headers: as('admin') })).text).toContain(
      Buffer.from(secretText).toString('base64'),
    );
  });

  test('An error about an object that is there shows nothing of it', async () => {
    const answer = await server.call({
      method: 'POST',
      path: secrets,
      headers: as('sue'),
      body: { metadata: { name: 'hidden' }, stringData: { text: 'x' } },
    });
    expect(answer.body).toMatchObject({ code: 409, message: 'secrets "hidden" already exists' });
  });

  test('An error about a value that is not allowed does not repeat it', async () => {
    const answer = await server.call({
      method: 'POST',
      path: secrets,
      headers: as('sue'),
      body: {
        metadata: { name: 'keys' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': `{${secretText}` },
      },
    });
    expect([
      answer.status,
      answer.text.includes(secretText),
      answer.text.includes(Buffer.from(secretText).toString('base64')),
    ]).toEqual([422, false, false]);
  });
});
