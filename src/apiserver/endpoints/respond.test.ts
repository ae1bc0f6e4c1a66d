import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { memoryExchange } from '../../../test/support/memory-exchange.ts';
import type { Sink } from '../../server/exchange.ts';
import { type EndpointsServer, startEndpoints } from './testing/endpoints-server.ts';

const collection = '/api/v1/namespaces/x/configmaps';
const path = `${collection}/a`;
const as = (kind: string, type = 'application/json'): string => `${type};as=${kind};v=v1;g=meta.k8s.io`;
const protobuf = 'application/vnd.kubernetes.protobuf';

let server: EndpointsServer;
beforeEach(async () => {
  server = await startEndpoints();
  await server.done('POST', collection, { metadata: { name: 'a', labels: { app: 'web' } }, data: { k: 'v' } });
});

const get = (target: string, accept: string) => server.send('GET', target, undefined, undefined, accept);

describe('the representation of an object', () => {
  test.each([
    {
      name: 'a line of JSON',
      accept: 'application/json',
      begins: '{"kind":"ConfigMap","apiVersion":"v1",',
      ends: '}\n',
    },
    {
      name: 'YAML',
      accept: 'application/yaml',
      begins: 'apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\n',
      ends: '\n',
    },
    { name: 'protobuf with an envelope', accept: protobuf, begins: 'k8s\0', ends: '' },
    {
      name: 'its metadata as JSON',
      accept: as('PartialObjectMetadata'),
      begins: '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a",',
      ends: '}\n',
    },
    { name: 'its metadata as protobuf', accept: as('PartialObjectMetadata', protobuf), begins: 'k8s\0', ends: '' },
    {
      name: 'a table of one row',
      accept: as('Table'),
      begins: '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":',
      ends: '}\n',
    },
    {
      name: 'a table for a client that would also take JSON',
      accept: `${as('Table')}, application/json`,
      begins: '{"kind":"Table",',
      ends: '}\n',
    },
  ])('An object is answered as $name', async ({ accept, begins, ends }) => {
    const { status, text } = await get(path, accept);
    expect([status, text.slice(0, begins.length), text.slice(text.length - ends.length)]).toEqual([200, begins, ends]);
  });

  test('An object is indented for a client that asks for it', async () => {
    const { bytes } = await read(`${path}?pretty=true`, 'application/json', '');
    expect(bytes.toString()).toMatch(/^\{\n {2}"kind": "ConfigMap",\n {2}"apiVersion": "v1",\n/);
  });

  test.each([
    { name: 'a list of metadata', target: path, accept: as('PartialObjectMetadataList'), is: 'is not a list' },
    { name: 'metadata of one object', target: collection, accept: as('PartialObjectMetadata'), is: 'is a list' },
  ])('A request for $name of what it is not is answered 406', async ({ target, accept, is }) =>
    expect(await get(target, accept)).toMatchObject({
      status: 406,
      reason: 'NotAcceptable',
      message: expect.stringContaining(`but the requested object ${is} (*core.ConfigMap`) as string,
    }),
  );

  test.each([path, collection])('A representation that nothing has is answered 406 for %s', async (target) =>
    expect(await get(target, 'image/png')).toMatchObject({ status: 406, reason: 'NotAcceptable' }),
  );
});

describe('the representation of a list', () => {
  test.each([
    { name: 'JSON', accept: 'application/json', kind: 'ConfigMapList', count: ({ items }: Lists) => items?.length },
    {
      name: 'its metadata',
      accept: as('PartialObjectMetadataList'),
      kind: 'PartialObjectMetadataList',
      count: ({ items }: Lists) => items?.length,
    },
    { name: 'a table', accept: as('Table'), kind: 'Table', count: ({ rows }: Lists) => rows?.length },
  ])('A list is answered as $name', async ({ accept, kind, count }) => {
    await server.done('POST', collection, { metadata: { name: 'b' } });
    const { body } = await get(collection, accept);
    expect([body['kind'], count(body as Lists)]).toEqual([kind, 2]);
  });

  test.each(['application/json', as('Table'), as('PartialObjectMetadataList')])(
    'A page of a list says how many objects remain, and how to go on: %s',
    async (accept) => {
      for (const name of ['b', 'c']) await server.done('POST', collection, { metadata: { name } });
      const { body } = await get(`${collection}?limit=1`, accept);
      expect(body['metadata']).toMatchObject({ remainingItemCount: 2, continue: expect.any(String) as string });
    },
  );

  test.each([
    { name: 'YAML', accept: 'application/yaml', pattern: /^apiVersion: v1\nitems:\n- data:\n {4}k: v\n/ },
    { name: 'protobuf', accept: protobuf, pattern: /^k8s\0/ },
    { name: 'metadata as protobuf', accept: as('PartialObjectMetadataList', protobuf), pattern: /^k8s\0/ },
  ])('A list is answered as $name', async ({ accept, pattern }) =>
    expect((await get(collection, accept)).text).toMatch(pattern),
  );
});

describe('the compression of answers', () => {
  test.each([
    { name: 'a large object', target: path, accept: 'application/json' },
    { name: 'a large list', target: collection, accept: 'application/json' },
    { name: 'a large list of protobuf', target: collection, accept: protobuf },
    { name: 'a large list as YAML', target: collection, accept: 'application/yaml' },
  ])('$name is compressed for a client that takes gzip, and says the same', async ({ target, accept }) => {
    await server.done('PUT', path, { metadata: { name: 'a' }, data: { k: 'v'.repeat(200_000) } });
    const [plain, compressed] = await Promise.all([read(target, accept, ''), read(target, accept, 'gzip')]);
    expect([plain.headers['content-encoding'], compressed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 10);
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
  });

  test('A small object is not compressed', async () =>
    expect((await read(path, 'application/json', 'gzip')).headers['content-encoding']).toBeUndefined());
});

interface Lists {
  readonly items?: readonly unknown[];
  readonly rows?: readonly unknown[];
}

async function read(target: string, accept: string, coding: string) {
  const headers = [['accept', accept] as const, ['accept-encoding', coding] as const];
  const answer = await server.handle(memoryExchange({ method: 'GET', target, headers }));
  const chunks: Buffer[] = [];
  const sink = {
    write: (chunk: Buffer) => chunks.push(chunk) > 0,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: () => undefined,
    abort: () => undefined,
  } as Sink;
  if ('stream' in answer) await answer.stream(sink);
  else if ('chunks' in answer) chunks.push(...answer.chunks);
  else chunks.push(Buffer.from(answer.body ?? ''));
  return { headers: answer.headers ?? {}, bytes: Buffer.concat(chunks) };
}
