import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue } from '../value.ts';
import { createCustomType } from './index.ts';
import { fieldManager, now, Server, data, plain, failure, types } from './testing/applying-server.ts';

describe('applying a configuration', () => {
  it('Applying a configuration creates the object, owned by its manager', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    expect(server.data).toEqual({ k: 'v' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:k': {} } } });
    expect(server.entry('one')).toMatchObject({
      apiVersion: 'v1',
      time: '2024-01-01T00:00:05Z',
      fieldsType: 'FieldsV1',
    });
  });

  it('Applying a configuration removes what it does not say any more', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' })).apply('one', data({ l: 'w' }));
    expect(server.data).toEqual({ l: 'w' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:l': {} } } });
  });

  it('Applying a configuration keeps a removed field when another manager owns it', () => {
    const server = new Server()
      .apply('one', data({ k: 'v', s: 's' }))
      .apply('two', data({ s: 's' }))
      .apply('one', data({ k: 'v' }));
    expect(server.data).toEqual({ k: 'v', s: 's' });
    expect(server.apply('two', {}).data).toEqual({ k: 'v' });
  });

  it('Applying a configuration keeps what it never applied', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .update('two', data({ k: 'v', n: 'x' }))
      .apply('one', data({}));
    expect(server.data).toEqual({ n: 'x' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': {} }, 'two Update': { 'f:data': { 'f:n': {} } } });
  });

  it('Applying a configuration shares ownership of equal values, and keeps the time of a no-op', () => {
    const server = new Server().apply('one', data({ k: 'v' })).apply('two', data({ k: 'v' }));
    expect(server.owners).toEqual({
      'one Apply': { 'f:data': { 'f:k': {} } },
      'two Apply': { 'f:data': { 'f:k': {} } },
    });
    expect(server.entry('two').time).toBeUndefined();
    expect(server.object!.metadata!.managedFields!.map(({ manager }) => manager)).toEqual(['two', 'one']);
  });

  it('Applying a configuration says whether the object changed', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    const request = {
      live: server.object,
      manager: 'two',
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.ConfigMap',
      now,
      kind: 'ConfigMap',
      force: false,
    };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    expect(fieldManager.apply({ ...request, config }).changed).toBe(false);
    expect(fieldManager.apply({ ...request, config: { ...config, data: { n: 'v' } } }).changed).toBe(true);
  });

  it('Applying a configuration merges items of lists by key', () => {
    const container = (name: string, more: JsonObject) => ({ spec: { containers: [{ name, ...more }] } });
    const server = new Server('Pod')
      .apply('one', container('c', { image: 'i' }))
      .apply('two', container('c', { tty: true }))
      .apply('three', container('d', { image: 'j' }));
    expect(plain((server.object as unknown as { spec: JsonObject }).spec['containers'])).toMatchObject([
      { name: 'c', image: 'i', tty: true },
      { name: 'd', image: 'j' },
    ]);
    server.apply('two', {}).apply('three', {});
    expect(plain((server.object as unknown as { spec: JsonObject }).spec['containers'])).toEqual([
      { name: 'c', image: 'i', resources: {} },
    ]);
  });

  it('Applying a configuration takes the structs with it that it leaves empty', () => {
    const server = new Server('Pod')
      .apply('one', { spec: { hostname: 'h', securityContext: { seLinuxOptions: { user: 'x' } } } })
      .apply('one', { spec: { hostname: 'h' } });
    expect(plain((server.object as unknown as { spec: JsonObject }).spec)).toEqual({ hostname: 'h', containers: null });
  });

  it('Applying a configuration does not own what the resource resets', () => {
    const server = new Server('Pod');
    server.more = { resetFields: [['status']] };
    expect(server.apply('one', { spec: { hostname: 'h' }, status: { phase: 'Running' } }).owners).toEqual({
      'one Apply': { 'f:spec': { 'f:hostname': {} } },
    });
  });

  it('Applying a configuration leaves no entry for a manager that applies nothing', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .apply('two', data({ n: 'v' }))
      .apply('two', {});
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:k': {} } } });
  });

  it('Applying a configuration changes neither the live object nor the configuration', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' }));
    const [live, config] = [
      server.object!,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { l: 'w' } },
    ];
    const before = JSON.stringify([live, config]);
    fieldManager.apply({
      live,
      manager: 'one',
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.ConfigMap',
      now,
      kind: 'ConfigMap',
      force: false,
      config,
    });
    expect(JSON.stringify([live, config])).toBe(before);
  });

  it('Applying a configuration works on custom resources, with a schema and without', () => {
    const objectMeta = types.of('meta/v1.ObjectMeta');
    const list = (type: string, keys?: string[]) =>
      createCustomType(
        {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                l: {
                  type: 'array',
                  'x-kubernetes-list-type': type,
                  ...(keys && { 'x-kubernetes-list-map-keys': keys }),
                  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
        { objectMeta },
      );
    const spec = (...items: JsonValue[]) => ({ spec: { l: items } });
    const keyed = new Server('Thing', list('map', ['k']))
      .apply('one', spec({ k: 'x', v: 1 }))
      .apply('two', spec({ k: 'y' }));
    expect(plain((keyed.object as unknown as JsonObject)['spec'])).toEqual({ l: [{ k: 'x', v: 1 }, { k: 'y' }] });
    const untyped = new Server('Thing', createCustomType(undefined, { objectMeta })).apply('one', {
      spec: { a: 1, l: [1] },
    });
    expect(failure(() => untyped.apply('two', { spec: { l: [2] } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.l',
    );
  });
});
