import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CustomResourceDefinition } from '../../../src/api/gen/types/apiextensions-v1.ts';
import { customDefinition, definitionsPath, establish, objectSchema } from '../../support/definitions.ts';
import { type Replica, startReplica } from '../../support/replica.ts';

interface Widget {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly generation: number };
  readonly spec?: Readonly<Record<string, unknown>>;
}

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const widget = (name: string, spec: unknown = {}, version = 'v1'): object => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica();
});
afterAll(() => replica[Symbol.asyncDispose]());

async function withDefinition(definition: object, use: (path: string) => Promise<void>): Promise<void> {
  const path = await establish(replica, definition);
  try {
    await use(path);
  } finally {
    await replica.send('DELETE', path);
    await replica.until(path, ({ status }) => status === 404);
  }
}

describe('a custom resource', () => {
  test('A custom resource is there from when its definition is established until it is gone', async () => {
    expect((await replica.send('GET', widgets)).body).toBe('404 page not found\n');
    await withDefinition(customDefinition(), async () => {
      expect((await replica.send<{ items: unknown[] }>('GET', widgets)).body.items).toEqual([]);
      expect((await replica.send('POST', widgets, widget('a', { any: 'thing' }))).status).toBe(201);
    });
    expect((await replica.send('GET', widgets)).body).toBe('404 page not found\n');
  });

  test('A custom resource is in legacy and aggregated discovery, whose ETag changes with it', async () => {
    const resources = (body: unknown): string => JSON.stringify(body);
    const before = await replica.send<object>('GET', '/apis');
    await withDefinition(
      customDefinition({
        spec: { names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'], categories: ['all'] } },
      }),
      async () => {
        const groups = await replica.send<{ groups: { name: string }[] }>('GET', '/apis');
        expect(groups.body.groups.at(-1)!.name).toBe('example.com');
        expect(resources(groups.body)).not.toBe(resources(before.body));
        const list = await replica.send<{
          resources: { name: string; shortNames?: string[]; categories?: string[] }[];
        }>('GET', '/apis/example.com/v1');
        expect(list.body.resources).toMatchObject([{ name: 'widgets', shortNames: ['wi'], categories: ['all'] }]);
      },
    );
    expect((await replica.send<object>('GET', '/apis')).body).toEqual(before.body);
  });

  test('Watches of a custom resource whose definition changes or goes end', async () => {
    await withDefinition(
      customDefinition({ versions: [{ schema: objectSchema({ a: { type: 'string' } }) }] }),
      async (path) => {
        await replica.send('POST', widgets, widget('a', { a: 'x' }));
        const first = await replica.watch(`${widgets}?watch=1`);
        await replica.send(
          'PATCH',
          path,
          [
            {
              op: 'add',
              path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b',
              value: { type: 'string', default: 'late' },
            },
          ],
          'application/json-patch+json',
        );
        expect(await first.events).toContain('"ADDED"');
        expect((await replica.send<Widget>('GET', `${widgets}/a`)).body.spec).toEqual({ a: 'x', b: 'late' });
        const second = await replica.watch(`${widgets}?watch=1`);
        await replica.send('DELETE', path);
        expect(await second.events).toContain('"DELETED"');
      },
    );
  });

  test('Other changes of a definition end no watch', async () => {
    await withDefinition(customDefinition(), async (path) => {
      const watch = await replica.watch(`${widgets}?watch=1&timeoutSeconds=1`);
      await replica.send('PATCH', path, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
      await replica.send('POST', widgets, widget('a'));
      expect(await watch.events).toContain('"ADDED"');
    });
  });

  test('A version that is not served is not there', async () => {
    await withDefinition(customDefinition({ versions: [{}, { served: false }] }), async () => {
      expect((await replica.send('GET', '/apis/example.com/v2/namespaces/default/widgets')).status).toBe(404);
      expect((await replica.send('GET', '/apis/example.com/v2')).status).toBe(404);
    });
  });

  test('Writes of one version of a custom resource are judged by its schema', async () => {
    const versions = [
      { schema: objectSchema({ a: { type: 'string' } }) },
      { schema: objectSchema({ a: { type: 'string', maxLength: 1 }, only: { type: 'integer', minimum: 5 } }) },
    ];
    await withDefinition(customDefinition({ versions }), async () => {
      const v2 = widgets.replace('v1', 'v2');
      const refused = await replica.send<{ message: string }>('POST', v2, widget('a', { a: 'xx', only: 1 }, 'v2'));
      expect(refused.body.message).toContain('spec.a: Too long');
      expect(refused.body.message).toContain('spec.only: Invalid value: 1');
      expect((await replica.send('POST', widgets, widget('a', { a: 'xx' }))).status).toBe(201);
      // What was there before may stay.
      expect(
        (await replica.send('PATCH', `${v2}/a`, { metadata: { labels: { x: 'y' } } }, 'application/merge-patch+json'))
          .status,
      ).toBe(200);
    });
  });

  test('The metadata alone can be encoded as protobuf, the object cannot', async () => {
    await withDefinition(customDefinition(), async () => {
      await replica.send('POST', widgets, widget('a'));
      const list = await replica.send<object>('GET', widgets);
      expect(list.status).toBe(200);
      expect(
        (await replica.send<{ message: string }>('PATCH', `${widgets}/a`, {}, 'application/strategic-merge-patch+json'))
          .status,
      ).toBe(415);
    });
  });
});

describe('a definition that is deleted', () => {
  test('A definition that is deleted waits for the finalizers of its objects, and lets nothing new come', async () => {
    const path = await establish(replica, customDefinition());
    await replica.send('POST', widgets, { ...widget('f'), metadata: { name: 'f', finalizers: ['example.com/f'] } });
    await replica.send('DELETE', path);
    await replica.until<Widget & { metadata: { deletionTimestamp?: string } }>(
      `${widgets}/f`,
      ({ body }) => body.metadata.deletionTimestamp !== undefined,
    );
    expect(await replica.send('POST', widgets, widget('late'))).toMatchObject({ status: 405 });
    const { body } = await replica.send<CustomResourceDefinition>('GET', path);
    expect(body.status.conditions!.at(-1)).toMatchObject({
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
    });
    await replica.send('PATCH', `${widgets}/f`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
    await replica.until(path, ({ status }) => status === 404);
  });

  test('A definition that is deleted frees its names for one that waited', async () => {
    const first = await establish(replica, customDefinition());
    await replica.send('POST', definitionsPath, customDefinition({ plural: 'others' }));
    const second = `${definitionsPath}/others.example.com`;
    await replica.until<CustomResourceDefinition>(
      second,
      ({ body }) => body.status.conditions?.[0]?.reason === 'ListKindConflict',
    );
    await replica.send('DELETE', first);
    await replica.until<CustomResourceDefinition>(
      second,
      ({ body }) => body.status.conditions?.[1]?.reason === 'InitialNamesAccepted',
    );
    await replica.send('DELETE', second);
    await replica.until(second, ({ status }) => status === 404);
  });
});

describe('other representations of custom objects', () => {
  const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const protobuf = 'application/vnd.kubernetes.protobuf';

  test('A custom resource is answered as metadata, as a table, and as JSON in place of protobuf', async () => {
    await withDefinition(
      customDefinition({
        versions: [{ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }] }],
      }),
      async () => {
        await replica.send('POST', widgets, {
          ...widget('a', { a: 'x' }),
          metadata: { name: 'a', labels: { l: 'm' } },
        });
        const get = <T>(path: string, accept: string): ReturnType<typeof replica.send<T>> =>
          replica.send<T>('GET', path, undefined, 'application/json', accept);
        expect((await get<{ kind: string; items: object[] }>(widgets, metadataOnly)).body).toMatchObject({
          kind: 'PartialObjectMetadataList',
          items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a', labels: { l: 'm' } } }],
        });
        expect(
          (await get<{ rows: { cells: unknown[] }[] }>(widgets, table)).body.rows.map(({ cells }) => cells),
        ).toEqual([['a', 'x']]);
        expect((await get<Widget>(`${widgets}/a`, `${protobuf},application/json`)).body.spec).toEqual({ a: 'x' });
        expect((await get(`${widgets}/a`, protobuf)).status).toBe(406);
        expect(
          (await get<string>(`${widgets}/a`, `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`)).body,
        ).toContain('k8s\0');
      },
    );
  });

  test('Aggregated discovery has another ETag when a definition came', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const discover = (): ReturnType<
      typeof replica.send<{ items: { metadata: { name: string }; versions: { resources: object[] }[] }[] }>
    > => replica.send('GET', '/apis', undefined, 'application/json', accept);
    const before = await discover();
    await withDefinition(customDefinition({ versions: [{ subresources: { status: {} } }] }), async () => {
      const during = await discover();
      expect(during.etag).not.toBe(before.etag);
      expect(
        during.body.items.find(({ metadata }) => metadata.name === 'example.com')!.versions[0]!.resources,
      ).toMatchObject([
        {
          resource: 'widgets',
          responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
          scope: 'Namespaced',
          subresources: [
            { subresource: 'status', responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' } },
          ],
        },
      ]);
    });
    expect((await discover()).etag).toBe(before.etag);
  });
});
