/** What a client does with resources, against a server: in protobuf, and in JSON. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound } from '../../../src/client/api-error.ts';
import type { Client } from '../../../src/client/client.ts';
import type { KubeObject } from '../../../src/machinery/object-meta.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let shared: ClientServer;
beforeAll(async () => {
  shared = await startClientServer();
});
afterAll(() => shared[Symbol.asyncDispose]());

const pod = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
});
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
});

describe.each([{ contentType: 'application/vnd.kubernetes.protobuf' }, { contentType: 'application/json' }])(
  'a typed client with $contentType',
  ({ contentType }) => {
    let client: Client;
    let namespace: string;
    beforeAll(async () => {
      client = shared.connect({ contentType });
      namespace = contentType.endsWith('json') ? 'as-json' : 'as-protobuf';
      await client.core.v1.namespaces.create({ metadata: { name: namespace } });
      await client.core.v1.namespaces.get(namespace);
    });
    const pods = () => client.core.v1.pods.namespace(namespace);

    test('A typed client creates, gets, updates and deletes an object', async () => {
      const created = await client.core.v1.configmaps.create({ metadata: { name: 'm', namespace }, data: { a: '1' } });
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace } });
      const updated = await client.core.v1.configmaps.update({ ...created, data: { a: '2' } });
      const maps = client.core.v1.configmaps.namespace(namespace);
      expect(await maps.get('m')).toEqual(updated);
      expect(updated.data).toEqual({ a: '2' });
      expect(await maps.delete('m')).toBeUndefined();
      await expect(maps.get('m')).rejects.toSatisfy(isNotFound);
    });

    test('Reads and deletes an object whose name is escaped in paths', async () => {
      const { clusterroles } = client.rbac.v1;
      const name = `${namespace}:with:colons`;
      await clusterroles.create({ metadata: { name }, rules: [] });
      expect((await clusterroles.get(name)).metadata.name).toBe(name);
      expect(await clusterroles.delete(name)).toBeUndefined();
    });

    test('A typed client has the errors of the server with code, reason and details', async () => {
      const maps = client.core.v1.configmaps.namespace(namespace);
      const created = await maps.create({ metadata: { name: 'twice' } });
      await expect(maps.create({ metadata: { name: 'twice' } })).rejects.toSatisfy(isAlreadyExists);
      await maps.update({ ...created, data: { a: '1' } });
      await expect(maps.update({ ...created, data: { a: '2' } })).rejects.toSatisfy(isConflict);
      await expect(maps.create({ metadata: { name: 'No Name' } })).rejects.toSatisfy(isInvalid);
      await expect(maps.get('absent')).rejects.toMatchObject({
        code: 404,
        reason: 'NotFound',
        message: 'configmaps "absent" not found',
        details: { name: 'absent', kind: 'configmaps' },
      });
    });

    test('A typed client patches in all forms and applies', async () => {
      const deployments = client.apps.v1.deployments.namespace(namespace);
      await deployments.create(deployment('web'));
      const merged = await deployments.patch('web', { merge: { spec: { replicas: 3 } } });
      expect(merged.spec.replicas).toBe(3);
      const replaced = await deployments.patch('web', { json: [{ op: 'replace', path: '/spec/replicas', value: 4 }] });
      expect(replaced.spec.replicas).toBe(4);
      const containers = [{ name: 'sidecar', image: 'busybox' }];
      const merging = { spec: { template: { spec: { containers } } } };
      const strategic = await deployments.patch('web', { strategic: merging });
      expect(strategic.spec.template.spec.containers!.map(({ name }) => name).sort()).toEqual(['c', 'sidecar']);
      const applied = { metadata: { name: 'web' }, spec: { replicas: 5 } };
      await expect(deployments.apply(applied, { fieldManager: 'scaler' })).rejects.toSatisfy(isConflict);
      const forced = await deployments.apply(applied, { fieldManager: 'scaler', force: true });
      expect(forced.spec.replicas).toBe(5);
      expect(forced.metadata.managedFields!.find(({ manager }) => manager === 'scaler')).toMatchObject({
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      });
    });

    test('A typed client reads and writes subresources', async () => {
      const deployments = client.apps.v1.deployments.namespace(namespace);
      await deployments.create(deployment('scaled'));
      const scale = await deployments.scale.get('scaled');
      expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } });
      await deployments.scale.update({ ...scale, spec: { replicas: 7 } });
      expect((await deployments.get('scaled')).spec.replicas).toBe(7);
      const current = await deployments.get('scaled');
      const status = await deployments.status.update({ ...current, status: { observedGeneration: 1, replicas: 2 } });
      expect(status.status.replicas).toBe(2);
      await pods().create(pod('bound'));
      await client.core.v1.nodes.create({ metadata: { name: `node-${namespace}` } });
      await pods().binding.create('bound', {
        metadata: { name: 'bound' },
        target: { kind: 'Node', name: `node-${namespace}` },
      });
      expect((await pods().get('bound')).spec.nodeName).toBe(`node-${namespace}`);
      await pods().eviction.create('bound', { metadata: { name: 'bound' } });
      expect((await pods().get('bound')).metadata.deletionTimestamp).toBeDefined();
      await client.core.v1.serviceaccounts.create({ metadata: { name: 'robot', namespace } });
      const accounts = client.core.v1.serviceaccounts.namespace(namespace);
      const token = await accounts.token.create('robot', { spec: { expirationSeconds: 600 } });
      expect(token.status.token!.split('.')).toHaveLength(3);
    });

    test('A typed client reviews access, which is created and has no name', async () => {
      const review = await client.authorization.v1.selfsubjectaccessreviews.create({
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      });
      expect(review.status?.allowed).toBe(true);
    });

    test('A typed client lists in pages, all at once, and by a stream, with the kind of each item', async () => {
      const { secrets } = client.core.v1;
      for (const name of ['a', 'b', 'c'])
        await secrets.create({ metadata: { name, namespace, labels: { of: 'list' } }, data: { key: 'dmFsdWU=' } });
      const list = secrets.namespace(namespace);
      const selected = { labelSelector: 'of=list' };
      const page = await list.list({ ...selected, limit: 2 });
      expect([page.items.length, page.metadata?.continue]).toEqual([2, expect.stringMatching(/./)]);
      const sizes: number[] = [];
      for await (const { items } of list.pages({ ...selected, pageSize: 2 })) sizes.push(items.length);
      expect(sizes).toEqual([2, 1]);
      for (const stream of [false, true]) {
        const all = await list.listAll({ ...selected, stream });
        expect(
          all.items.map(({ kind, apiVersion, metadata, data }) => [kind, apiVersion, metadata.name, data]),
        ).toEqual(['a', 'b', 'c'].map((name) => ['Secret', 'v1', name, { key: 'dmFsdWU=' }]));
        expect(all.metadata.resourceVersion).toMatch(/^\d+$/);
      }
      await list.asMetadata().deleteCollection({ ...selected, limit: 1 });
      await list.deleteCollection(selected);
      expect((await secrets.list(selected)).items).toEqual([]);
    });

    test('A typed client watches from a version, and what exists without one', async () => {
      const maps = client.core.v1.configmaps.namespace(namespace);
      const selected = { labelSelector: 'of=watch' };
      const first = await maps.create({ metadata: { name: 'w1', labels: { of: 'watch' } } });
      const seen: string[] = [];
      const watch = maps.watch({ ...selected, resourceVersion: first.metadata.resourceVersion! });
      await maps.create({ metadata: { name: 'w2', labels: { of: 'watch' } } });
      await maps.patch('w1', { merge: { data: { a: '1' } } });
      await maps.delete('w2');
      for await (const { type, object } of watch) {
        seen.push(`${type} ${object.kind} ${object.metadata.name}`);
        if (seen.length === 3) break;
      }
      expect(seen).toEqual(['ADDED ConfigMap w2', 'MODIFIED ConfigMap w1', 'DELETED ConfigMap w2']);
      for await (const { type, object } of maps.watch(selected)) {
        expect(`${type} ${object.metadata.name}`).toBe('ADDED w1');
        break;
      }
    });

    test('A typed client ends a watch whose version is forgotten with 410', async () => {
      const { store } = shared.server;
      const { revision } = await store.get('/');
      await client.core.v1.configmaps.create({ metadata: { name: `late-${namespace}`, namespace } });
      await store.compact(revision);
      const watch = client.scheduling.v1.priorityclasses.watch({ resourceVersion: '1' });
      await expect(watch.next()).rejects.toSatisfy(isExpired);
    });

    test('A watch ends when its signal aborts', async () => {
      const abort = new AbortController();
      const watch = client.core.v1.endpoints.namespace(namespace).watch({ signal: abort.signal });
      const next = watch.next();
      abort.abort(new Error('enough'));
      await expect(next).rejects.toThrow('enough');
    });

    test('A typed client shows metadata alone, and tables', async () => {
      await pods().create(pod('shown', { app: 'shown' }));
      const [item] = (await pods().asMetadata().list({ labelSelector: 'app=shown' })).items;
      expect(item).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'shown' } });
      expect(item).not.toHaveProperty('spec');
      const table = await pods().asTable().list({ labelSelector: 'app=shown' });
      expect(table).toMatchObject({ kind: 'Table', rows: [{ object: { metadata: { name: 'shown' } } }] });
      expect(table.rows![0]!.cells!.slice(0, 4)).toEqual(['shown', '0/1', 'Pending', '0']);
      expect(table.columnDefinitions!.slice(0, 4).map(({ name }) => name)).toEqual([
        'Name',
        'Ready',
        'Status',
        'Restarts',
      ]);
      for await (const { type, object } of pods().asTable().watch({ labelSelector: 'app=shown' })) {
        expect([type, object.kind]).toEqual(['ADDED', 'Table']);
        break;
      }
      for await (const { object } of pods().asMetadata().watch({ labelSelector: 'app=shown' })) {
        expect(object.kind).toBe('PartialObjectMetadata');
        break;
      }
    });

    test('A dry run of a typed client writes nothing', async () => {
      const maps = client.core.v1.configmaps.namespace(namespace);
      await maps.create({ metadata: { name: 'dry' } }, { dryRun: true });
      await expect(maps.get('dry')).rejects.toSatisfy(isNotFound);
    });
  },
);

describe('a dynamic client', () => {
  interface Widget extends KubeObject {
    spec?: { size?: number; large?: number | bigint };
    status?: { phase?: string };
  }

  test('A dynamic client works on custom resources', async () => {
    const { client } = shared;
    await client.apiextensions.v1.customresourcedefinitions.create(widgets);
    const resource = client
      .dynamic<Widget>({ group: 'example.com', version: 'v1', resource: 'widgets' })
      .namespace('default');
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { large: 2n ** 60n + 1n },
    };
    await expect
      .poll(
        () =>
          resource.list().then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    const created = await resource.create(widget);
    expect(created.spec?.large).toBe(2n ** 60n + 1n);
    await resource.patch('w', { merge: { spec: { size: 3 } } });
    const status = await resource.subresource('status').patch('w', { merge: { status: { phase: 'Ready' } } });
    expect(status).toMatchObject({ spec: { size: 3, large: 2n ** 60n + 1n }, status: { phase: 'Ready' } });
    for await (const { type, object } of resource.watch()) {
      expect([type, object.metadata?.name]).toEqual(['ADDED', 'w']);
      break;
    }
    expect((await resource.listAll()).items).toHaveLength(1);
    await resource.delete('w');
    await expect(resource.get('w')).rejects.toSatisfy(isNotFound);
  });

  test('A dynamic client works on built-in resources', async () => {
    const maps = shared.client.dynamic({ group: '', version: 'v1', resource: 'configmaps' }).namespace('default');
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dynamic' } });
    expect((await maps.list({ fieldSelector: 'metadata.name=dynamic' })).items).toMatchObject([{ kind: 'ConfigMap' }]);
  });
});

const widgets = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer' }, large: { type: 'integer', format: 'int64' } },
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};

describe('names that would lead elsewhere are refused before a request is made', () => {
  test.each([{ name: '' }, { name: '.' }, { name: '..' }, { name: 'a/b' }, { name: 'a%2fb' }])(
    'Names that would lead elsewhere are refused before a request is made: $name',
    async ({ name }) => {
      await expect(shared.client.core.v1.secrets.namespace('default').delete(name)).rejects.toThrow(TypeError);
      await expect(shared.client.core.v1.secrets.namespace(name).get('x')).rejects.toThrow(TypeError);
    },
  );
});
