/**
 * What is asked or POSTed, answered and never stored: bindings, evictions, component statuses, reviews, and ways to
 * containers.
 */
import { describe, expect, test } from 'vitest';
import { joined } from '../support/patterns.ts';
import {
  server,
  core,
  post,
  refusal,
  name,
  pod,
  createPod,
  type Status,
  startBeforeTests,
} from '../support/servers/virtual-resources.ts';

startBeforeTests();

describe('binding', () => {
  const to = (node: string, metadata: object = {}): object => ({
    metadata: { name, ...metadata },
    target: { kind: 'Node', name: node },
  });

  test.each([
    { name: 'the subresource of a pod', path: () => `${pod}/binding` },
    { name: 'the collection of bindings', path: () => `${core}/bindings` },
  ])('Binding through $name gives the pod its node', async ({ path }) => {
    await createPod();
    const answer = await post(path(), { ...to('n1', { annotations: { a: 'b' } }), apiVersion: 'v1', kind: 'Binding' });
    expect([answer.status, answer.json()]).toEqual([
      201,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    ]);
    expect((await server.send('GET', pod)).json()).toMatchObject({
      metadata: { annotations: { a: 'b' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
  });

  test.each([
    {
      name: 'another name than that of the path',
      body: () => ({ ...to('n1'), metadata: { name: 'x' } }),
      expected: { code: 400, message: 'name in URL does not match name in Binding object' },
    },
    { name: 'no node', body: () => to(''), expected: { code: 500, message: 'target.name: Required value' } },
    {
      name: 'a target that is no node',
      body: () => ({ metadata: { name }, target: { kind: 'Pod', name: 'n1' } }),
      expected: { code: 500, message: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"' },
    },
    {
      name: 'the uid of another pod',
      body: () => to('n1', { uid: 'x' }),
      expected: {
        code: 409,
        reason: 'Conflict',
        message: expect.stringMatching(
          joined(
            /^Operation cannot be fulfilled on pods "p\d+": Precondition failed: UID in precondition: x, UID in /,
            /object meta: /,
          ),
        ) as unknown,
      },
    },
    {
      name: 'an older version',
      body: () => to('n1', { resourceVersion: '1' }),
      expected: {
        code: 409,
        reason: 'Conflict',
        message: expect.stringMatching(
          /Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: \d+$/,
        ) as unknown,
      },
    },
  ])('Binding is refused with $name', async ({ body, expected }) => {
    await createPod();
    expect(refusal(await post(`${pod}/binding`, body()))).toMatchObject(expected);
    expect((await server.send('GET', pod)).json<{ spec: object }>().spec).not.toHaveProperty('nodeName');
  });

  test('A binding is refused for a pod that has a node, and for one that is not there', async () => {
    await createPod({ nodeName: 'n1' });
    expect(refusal(await post(`${pod}/binding`, to('n2')))).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node "n1"`,
    });
    expect(
      refusal(await post(`${core}/pods/absent/binding`, { ...to('n2'), metadata: { name: 'absent' } })),
    ).toMatchObject({ code: 404, message: 'pods "absent" not found' });
  });

  test('A binding as a dry run binds nothing', async () => {
    await createPod();
    expect((await post(`${pod}/binding?dryRun=All`, to('n1'))).status).toBe(201);
    expect((await server.send('GET', pod)).json<{ spec: object }>().spec).not.toHaveProperty('nodeName');
  });
});

describe('component statuses', () => {
  const store = { metadata: { name: 'store' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };
  test('Component statuses tell of the store', async () => {
    expect((await server.send('GET', '/api/v1/componentstatuses')).json()).toMatchObject({
      kind: 'ComponentStatusList',
      apiVersion: 'v1',
      items: [store],
    });
    const one = await server.send('GET', '/api/v1/componentstatuses/store');
    expect(one.json()).toMatchObject({ kind: 'ComponentStatus', apiVersion: 'v1', ...store });
    expect(one.headers['warning']).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
  });
  test.each(['/api/v1/componentstatuses', '/api/v1/componentstatuses/store'])(
    'Component statuses are a table to people: %s',
    async (path) => {
      const { status, text } = await server.send('GET', path, {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
      });
      const table = JSON.parse(text) as { kind: string; columnDefinitions: { name: string }[]; rows: object[] };
      expect([status, table.kind, table.columnDefinitions.map(({ name }) => name)]).toEqual([
        200,
        'Table',
        ['Name', 'Status', 'Message', 'Error'],
      ]);
      expect(table.rows).toEqual([
        {
          cells: ['store', 'Healthy', 'ok', ''],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { name: 'store', creationTimestamp: null },
          },
        },
      ]);
    },
  );
  test('Component statuses know no other part', async () => {
    expect(refusal(await server.send('GET', '/api/v1/componentstatuses/x'))).toMatchObject({
      code: 500,
      message: 'Component not found: x',
    });
  });
});

describe('ways to containers', () => {
  test.each([
    { name: 'the log of a pod without a node', path: 'log', spec: {}, expected: { code: 204, text: '' } },
    {
      name: 'the log of a container that is not there',
      path: 'log?container=x',
      spec: {},
      expected: { code: 400, text: 'container x is not valid for pod NAME' },
    },
    {
      name: 'the log of one of two containers',
      path: 'log',
      spec: {
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
        initContainers: [{ name: 'i', image: 'i' }],
      },
      expected: {
        code: 400,
        text:
          'a container name must be specified for pod NAME, choose one of: [a b] or one of the init ' +
          'containers: [i]',
      },
    },
    {
      name: 'a command in a pod without a node',
      path: 'exec?command=ls',
      spec: {},
      expected: { code: 400, text: 'pod NAME does not have a host assigned' },
    },
    {
      name: 'a port of a pod without a node',
      path: 'portforward',
      spec: {},
      expected: { code: 400, text: 'pod NAME does not have a host assigned' },
    },
    {
      name: 'a page of a pod without an address',
      path: 'proxy/',
      spec: {},
      expected: { code: 400, text: 'address not allowed' },
    },
    {
      name: 'the log of a pod whose node is not there',
      path: 'log',
      spec: { nodeName: 'gone' },
      expected: { code: 404, text: 'pods "gone" not found' },
    },
  ])('Log, exec, attach and port-forward of pods: $name', async ({ path, spec, expected }) => {
    await createPod(spec);
    const answer = await server.send('GET', `${pod}/${path}`);
    expect({ code: answer.status, text: answer.text === '' ? '' : answer.json<Status>().message }).toEqual({
      code: expected.code,
      text: expected.text.replace('NAME', name),
    });
  });

  test('There is no way to a service without endpoints, nor to one that is not there', async () => {
    await post(`${core}/services`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    expect(refusal(await server.send('GET', `${core}/services/s:80/proxy/`))).toMatchObject({
      code: 503,
      message: 'no endpoints available for service "s:80"',
    });
    expect(refusal(await server.send('GET', `${core}/services/http:absent:80/proxy/`))).toMatchObject({
      code: 404,
      message: 'services "absent" not found',
    });
  });
});
