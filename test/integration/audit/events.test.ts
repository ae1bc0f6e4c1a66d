/** What a server records of its requests, in the log that it writes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuditedServer } from '../../support/audited-server.ts';
import { log, stagesOf, configMaps } from '../../support/audit-events.ts';

const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('at level Metadata', () => {
  let server: AuditedServer;
  beforeAll(async () => {
    server = await AuditedServer.start({
      policy: 'rules:\n- {level: None, nonResourceURLs: [/metrics]}\n- level: Metadata',
      flags: log,
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('A request has two events that say everything but its objects', async () => {
    const events = await server.record('POST', `${configMaps}?fieldValidation=Strict`, {
      user: 'jane',
      body: { metadata: { name: 'one' }, data: { a: 'secret text' } },
      headers: { 'user-agent': 'test/1 (linux) <x>' },
    });
    const [received, complete] = events;
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete']);
    const shared = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: received!.auditID,
      requestURI: `${configMaps}?fieldValidation=Strict`,
      verb: 'create',
      user: { username: 'jane', uid: '2', groups: ['devs', 'ops', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'test/1 (linux) <x>',
      requestReceivedTimestamp: expect.stringMatching(microTime) as string,
    };
    expect(received).toEqual({
      ...shared,
      stage: 'RequestReceived',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      stageTimestamp: received!.requestReceivedTimestamp,
    });
    expect(complete).toEqual({
      ...shared,
      stage: 'ResponseComplete',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'one', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      stageTimestamp: expect.stringMatching(microTime) as string,
      annotations: expect.objectContaining({
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': '',
      }) as Record<string, string>,
    });
    // On a machine that is busy the first create may be a slow one, which is noted as well.
    expect(Object.keys(complete!.annotations!).filter((key) => key !== 'apiserver.latency.k8s.io/total')).toHaveLength(
      2,
    );
    expect(complete!.requestReceivedTimestamp! <= complete!.stageTimestamp!).toBe(true);
    expect((await server.lines()).join('')).not.toContain('secret text');
  });

  test('A client can name its request, and is told the name', async () => {
    const answer = await server.send('GET', '/version', { headers: { 'audit-id': 'my request 7' } });
    expect(answer.headers['audit-id']).toBe('my request 7');
    expect(stagesOf(await server.eventsOf('my request 7'))).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  test('A name without end is replaced', async () => {
    const { headers } = await server.send('GET', '/version', { headers: { 'audit-id': 'x'.repeat(1025) } });
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('A refused login is recorded, without the token', async () => {
    const [event, ...more] = await server.record('GET', `${configMaps}?access_token=query-token&limit=1`, {
      user: 'nobody',
      headers: { 'x-forwarded-for': '198.51.100.7' },
    });
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      stage: 'ResponseStarted',
      user: {},
      verb: 'list',
      sourceIPs: ['198.51.100.7', '127.0.0.1'],
      requestURI: `${configMaps}?access_token=REDACTED&limit=1`,
      responseStatus: { metadata: {}, status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
    });
    expect(event).not.toHaveProperty('annotations');
    expect((await server.lines()).join('')).not.toMatch(/(nobody|query)-token/);
  });

  test('What is refused before authentication is recorded', async () => {
    const [event] = await server.record('GET', '/version?timeout=soon');
    expect(event).toMatchObject({ stage: 'ResponseStarted', responseStatus: { code: 400, reason: 'BadRequest' } });
  });

  test('An audit event of an error has its status', async () => {
    const [, complete] = await server.record('GET', `${configMaps}/absent`);
    expect(complete!.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'configmaps "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', kind: 'configmaps' },
      code: 404,
    });
  });

  test('A 406 answer has its code and no object', async () => {
    const events = await server.record('GET', configMaps, { headers: { accept: 'text/csv' } });
    expect(events.at(-1)).toMatchObject({ stage: 'ResponseComplete', responseStatus: { metadata: {}, code: 406 } });
    expect(events.at(-1)!.responseStatus).not.toHaveProperty('reason');
  });

  test('A deletion has the status of the answer', async () => {
    await server.send('POST', configMaps, { body: { metadata: { name: 'gone' } } });
    const [, complete] = await server.record('DELETE', `${configMaps}/gone`);
    expect(complete!.responseStatus).toMatchObject({
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps' },
      code: 200,
    });
  });

  test('A generated name is known at the end', async () => {
    const [received, complete] = await server.record('POST', configMaps, {
      body: { metadata: { generateName: 'made-' } },
    });
    expect(received!.objectRef).not.toHaveProperty('name');
    expect(complete!.objectRef!.name).toMatch(/^made-\w{5}$/);
  });

  test('Identity and version of an update in an audit event are those of its body', async () => {
    const { text } = await server.send('POST', configMaps, { body: { metadata: { name: 'updated' } } });
    const { metadata } = JSON.parse(text) as { metadata: { uid: string; resourceVersion: string } };
    const [, complete] = await server.record('PUT', `${configMaps}/updated`, { body: JSON.parse(text) });
    expect(complete!.objectRef).toEqual({
      resource: 'configmaps',
      namespace: 'default',
      name: 'updated',
      uid: metadata.uid,
      apiVersion: 'v1',
      resourceVersion: metadata.resourceVersion,
    });
  });

  test('Groups, subresources and the namespace of a namespace stand in the reference of an audit event', async () => {
    const [deployment] = await server.record('GET', '/apis/apps/v1/namespaces/a/deployments/d/scale');
    expect(deployment!.objectRef).toEqual({
      resource: 'deployments',
      namespace: 'a',
      name: 'd',
      apiGroup: 'apps',
      apiVersion: 'v1',
      subresource: 'scale',
    });
    const [namespace] = await server.record('GET', '/api/v1/namespaces/default');
    expect(namespace!.objectRef).toEqual({
      resource: 'namespaces',
      namespace: 'default',
      name: 'default',
      apiVersion: 'v1',
    });
  });

  test('A deprecated API is noted in its audit event', async () => {
    const [, complete] = await server.record('GET', '/api/v1/componentstatuses');
    expect(complete!.annotations).toMatchObject({ 'k8s.io/deprecated': 'true' });
  });

  test('Errors about secrets in audit events do not quote them', async () => {
    for (const [method, target, body] of [
      ['POST', '/api/v1/namespaces/default/secrets', '{"p4ssw0rd" is no JSON'],
      [
        'POST',
        '/api/v1/namespaces/default/secrets',
        { metadata: { name: 's' }, stringData: { 'bad key p4ssw0rd': 'x' } },
      ],
      ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', '{"p4ssw0rd'],
    ] as const) {
      const { text, status, headers } = await server.send(method, target, { body });
      expect(text).toContain('p4ssw0rd');
      const complete = (await server.eventsOf(headers['audit-id'] as string)).at(-1)!;
      expect(complete.responseStatus).toMatchObject({ code: status, status: 'Failure' });
      expect(complete.responseStatus).not.toHaveProperty('message');
    }
    expect((await server.lines()).join('')).not.toContain('p4ssw0rd');
  });

  test('User agents in audit events have an end', async () => {
    const [event] = await server.record('GET', '/version', { headers: { 'user-agent': 'a'.repeat(2000) } });
    expect(event!.userAgent).toBe(`${'a'.repeat(1024)}...TRUNCATED`);
  });

  test('A watch is recorded when it begins and when it ends', async () => {
    const { headers, close } = await server.client.open(
      { method: 'GET', path: `${configMaps}?watch=1`, headers: { authorization: 'Bearer admin-token' } },
      () => undefined,
      () => undefined,
    );
    const id = headers['audit-id'] as string;
    expect(stagesOf(await server.eventsOf(id))).toEqual(['RequestReceived', 'ResponseStarted']);
    close();
    await server.stop();
    const events = await server.eventsOf(id);
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    expect(events.map(({ responseStatus }) => responseStatus?.code)).toEqual([undefined, 200, 200]);
    expect(events[2]).toMatchObject({ verb: 'watch' });
  });
});

test('With RBAC, impersonated users and refusals are recorded', async () => {
  await using server = await AuditedServer.start({
    policy: 'rules: [{level: Metadata}]\nomitStages: [RequestReceived]',
    flags: [...log, '--authorization-mode=RBAC'],
  });
  const [refused] = await server.record('GET', configMaps, {
    headers: { 'impersonate-user': 'bob', 'impersonate-group': 'ops' },
  });
  expect(refused).toMatchObject({
    user: { username: 'admin' },
    impersonatedUser: { username: 'bob', groups: ['ops', 'system:authenticated'] },
    responseStatus: { code: 403, reason: 'Forbidden' },
    annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
  });
  const [allowed] = await server.record('GET', '/version', { user: 'jane' });
  expect(allowed!.annotations!['authorization.k8s.io/reason']).toMatch(
    /^RBAC: allowed by ClusterRoleBinding "system:(public-info-viewer|discovery)"/,
  );
});

test('Without a policy nothing is recorded', async () => {
  await using server = await AuditedServer.start({ policy: undefined, flags: log });
  await server.send('GET', '/version');
  await expect(server.lines()).rejects.toMatchObject({ code: 'ENOENT' });
});

test('Legacy format is a line of text', async () => {
  await using server = await AuditedServer.start({
    policy: 'rules: [{level: Metadata}]',
    flags: [...log, '--audit-log-format=legacy'],
  });
  await server.send('GET', `${configMaps}?limit=1`, {
    user: 'jane',
    headers: { 'audit-id': 'x', 'user-agent': 'say "hi"' },
  });
  const [received, complete] = (await server.lines()).filter((line) => line.includes('id="x"'));
  const rest =
    `ip="127.0.0.1" method="list" user="jane" groups="\\"devs\\",\\"ops\\",\\"system:authenticated\\"" ` +
    `as="<self>" asgroups="<lookup>" user-agent="say \\"hi\\"" namespace="default" uri="${configMaps}?limit=1"`;
  expect(received).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z AUDIT: /);
  expect(received!.replace(/^\S+ /, '')).toBe(`AUDIT: id="x" stage="RequestReceived" ${rest} response="<deferred>"`);
  expect(complete!.replace(/^\S+ /, '')).toBe(`AUDIT: id="x" stage="ResponseComplete" ${rest} response="200"`);
});

test('The version of the events is the one that was asked for', async () => {
  await using server = await AuditedServer.start({
    policy: 'rules: [{level: Metadata}]',
    flags: [...log, '--audit-log-version=audit.orch.io/v1'],
  });
  const [event] = await server.record('GET', '/version');
  expect(event!.apiVersion).toBe('audit.orch.io/v1');
});
