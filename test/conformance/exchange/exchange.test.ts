/**
 * One etcd, two servers: what one writes the other reads, changes, deletes and watches.
 *
 * The other server is a kube-apiserver of 1.20, which drops what came later when it reads; that is all that may differ.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createControlPlane, type ControlPlane } from '../../../src/index.ts';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { ApiClient, type ApiObject, type WatchEvent, type WatchStream } from '../../support/api-client.ts';
import type { RunningEtcd } from '../../support/etcd.ts';
import { KubeApiServer, kubeApiServerPath, noKubeApiServer } from '../../support/kube-apiserver.ts';
import { kinds, type ExchangedKind } from './objects.ts';

/** Members that 1.20 does not know, as paths; a star stands for any name or index. */
const laterMembers: Readonly<Record<string, readonly string[]>> = {
  // Upstream fills ipFamilies in only when dual stack is turned on, which 1.20 leaves off.
  Service: ['spec.internalTrafficPolicy', 'spec.ipFamilies', 'spec.ipFamilyPolicy'],
  // Names in labels came in 1.21; older objects get theirs when they are read.
  Namespace: ['metadata.labels.kubernetes%2eio/metadata%2ename'],
};

const laterEverywhere: readonly string[] = ['metadata.managedFields.*.subresource'];

function without(object: ApiObject): unknown {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const path of [...laterEverywhere, ...(laterMembers[object.kind!] ?? [])])
    drop(
      copy,
      path.split('.').map((name) => name.replaceAll('%2e', '.')),
    );
  return copy;
}

function drop(value: unknown, [name, ...rest]: string[]): void {
  if (typeof value !== 'object' || value === null || name === undefined) return;
  const members = value as Record<string, unknown>;
  for (const key of name === '*' ? Object.keys(members) : [name]) {
    if (rest.length === 0) delete members[key];
    else drop(members[key], rest);
  }
}

const patience = { timeout: 20_000, interval: 50 };

const nameOf = (object: ApiObject): string => object.metadata!.name!;

