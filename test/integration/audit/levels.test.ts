import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../../../src/api/gen/types/audit-v1.ts';
import { AuditedServer } from '../../support/audited-server.ts';
import { log, stagesOf, configMaps } from '../../support/audit-events.ts';

describe('at the other levels', () => {
  const policy = `
rules:
- {level: Request, verbs: [create], resources: [{resources: [secrets]}]}
- {level: None, users: [jane]}
- {level: RequestResponse, omitManagedFields: true, resources: [{resources: [services]}]}
- {level: RequestResponse}
omitStages: [RequestReceived]
`;
  let server: AuditedServer;
  beforeAll(async () => {
    server = await AuditedServer.start({ policy, flags: log });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const only = async (...args: Parameters<AuditedServer['record']>): Promise<Event> => {
    const events = await server.record(...args);
    expect(stagesOf(events)).toEqual(['ResponseComplete']);
    return events[0]!;
  };

  test('Audit level Request has the object that was sent, with its defaults, and not the answer', async () => {
    const event = await only('POST', '/api/v1/namespaces/default/secrets', {
      body: { metadata: { name: 's' }, data: { a: 'eA==' } },
    });
    expect(event.requestObject).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's', creationTimestamp: null },
      data: { a: 'eA==' },
      type: 'Opaque',
    });
    expect(event).not.toHaveProperty('responseObject');
  });

  test('Audit level RequestResponse has both objects, whatever encoding the client gets', async () => {
    const created = await only('POST', configMaps, { body: { metadata: { name: 'both' }, data: { a: 'b' } } });
    expect(created.responseObject).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'both', managedFields: [{ operation: 'Update' }] },
    });
    const inProtobuf = await only('GET', `${configMaps}/both`, {
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
    });
    expect(inProtobuf.responseObject).toEqual(created.responseObject);
    const list = await only('GET', configMaps, { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
    expect(list.responseObject).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'both' } }] });
    const table = await only('GET', configMaps, {
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    expect(table.responseObject).toMatchObject({ kind: 'Table', rows: [{ cells: ['both', 1, expect.anything()] }] });
  });

  test('A patch is recorded as it was sent, on one line', async () => {
    await server.send('POST', configMaps, { body: { metadata: { name: 'patched' } } });
    const merge = await only('PATCH', `${configMaps}/patched`, {
      body: '{\n "data": {\n  "a": "b" }\n}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(merge.requestObject).toEqual({ data: { a: 'b' } });
    const apply = await only('PATCH', `${configMaps}/patched?fieldManager=me&force=1`, {
      body: 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: c\n',
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(apply.requestObject).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'c' } });
  });

  test('Options in the body of a deletion are in its audit event', async () => {
    await server.send('POST', configMaps, { body: { metadata: { name: 'removed' } } });
    const event = await only('DELETE', `${configMaps}/removed`, { body: { propagationPolicy: 'Background' } });
    expect(event.requestObject).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      propagationPolicy: 'Background',
    });
    expect(event.responseObject).toMatchObject({ kind: 'Status', status: 'Success' });
  });

  test('Managed fields are left out of audit events where the rule says so', async () => {
    const created = await only('POST', '/api/v1/namespaces/default/services', {
      body: { metadata: { name: 'svc' }, spec: { ports: [{ port: 80 }] } },
    });
    expect(created.responseObject).toMatchObject({ metadata: { name: 'svc' } });
    const list = await only('GET', '/api/v1/namespaces/default/services');
    const table = await only('GET', '/api/v1/namespaces/default/services?includeObject=Object', {
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    expect(JSON.stringify([list, table])).toContain('"svc"');
    expect(JSON.stringify([created, list, table])).not.toContain('managedFields');
  });

  test('An error is its own object', async () => {
    const event = await only('GET', `${configMaps}/absent`);
    expect(event.responseObject).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
    });
  });

  test('A review has its question and its answer', async () => {
    const event = await only('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    });
    expect(event.requestObject).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    });
    expect(event.responseObject).toMatchObject({ status: { allowed: true } });
  });

  test('At audit level None a request has no event', async () => {
    expect(await server.record('GET', configMaps, { user: 'jane' })).toEqual([]);
  });

  test('Audit levels, events and losses are counted', async () => {
    const [events, none] = [
      await server.metric('apiserver_audit_event_total'),
      await server.metric('apiserver_audit_level_total{level="None"}'),
    ];
    await server.send('GET', configMaps, { user: 'jane' });
    expect(await server.metric('apiserver_audit_level_total{level="None"}')).toBe(none + 1);
    // One for each request for a metric before this one; RequestReceived is omitted.
    expect(await server.metric('apiserver_audit_event_total')).toBe(events + 3);
    expect(await server.metric('apiserver_audit_error_total{plugin="log"}')).toBe(0);
  });
});
