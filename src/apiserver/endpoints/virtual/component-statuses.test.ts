/** ComponentStatus: the health of the store, as an object, a list and a table. */
import { describe, expect, test } from 'vitest';
import { type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const path = '/api/v1/componentstatuses';
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const start = (currentRevision: () => Promise<number> = () => Promise.resolve(1)): Promise<EndpointsServer> =>
  startEndpoints([], { store: { currentRevision } });

const states = [
  {
    name: 'is healthy when it answers',
    currentRevision: () => Promise.resolve(1),
    condition: { type: 'Healthy', status: 'True', message: 'ok' },
    cells: ['store', 'Healthy', 'ok', ''],
  },
  {
    name: 'is unhealthy when it fails, with the reason',
    currentRevision: () => Promise.reject(new Error('no leader')),
    condition: { type: 'Healthy', status: 'False', error: 'no leader' },
    cells: ['store', 'Unhealthy', '', 'no leader'],
  },
  {
    name: 'is unhealthy when what it fails with is no error',
    currentRevision: () => Promise.reject('no leader' as never),
    condition: { type: 'Healthy', status: 'False', error: 'no leader' },
    cells: ['store', 'Unhealthy', '', 'no leader'],
  },
];

describe('the store', () => {
  test.each(states)('The store: $name', async ({ currentRevision, condition }) => {
    const server = await start(currentRevision);
    const status = { metadata: { name: 'store' }, conditions: [condition] };
    expect(await server.done('GET', `${path}/store`)).toEqual({
      kind: 'ComponentStatus',
      apiVersion: 'v1',
      ...status,
      metadata: { name: 'store', creationTimestamp: null },
    });
    expect(await server.done('GET', path)).toMatchObject({
      kind: 'ComponentStatusList',
      apiVersion: 'v1',
      items: [status],
    });
  });

  test.each(states)('The store: $name, in the cells of a table', async ({ currentRevision, cells }) => {
    const server = await start(currentRevision);
    for (const target of [path, `${path}/store`]) {
      const { body } = await server.send('GET', target, undefined, undefined, asTable);
      expect([body['kind'], (body['rows'] as Json[]).map((row) => row['cells'])]).toEqual(['Table', [cells]]);
    }
  });

  test('The store is asked anew for each request, and once', async () => {
    let asked = 0;
    const server = await start(() => Promise.resolve(++asked));
    await server.done('GET', path);
    await server.done('GET', `${path}/store`);
    expect(asked).toBe(2);
  });
});

describe('the object of a row', () => {
  const metadata = { name: 'store', creationTimestamp: null };
  test.each([
    {
      name: 'has the metadata alone',
      query: '',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    },
    {
      name: 'is whole where that is asked for',
      query: '?includeObject=Object',
      object: { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'store' } },
    },
    { name: 'is absent where none is asked for', query: '?includeObject=None', object: null },
  ])('The object of a row: $name', async ({ query, object }) => {
    const server = await start();
    const { body } = await server.send('GET', `${path}${query}`, undefined, undefined, asTable);
    const [row] = body['rows'] as { object: unknown }[];
    if (object === null) expect(row!.object).toBeNull();
    else expect(row!.object).toMatchObject(object);
  });
});

describe('a request is refused', () => {
  test.each([
    {
      name: 'for a part that the server does not know',
      target: `${path}/scheduler`,
      code: 500,
      message: 'Component not found: scheduler',
    },
    {
      name: 'for a part that is called like a property of objects',
      target: `${path}/constructor`,
      code: 500,
      message: 'Component not found: constructor',
    },
  ])('A request is refused: $name', async ({ target, code, message }) => {
    expect(await (await start()).send('GET', target)).toMatchObject({ status: code, message });
  });

  test.each([
    { name: 'of one part', target: `${path}/store`, as: 'PartialObjectMetadata' },
    { name: 'of all', target: path, as: 'PartialObjectMetadataList' },
  ])('A request is refused for the metadata $name without a table, since nothing is stored', async ({ target, as }) => {
    const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
    expect(await (await start()).send('GET', target, undefined, undefined, accept)).toMatchObject({ status: 406 });
  });

  test('A request is refused where the server cannot tell which part is meant, without asking any', async () => {
    let asked = 0;
    const server = await start(() => Promise.resolve(++asked));
    await server.send('GET', `${path}/scheduler`);
    expect(asked).toBe(0);
  });
});