describe.skipIf(kubeApiServerPath === undefined)(`a kube-apiserver on the same etcd${noKubeApiServer}`, () => {
  let etcd: RunningEtcd;
  let kube: KubeApiServer;
  let controlPlane: ControlPlane;
  let ours: ApiClient;
  let theirs: ApiClient;

  beforeAll(async () => {
    etcd = await startAnyEtcd();
    kube = await KubeApiServer.start(etcd.url);
    controlPlane = await createControlPlane({
      controllers: false,
      flags: [
        `--store-servers=${etcd.url}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        '--endpoint-reconciler-type=none',
      ],
    });
    ours = new ApiClient(controlPlane.kubeconfig);
    theirs = kube.client;
  });

  afterAll(async () => {
    ours?.[Symbol.dispose]();
    await controlPlane?.close();
    await kube?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  });

  async function read(client: ApiClient, path: string): Promise<ApiObject> {
    const { status, object } = await client.send('GET', path);
    expect({ status, message: object['message'] }).toEqual({ status: 200, message: undefined });
    return object;
  }

  /** Their controller for definitions writes what it thinks of the names. */
  const untilAccepted = (path: string): Promise<void> =>
    vi.waitFor(async () => expect(JSON.stringify(await read(theirs, path))).toMatch(/"type":"Established"/), patience);

  async function expectSame(path: string): Promise<void> {
    // Both servers have a controller for definitions, which can write between the two reads.
    await vi.waitFor(
      async () => expect(without(await read(ours, path))).toEqual(without(await read(theirs, path))),
      patience,
    );
  }

  const directions = [
    { name: 'written here, read there', prefix: 'o', pick: () => ({ writer: ours, reader: theirs }) },
    { name: 'written there, read here', prefix: 't', pick: () => ({ writer: theirs, reader: ours }) },
  ];

  describe.each(kinds)('$kind', ({ kind, collection, make, patch, changed }: ExchangedKind) => {
    test.each(directions)('A kube-apiserver on the same etcd: $name', async ({ prefix, pick }) => {
      const { writer, reader } = pick();
      const wanted = make(`${prefix}${kind.toLowerCase()}`);
      const path = `${collection}/${nameOf(wanted)}`;

      const {
        object: { metadata: { resourceVersion: from } = {} },
      } = await reader.send('GET', collection);
      const watch = await reader.watch(`${collection}?watch=true&resourceVersion=${from}`);

      const created = await writer.send('POST', collection, wanted);
      expect([created.status, created.object['message']]).toEqual([201, undefined]);
      if (kind === 'CustomResourceDefinition') await untilAccepted(path);
      await expectSame(path);

      // The reader changes what the other has written, and the other sees that.
      const patched = await reader.send('PATCH', path, patch, { contentType: 'application/merge-patch+json' });
      expect([patched.status, patched.object['message']]).toEqual([200, undefined]);
      expect(changed(await read(writer, path))).toEqual(changed(patched.object));
      expect(changed(patched.object)).not.toEqual(changed(created.object));
      await expectSame(path);

      // A write on the version before is refused, one on the current version is taken.
      const stale = await writer.send('PUT', path, created.object);
      expect([stale.status, stale.object['reason']]).toEqual([409, 'Conflict']);
      const current = await read(writer, path);
      const replaced = await writer.send('PUT', path, {
        ...current,
        metadata: { ...current.metadata, labels: { ...current.metadata!.labels, replaced: 'yes' } },
      });
      expect([replaced.status, replaced.object['message']]).toEqual([200, undefined]);
      await expectSame(path);

      expect((await reader.send('DELETE', `${path}?gracePeriodSeconds=0`)).status).toBeLessThan(300);
      if (kind !== 'Namespace')
        await vi.waitFor(async () => expect((await writer.send('GET', path)).status).toBe(404), patience);
      await expectWatched(
        watch,
        nameOf(wanted),
        kind === 'Namespace'
          ? ['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED']
          : ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'],
      );
    });
  });

  test.each(directions)('Objects of a definition, $name', async ({ prefix, pick }) => {
    const { writer, reader } = pick();
    const plural = `${prefix}gadgets`;
    const collection = `/apis/example.com/v1/namespaces/default/${plural}`;
    const later = collection.replace('/v1/', '/v2/');
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              a: { type: 'string' },
              b: { type: 'string', default: 'filled' },
              free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    };
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: `${prefix.toUpperCase()}Gadget` },
      versions: [
        { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } },
        { name: 'v2', served: true, storage: false, schema, subresources: { status: {} } },
      ],
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await writer.send('POST', definitions, { metadata: { name: `${plural}.example.com` }, spec })).status).toBe(
      201,
    );
    for (const client of [ours, theirs])
      for (const path of [collection, later])
        await vi.waitFor(async () => expect((await client.send('GET', path)).status).toBe(200), patience);

    const object = {
      apiVersion: 'example.com/v2',
      kind: spec.names.kind,
      metadata: { name: 'one', labels: { a: 'b' } },
      spec: { a: 'x', free: { list: [1, 1.5, 'x', null], deep: { z: 1, a: 2 } } },
    };
    const {
      object: { metadata: { resourceVersion: from } = {} },
    } = await reader.send('GET', collection);
    const watch = await reader.watch(`${collection}?watch=true&resourceVersion=${from}`);
    expect((await writer.send('POST', later, object)).status).toBe(201);
    for (const path of [collection, later]) await expectSame(`${path}/one`);
    expect(
      (
        await reader.send(
          'PATCH',
          `${collection}/one`,
          { spec: { a: 'y' } },
          { contentType: 'application/merge-patch+json' },
        )
      ).status,
    ).toBe(200);
    await expectSame(`${later}/one`);
    const applied = {
      apiVersion: 'example.com/v1',
      kind: spec.names.kind,
      metadata: { name: 'one' },
      spec: { a: 'z' },
    };
    for (const client of [writer, reader])
      expect(
        (
          await client.send('PATCH', `${collection}/one?fieldManager=m`, applied, {
            contentType: 'application/apply-patch+yaml',
          })
        ).object['reason'],
      ).toBe('Conflict');
    expect(
      (
        await writer.send('PATCH', `${collection}/one?fieldManager=m&force=true`, applied, {
          contentType: 'application/apply-patch+yaml',
        })
      ).status,
    ).toBe(200);
    await expectSame(`${collection}/one`);
    expect((await reader.send('DELETE', `${collection}/one`)).status).toBe(200);
    await expectWatched(watch, 'one', ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);

    await writer.send('POST', collection, { ...object, apiVersion: 'example.com/v1', metadata: { name: 'last' } });
    expect((await reader.send('DELETE', `${definitions}/${plural}.example.com`)).status).toBe(200);
    for (const client of [ours, theirs])
      await vi.waitFor(
        async () => expect((await client.send('GET', `${definitions}/${plural}.example.com`)).status).toBe(404),
        patience,
      );
  });

  /** The watch has told each change once, in order; definitions also change by what their server says of them. */
  async function expectWatched(watch: WatchStream, name: string, types: readonly WatchEvent['type'][]): Promise<void> {
    const own = (events: readonly WatchEvent[]): readonly WatchEvent[] =>
      events.filter(({ object }) => object.metadata?.name === name);
    const isLast = ({ type, object }: WatchEvent): boolean =>
      types.at(-1) === 'DELETED'
        ? type === 'DELETED'
        : (object.metadata as { deletionTimestamp?: string }).deletionTimestamp !== undefined;
    const events = own(await watch.until((seen) => own(seen).some(isLast)));
    watch.close();
    const told = events.map(({ type }) => type);
    expect([told[0], told.at(-1)]).toEqual([types[0], types.at(-1)]);
    expect(told.slice(1, -1).every((type) => type === 'MODIFIED')).toBe(true);
    expect(told.length).toBeGreaterThanOrEqual(types.length);
    const versions = events.map(({ object }) => Number(object.metadata!.resourceVersion));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  }

  test('Lists at orch and at a kube-apiserver on the same etcd have the same objects', async () => {
    for (const { collection, make } of kinds) {
      await ours.send('POST', collection, make('ours'));
      await theirs.send('POST', collection, make('theirs'));
      const [here, there] = [await read(ours, collection), await read(theirs, collection)].map((list) =>
        (list['items'] as ApiObject[]).map(nameOf).sort(),
      );
      expect(here).toEqual(there);
    }
  });

  test('One that both change at once keeps both changes', async () => {
    const collection = '/api/v1/namespaces/default/configmaps';
    await ours.send('POST', collection, { metadata: { name: 'both' }, data: {} });
    const write = async (client: ApiClient, who: string): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const { status } = await client.send(
          'PATCH',
          `${collection}/both`,
          { data: { [`${who}-${i}`]: 'x' } },
          { contentType: 'application/merge-patch+json' },
        );
        if (status === 409) i--;
        else expect(status).toBe(200);
      }
    };
    await Promise.all([write(ours, 'ours'), write(theirs, 'theirs')]);
    expect(Object.keys((await read(ours, `${collection}/both`))['data'] as object)).toHaveLength(50);
  });

  test('An object that etcd refuses is answered alike', async () => {
    const large = { metadata: { name: 'large' }, revision: 1, data: { text: 'x'.repeat(1_700_000) } };
    const answers = await Promise.all(
      [ours, theirs].map((client) =>
        client.send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions', large),
      ),
    );
    expect(answers[0]!.object).toEqual(answers[1]!.object);
  });

  test('Addresses of services are never given out twice', async () => {
    const collection = '/api/v1/namespaces/default/services';
    const make = (who: string, i: number): object => ({
      metadata: { name: `${who}-ip-${i}` },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    });
    const answers = await Promise.all(
      [ours, theirs].flatMap((client, who) =>
        Array.from({ length: 20 }, (_, i) => client.send('POST', collection, make(`s${who}`, i))),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const specs = answers.map(({ object }) => object['spec'] as { clusterIP: string; ports: { nodePort: number }[] });
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(40);
    expect(new Set(specs.map(({ ports }) => ports[0]!.nodePort)).size).toBe(40);
  });
});
