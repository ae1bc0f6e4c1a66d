/** The verbs on config maps, over a real store: what is answered, and what is stored then. */
import { describe, expect, test } from 'vitest';
import { type Answer, type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const collection = '/api/v1/namespaces/x/configmaps';
const item = `${collection}/a`;
const configMap = (more: Json = {}, metadata: Json = {}): Json => ({ metadata: { name: 'a', ...metadata }, ...more });

async function serverWith(...objects: Json[]): Promise<EndpointsServer> {
  const server = await startEndpoints();
  for (const object of objects) await server.done('POST', collection, object);
  return server;
}

interface Row {
  readonly name: string;
  readonly before?: readonly Json[];
  readonly request: readonly [method: string, target: string, body?: unknown, contentType?: string];
  readonly answer: Partial<Answer>;
  /** What is stored after it; null for nothing. */
  readonly after?: Json | null;
}

async function check({ before = [], request, answer, after }: Row): Promise<void> {
  const server = await serverWith(...before);
  expect(await server.send(...request)).toMatchObject(answer);
  if (after === undefined) return;
  const { status, body } = await server.send('GET', item);
  expect(status === 404 ? null : body).toEqual(after === null ? null : expect.objectContaining(after));
}

const created = configMap({ data: { k: 'v' } });
const stored = { data: { k: 'v' } };

describe('create', () => {
  test.each<Row>([
    {
      name: 'answers 201 with what is stored',
      request: ['POST', collection, created],
      answer: { status: 201, warnings: [] },
      after: stored,
    },
    {
      name: 'makes a name',
      request: ['POST', collection, { metadata: { generateName: 'a-' } }],
      answer: { status: 201, body: { metadata: { name: expect.stringMatching(/^a-[a-z0-9]{5}$/) as string } } },
    },
    {
      name: 'keeps nothing of a dry run',
      request: ['POST', `${collection}?dryRun=All`, created],
      answer: { status: 201 },
      after: null,
    },
    {
      name: 'warns of an unknown field, which is dropped',
      request: ['POST', collection, { ...created, no: 1 }],
      answer: { status: 201, warnings: ['unknown field "no"'] },
      after: stored,
    },
    {
      name: 'refuses an unknown field when asked to',
      request: ['POST', `${collection}?fieldValidation=Strict`, { ...created, no: 1 }],
      answer: { status: 400, reason: 'BadRequest' },
      after: null,
    },
    {
      name: 'refuses a name that is taken',
      before: [created],
      request: ['POST', collection, configMap()],
      answer: { status: 409, reason: 'AlreadyExists', message: 'configmaps "a" already exists' },
      after: stored,
    },
    {
      name: 'refuses another namespace than that of the path',
      request: ['POST', collection, configMap({}, { namespace: 'y' })],
      answer: {
        status: 400,
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      },
    },
    {
      name: 'refuses an invalid object with every error',
      request: ['POST', collection, { metadata: { name: 'A' }, data: { '': '' } }],
      answer: { status: 422, reason: 'Invalid' },
    },
  ])('The create verb: $name', check);
});

describe('get', () => {
  test.each<Row>([
    { name: 'answers the object', before: [created], request: ['GET', item], answer: { status: 200, body: stored } },
    {
      name: 'answers 404 for an object that is not there',
      request: ['GET', item],
      answer: { status: 404, reason: 'NotFound', message: 'configmaps "a" not found' },
    },
    {
      name: 'refuses a version that is no number',
      before: [created],
      request: ['GET', `${item}?resourceVersion=x`],
      answer: { message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax' },
    },
  ])('The get verb: $name', check);
});

describe('list', () => {
  const named = (name: string, labels: Json = {}): Json => ({ metadata: { name, labels } });
  const three = [named('a', { app: 'web' }), named('b'), named('c', { app: 'web' })];
  const names = ({ items }: Json): unknown[] => (items as { metadata: Json }[]).map(({ metadata }) => metadata['name']);

  test.each([
    { name: 'answers all', query: '', found: ['a', 'b', 'c'] },
    { name: 'selects by label', query: '?labelSelector=app%3Dweb', found: ['a', 'c'] },
    { name: 'selects by field', query: '?fieldSelector=metadata.name%3Db', found: ['b'] },
    { name: 'answers none where none fits', query: '?labelSelector=none', found: [] },
  ])('The list verb: $name', async ({ query, found }) => {
    const body = await (await serverWith(...three)).done('GET', collection + query);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(names(body)).toEqual(found);
  });

  test('The list verb answers in pages, each of the same version, and says how many are left', async () => {
    const server = await serverWith(...three);
    const first = await server.done('GET', `${collection}?limit=2`);
    const { continue: token, remainingItemCount, resourceVersion } = first['metadata'] as Record<string, string>;
    await server.done('POST', collection, named('bb'));
    const second = await server.done('GET', `${collection}?limit=2&continue=${token}`);
    expect([names(first), remainingItemCount, names(second)]).toEqual([['a', 'b'], 1, ['c']]);
    expect(second['metadata']).toMatchObject({ resourceVersion });
  });
});

describe('update', () => {
  test.each<Row>([
    {
      name: 'answers 200 with what is stored',
      before: [created],
      request: ['PUT', item, configMap({ data: { k: 'w' } })],
      answer: { status: 200, body: { data: { k: 'w' } } },
      after: { data: { k: 'w' } },
    },
    {
      name: 'keeps nothing of a dry run',
      before: [created],
      request: ['PUT', `${item}?dryRun=All`, configMap({ data: { k: 'w' } })],
      answer: { status: 200, body: { data: { k: 'w' } } },
      after: stored,
    },
    {
      name: 'answers 404 for an object that is not there',
      request: ['PUT', item, configMap()],
      answer: { status: 404, reason: 'NotFound' },
      after: null,
    },
    {
      name: 'refuses an old version',
      before: [created],
      request: ['PUT', item, configMap({}, { resourceVersion: '1' })],
      answer: {
        status: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes ' +
          'to the latest version and try again',
      },
      after: stored,
    },
    {
      name: 'refuses another name than that of the path',
      before: [created],
      request: ['PUT', item, configMap({}, { name: 'b' })],
      answer: {
        status: 400,
        message: 'the name of the object (b) does not match the name on the URL (a)',
      },
      after: stored,
    },
    {
      name: 'refuses a change of what cannot change',
      before: [configMap({ immutable: true })],
      request: ['PUT', item, configMap({ data: { k: 'v' }, immutable: true })],
      answer: { status: 422, reason: 'Invalid' },
    },
  ])('The update verb: $name', check);
});

describe('patch', () => {
  const merge = 'application/merge-patch+json';
  const json = 'application/json-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const apply = 'application/apply-patch+yaml';

  test.each<Row>([
    {
      name: 'merges',
      before: [created],
      request: ['PATCH', item, { data: { k: null, l: 'w' } }, merge],
      answer: { status: 200 },
      after: { data: { l: 'w' } },
    },
    {
      name: 'merges strategically',
      before: [created],
      request: ['PATCH', item, { data: { l: 'w' } }, strategic],
      answer: { status: 200 },
      after: { data: { k: 'v', l: 'w' } },
    },
    {
      name: 'follows operations',
      before: [created],
      request: ['PATCH', item, [{ op: 'replace', path: '/data/k', value: 'w' }], json],
      answer: { status: 200 },
      after: { data: { k: 'w' } },
    },
    {
      name: 'refuses an operation that fails, and writes none of the others',
      before: [created],
      request: [
        'PATCH',
        item,
        [
          { op: 'remove', path: '/data/k' },
          { op: 'test', path: '/data/k', value: 'x' },
        ],
        json,
      ],
      answer: { status: 422 },
      after: stored,
    },
    {
      name: 'applies to what is not there yet',
      request: ['PATCH', `${item}?fieldManager=me`, { apiVersion: 'v1', kind: 'ConfigMap', ...created }, apply],
      answer: { status: 201 },
      after: stored,
    },
    {
      name: 'refuses to apply without a field manager',
      request: ['PATCH', item, { apiVersion: 'v1', kind: 'ConfigMap', ...created }, apply],
      answer: { status: 422 },
      after: null,
    },
    {
      name: 'refuses to apply over fields of others',
      before: [created],
      request: [
        'PATCH',
        `${item}?fieldManager=me`,
        { apiVersion: 'v1', kind: 'ConfigMap', ...configMap({ data: { k: 'w' } }) },
        apply,
      ],
      answer: { status: 409, reason: 'Conflict' },
      after: stored,
    },
    {
      name: 'answers 404 for an object that is not there',
      request: ['PATCH', item, {}, merge],
      answer: { status: 404, reason: 'NotFound' },
    },
    {
      name: 'refuses an unknown kind of patch',
      before: [created],
      request: ['PATCH', item, {}, 'application/json'],
      answer: { status: 415, reason: 'UnsupportedMediaType' },
      after: stored,
    },
  ])('The patch verb: $name', check);
});

describe('delete', () => {
  const held = configMap({}, { finalizers: ['example.com/hold'] });

  test.each<Row>([
    {
      name: 'answers a Status when the object is gone',
      before: [created],
      request: ['DELETE', item],
      answer: { status: 200, body: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } } },
      after: null,
    },
    {
      name: 'answers the object while it has finalizers',
      before: [held],
      request: ['DELETE', item],
      answer: { status: 200, body: { metadata: { deletionTimestamp: expect.any(String) as string } } },
      after: {},
    },
    {
      name: 'keeps the object in a dry run',
      before: [created],
      request: ['DELETE', `${item}?dryRun=All`],
      answer: { status: 200 },
      after: stored,
    },
    {
      name: 'leaves an object of another uid',
      before: [created],
      request: ['DELETE', item, { preconditions: { uid: 'other' } }],
      answer: { status: 409, reason: 'Conflict' },
      after: stored,
    },
    {
      name: 'answers 404 for an object that is not there',
      request: ['DELETE', item],
      answer: { status: 404, reason: 'NotFound' },
    },
  ])('The delete verb: $name', check);

  test('The deletion of a collection takes what is selected, and answers what it took', async () => {
    const server = await serverWith(configMap({}, { labels: { app: 'web' } }), { metadata: { name: 'b' } });
    const taken = await server.done('DELETE', `${collection}?labelSelector=app%3Dweb`);
    const left = await server.done('GET', collection);
    const names = (list: Json): unknown[] =>
      (list['items'] as { metadata: Json }[]).map(({ metadata }) => metadata['name']);
    expect([names(taken), names(left)]).toEqual([['a'], ['b']]);
  });
});
