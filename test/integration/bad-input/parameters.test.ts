/** Odd query parameters, answered as a kube-apiserver answers them (compared with 1.20). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createControlPlane, type ControlPlane } from '../../../src/index.ts';
import { ApiClient } from '../../support/api-client.ts';

const configMaps = '/api/v1/namespaces/odd/configmaps';

let controlPlane: ControlPlane;
let client: ApiClient;
beforeAll(async () => {
  controlPlane = await createControlPlane({ controllers: false });
  client = new ApiClient(controlPlane.kubeconfig);
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'odd' } });
});
afterAll(async () => {
  client[Symbol.dispose]();
  await controlPlane.close();
});
const create = (name: string) => client.send('POST', configMaps, { metadata: { name, labels: { l: name } } });

describe('a list', () => {
  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
  });
  afterAll(() => client.send('DELETE', configMaps));

  test.each([
    { query: 'fieldSelector==', count: 3 },
    { query: 'fieldSelector=%3D%3D', count: 3 },
    { query: 'fieldSelector=!%3D', count: 3 },
    {
      query: 'fieldSelector=%3Dx',
      reason: '"" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
    { query: 'fieldSelector=,', count: 3 },
    { query: 'fieldSelector=metadata.name%3Da,%3D', count: 1 },
    {
      query: 'fieldSelector=metadata.name',
      reason: "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
    },
    { query: 'fieldSelector=metadata.name%3Da,metadata.name%3Db', count: 0 },
    { query: 'labelSelector=l%20in%20(,a)', count: 1 },
    { query: 'labelSelector=l%20notin%20(a)', count: 2 },
    { query: 'labelSelector=,', reason: "found ',', expected: !, identifier, or 'end of string'" },
    { query: 'labelSelector=%zz', count: 3 },
    { query: 'labelSelector=l%3Da;x=1', count: 3 },
    { query: 'continue=%%%', count: 3 },
    { query: 'limit=%zz', count: 3 },
    { query: 'limit=1.5', reason: 'strconv.ParseInt: parsing "1.5": invalid syntax' },
    { query: 'limit=1&limit=abc', count: 1 },
    { query: 'watch=FALSE', count: 3 },
  ])('A list with ?$query', async ({ query, count, reason }) => {
    const { status, object } = await client.send('GET', `${configMaps}?${query}`);
    expect(
      reason === undefined ? [status, (object['items'] as unknown[]).length] : [status, object['message']],
    ).toEqual(reason === undefined ? [200, count] : [400, reason]);
  });

  test('A list whose field selector asks for nothing says how many remain', async () => {
    const { object } = await client.send('GET', `${configMaps}?limit=1&fieldSelector==`);
    expect(object.metadata).toMatchObject({ remainingItemCount: 2 });
  });
});

describe('dryRun', () => {
  const body = { metadata: { name: 'dry' }, data: { written: 'yes' } };
  beforeEach(() => create('dry'));

  describe.each([
    {
      verb: 'create',
      kind: 'CreateOptions',
      method: 'POST',
      path: configMaps,
      sent: { metadata: { name: 'new' } },
      done: 201,
    },
    { verb: 'update', kind: 'UpdateOptions', method: 'PUT', path: `${configMaps}/dry`, sent: body, done: 200 },
    {
      verb: 'patch',
      kind: 'PatchOptions',
      method: 'PATCH',
      path: `${configMaps}/dry`,
      sent: { data: body.data },
      done: 200,
    },
    { verb: 'delete', kind: 'DeleteOptions', method: 'DELETE', path: `${configMaps}/dry`, sent: undefined, done: 200 },
    { verb: 'deletecollection', kind: 'DeleteOptions', method: 'DELETE', path: configMaps, sent: undefined, done: 200 },
  ])('of $verb', ({ kind, method, path, sent, done }) => {
    test.each([
      { query: 'dryRun', shown: undefined },
      { query: 'dryRun=', shown: undefined },
      { query: 'dryRun=All', shown: undefined },
      { query: 'dryRun=All&dryRun=All', shown: undefined },
      { query: 'dryRun=&dryRun=All', shown: '[]string{"", "All"}' },
      { query: 'dryRun=all', shown: '[]string{"all"}' },
      { query: 'dryRun=All&dryRun=None', shown: '[]string{"All", "None"}' },
    ])('dryRun of a write as ?$query', async ({ query, shown }) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const answer = await client.send(method, `${path}?${query}`, sent, { contentType });
      const expected =
        shown === undefined
          ? [done, undefined]
          : [422, `${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: ${shown}: supported values: "All"`];
      expect([
        answer.status,
        answer.object.kind === 'Status' && answer.status !== 200 ? answer.object['message'] : undefined,
      ]).toEqual(expected);
      const { object } = await client.send('GET', `${configMaps}/dry`);
      expect([object.metadata?.name, object['data']]).toEqual(['dry', undefined]);
      expect((await client.send('GET', `${configMaps}/new`)).status).toBe(404);
    });
  });

  test.each([
    { values: [], status: 200, remains: false },
    { values: ['All', 'All'], status: 200, remains: true },
    { values: [''], status: 422, remains: true },
    { values: ['All', 'x'], status: 422, remains: true },
  ])('dryRun of a delete whose body says $values', async ({ values, status, remains }) => {
    expect((await client.send('DELETE', `${configMaps}/dry`, { dryRun: values })).status).toBe(status);
    expect((await client.send('GET', `${configMaps}/dry`)).status).toBe(remains ? 200 : 404);
  });
});
