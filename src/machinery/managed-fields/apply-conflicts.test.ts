import { describe, expect, it, test } from 'vitest';
import type { KubeObject } from '../object-meta.ts';
import { type JsonObject } from '../value.ts';
import { fieldManager, now, Server, data, failure } from './testing/applying-server.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

describe('a conflict', () => {
  it('A conflict is a field that another manager applied with another value', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    expect(failure(() => server.apply('two', data({ k: 'w' })))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.k',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' }] },
    });
  });

  it('A conflict is a field that another manager updated', () => {
    const server = new Server().apply('one', data({ k: 'v' })).update('upd', data({ k: 'w', l: 'w' }));
    expect(failure(() => server.apply('one', data({ k: 'v', l: 'x' }))).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "upd" using v1:\n- .data.k\n- .data.l',
    );
  });

  it('A conflict names all managers, in order, with subresource and keys', () => {
    const server = new Server('Pod').apply('b', { spec: { hostname: 'h', containers: [{ name: 'c', image: 'i' }] } });
    server.more = { subresource: 'status' };
    server.update('a', { status: { phase: 'x' } });
    server.more = {};
    expect(
      failure(() =>
        server.apply('m', { spec: { hostname: 'i', containers: [{ name: 'c', image: 'j' }] }, status: { phase: 'y' } }),
      ).message,
    ).toBe(
      'Apply failed with 3 conflicts: conflicts with "a" with subresource "status" using v1:\n- .status.phase\n' +
        'conflicts with "b":\n- .spec.hostname\n- .spec.containers[name="c"].image',
    );
  });

  it('A conflict is none with the manager itself, nor when both want the same', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .apply('one', data({ k: 'w' }))
      .update('upd', data({ k: 'x' }));
    expect(() => server.apply('one', data({ k: 'x' }))).not.toThrow();
  });

  it('A conflict is settled by force', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' })).apply('two', data({ k: 'w' }), true);
    expect(server.data).toEqual({ k: 'w', l: 'v' });
    expect(server.owners).toEqual({
      'one Apply': { 'f:data': { 'f:l': {} } },
      'two Apply': { 'f:data': { 'f:k': {} } },
    });
  });

  it('A conflict is with "before-first-apply" for fields from before managers were recorded', () => {
    const server = new Server();
    server.object = { metadata: { name: 'a', uid: 'u' }, data: { k: 'v', l: 'v' } } as KubeObject;
    expect(failure(() => server.apply('one', data({ k: 'w' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
    );
    expect(server.apply('one', data({ n: 'w' })).owners).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {} } },
      'one Apply': { 'f:data': { 'f:n': {} } },
    });
  });
});

describe('taking over from client-side apply', () => {
  const lastApplied = (members: Record<string, string>): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: members });
  const clientSide = (members: Record<string, string>, live = members): Server =>
    new Server().update('kubectl-client-side-apply', {
      metadata: { name: 'a', annotations: { [LAST_APPLIED]: lastApplied(members) } },
      data: live,
    });
  const annotation = (server: Server): string | undefined => server.object!.metadata!.annotations![LAST_APPLIED];

  it('Taking over from client-side apply needs no force for fields as they were last applied', () => {
    const server = clientSide({ k: 'v', l: 'v' }).apply('kubectl', data({ k: 'w' }));
    expect(server.data).toEqual({ k: 'w', l: 'v' });
    expect(Object.keys(server.owners)).toEqual(['kubectl Apply', 'kubectl-client-side-apply Update']);
  });

  it('Taking over from client-side apply needs force for fields that changed since', () => {
    const server = clientSide({ k: 'v', l: 'v' }, { k: 'other', l: 'v' });
    expect(failure(() => server.apply('kubectl', data({ k: 'w', l: 'w' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.k',
    );
  });

  it('Taking over from client-side apply is for the manager kubectl only', () => {
    expect(() => clientSide({ k: 'v' }).apply('other', data({ k: 'w' }))).toThrow('Apply failed with 1 conflict');
  });

  it('Taking over from client-side apply keeps the annotation up to date', () => {
    const server = clientSide({ k: 'v' }).apply(
      'kubectl',
      { ...data({ x: '<1>' }), metadata: { annotations: { [LAST_APPLIED]: 'old', note: 'n' } } },
      true,
    );
    expect(annotation(server)).toBe(
      '{"apiVersion":"v1","data":{"x":"\\u003c1\\u003e"},"kind":"ConfigMap",' +
        '"metadata":{"annotations":{"note":"n"},"name":"a"}}\n',
    );
  });

  it('Taking over from client-side apply drops an annotation that has become too long', () => {
    expect(annotation(clientSide({ k: 'v' }).apply('kubectl', data({ x: 'y'.repeat(300_000) })))).toBeUndefined();
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another version', '{"apiVersion":"v2","kind":"ConfigMap","data":{"k":"v"}}'],
    ['another encoding', '{"apiVersion":"v1","data":5}'],
    ['nothing', ''],
  ])('Taking over from client-side apply counts for nothing when the annotation holds %s', (_, text) => {
    const server = new Server().update('kubectl-client-side-apply', {
      metadata: { name: 'a', annotations: { [LAST_APPLIED]: text } },
      data: { k: 'v' },
    });
    expect(() => server.apply('kubectl', data({ k: 'w' }))).toThrow('conflict with "kubectl-client-side-apply"');
  });
});

describe('a configuration that is refused', () => {
  const request = {
    live: undefined,
    manager: 'm',
    subresource: '',
    apiVersion: 'apps/v1',
    typeId: 'apps/v1.Deployment',
    now,
    kind: 'Deployment',
    force: false,
  };
  test.each<{ name: string; config: JsonObject; code: number; message: string }>([
    { name: 'no type', config: {}, code: 400, message: 'invalid object type: /, Kind=' },
    { name: 'no kind', config: { apiVersion: 'v1' }, code: 400, message: 'invalid object type: /v1, Kind=' },
    {
      name: 'another kind',
      config: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
      code: 400,
      message: 'invalid object type: apps/v1, Kind=ReplicaSet',
    },
    {
      name: 'managed fields',
      config: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { managedFields: [] } },
      code: 400,
      message: 'metadata.managedFields must be nil',
    },
    {
      name: 'an unknown field',
      config: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' }, odd: 1 },
      code: 500,
      message:
        'failed to create typed patch object (n/d; apps/v1, Kind=Deployment): .odd: field not declared in schema',
    },
  ])('A configuration that is refused has $name', ({ config, code, message }) => {
    expect(failure(() => fieldManager.apply({ ...request, config }))).toMatchObject({ code, message });
  });

  it('A configuration whose managed fields cannot be decoded is refused', () => {
    const live = { metadata: { name: 'd', uid: 'u', managedFields: [{ operation: 'Odd' }] } };
    expect(
      failure(() => fieldManager.apply({ ...request, live, config: { apiVersion: 'apps/v1', kind: 'Deployment' } })),
    ).toMatchObject({ code: 500, message: 'failed to decode managed fields: operation must be `Apply` or `Update`' });
  });
});
