/**
 * What is asked or POSTed, answered and never stored: bindings, evictions, component statuses, reviews, and ways to
 * containers.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type Answer, type TestServer } from '../support/test-server.ts';
import { joined } from '../support/patterns.ts';

interface Status {
  readonly message: string;
  readonly reason?: string;
  readonly details?: object;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    flags: ['--disable-admission-plugins=ServiceAccount', '--authorization-mode=RBAC'],
    settled: true,
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const core = '/api/v1/namespaces/default';
const post = (path: string, body: object, user: 'admin' | 'alice' = 'admin'): Promise<Answer> =>
  server.send('POST', path, { body, user });
const patchStatus = (path: string, status: object): Promise<Answer> =>
  server.send('PATCH', `${path}/status`, {
    body: { status },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
const refusal = (answer: Answer): object => {
  const { message, reason, details } = answer.json<Status>();
  return {
    code: answer.status,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  };
};

let count = 0;
let name = '';
let pod = '';
beforeEach(() => {
  name = `p${++count}`;
  pod = `${core}/pods/${name}`;
});
const createPod = async (
  spec: object = {},
  labels: object = {},
): Promise<{ metadata: { uid: string; resourceVersion: string } }> =>
  (
    await post(`${core}/pods`, {
      metadata: { name, labels },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    })
  ).json();

describe('binding', () => {
  const to = (node: string, metadata: object = {}): object => ({
    metadata: { name, ...metadata },
    target: { kind: 'Node', name: node },
  });

  test.each([
    { name: 'the subresource of a pod', path: () => `${pod}/binding` },
    { name: 'the collection of bindings', path: () => `${core}/bindings` },
  ])('through $name gives the pod its node', async ({ path }) => {
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
  ])('is refused with $name', async ({ body, expected }) => {
    await createPod();
    expect(refusal(await post(`${pod}/binding`, body()))).toMatchObject(expected);
    expect((await server.send('GET', pod)).json<{ spec: object }>().spec).not.toHaveProperty('nodeName');
  });

  test('is refused for a pod that has a node, and for one that is not there', async () => {
    await createPod({ nodeName: 'n1' });
    expect(refusal(await post(`${pod}/binding`, to('n2')))).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node "n1"`,
    });
    expect(
      refusal(await post(`${core}/pods/absent/binding`, { ...to('n2'), metadata: { name: 'absent' } })),
    ).toMatchObject({ code: 404, message: 'pods "absent" not found' });
  });

  test('as a dry run binds nothing', async () => {
    await createPod();
    expect((await post(`${pod}/binding?dryRun=All`, to('n1'))).status).toBe(201);
    expect((await server.send('GET', pod)).json<{ spec: object }>().spec).not.toHaveProperty('nodeName');
  });
});

describe('eviction', () => {
  const evict = (more: object = {}): Promise<Answer> =>
    post(`${pod}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more });
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const runningPod = async (ready: boolean): Promise<void> => {
    await createPod({ nodeName: 'n1', terminationGracePeriodSeconds: 0 }, { app: name });
    await patchStatus(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] });
  };
  const createBudget = async (status: object, spec: object = {}, budget = name): Promise<void> => {
    await post(budgets, {
      metadata: { name: budget },
      spec: { minAvailable: 1, selector: { matchLabels: { app: name } }, ...spec },
    });
    await patchStatus(`${budgets}/${budget}`, {
      observedGeneration: 1,
      expectedPods: 1,
      currentHealthy: 1,
      desiredHealthy: 1,
      disruptionsAllowed: 0,
      ...status,
    });
  };
  const isThere = async (): Promise<boolean> => (await server.send('GET', pod)).status === 200;

  test('without a budget removes the pod', async () => {
    await runningPod(true);
    expect(await evict()).toMatchObject({ status: 201 });
    expect(await isThere()).toBe(false);
  });

  test('takes from the budget, which says when it is used up', async () => {
    await runningPod(true);
    await createBudget({ disruptionsAllowed: 1 });
    expect((await evict()).status).toBe(201);
    expect(await isThere()).toBe(false);
    expect((await server.send('GET', `${budgets}/${name}`)).json()).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        disruptedPods: { [name]: expect.any(String) as string },
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
      },
    });
  });

  const violation =
    (message: () => string): (() => object) =>
    () => ({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message: message() }] },
    });
  test.each([
    {
      name: 'the budget is used up',
      ready: true,
      status: {},
      spec: {},
      expected: violation(() => `The disruption budget ${name} needs 1 healthy pods and has 1 currently`),
    },
    {
      name: 'the budget was not looked at yet',
      ready: true,
      status: { observedGeneration: 0, disruptionsAllowed: 1 },
      spec: {},
      expected: violation(() => `The disruption budget ${name} is still being processed by the server.`),
    },
    {
      name: 'the pod is not ready and too few others are',
      ready: false,
      status: { currentHealthy: 0 },
      spec: {},
      expected: violation(() => `The disruption budget ${name} needs 1 healthy pods and has 0 currently`),
    },
  ])('is refused while $name', async ({ ready, status, spec, expected }) => {
    await runningPod(ready);
    await createBudget(status, spec);
    expect(refusal(await evict())).toMatchObject(expected());
    expect(await isThere()).toBe(true);
  });

  test.each([
    { name: 'a pod that is not ready while enough others are', status: {}, spec: {} },
    {
      name: 'a pod that is not ready, where its budget always allows that',
      status: { currentHealthy: 0 },
      spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    },
  ])('removes $name, at no cost', async ({ status, spec }) => {
    await runningPod(false);
    await createBudget(status, spec);
    expect((await evict()).status).toBe(201);
    expect(await isThere()).toBe(false);
    expect((await server.send('GET', `${budgets}/${name}`)).json<{ status: object }>().status).not.toHaveProperty(
      'disruptedPods',
    );
  });

  test('is refused for a pod with two budgets', async () => {
    await runningPod(true);
    await createBudget({ disruptionsAllowed: 1 });
    await createBudget({ disruptionsAllowed: 1 }, {}, `${name}-b`);
    expect(refusal(await evict())).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  test('as a dry run, in the query or the body, changes nothing', async () => {
    await runningPod(true);
    await createBudget({ disruptionsAllowed: 1 });
    expect((await post(`${pod}/eviction?dryRun=All`, { metadata: { name } })).status).toBe(201);
    expect((await evict({ deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect(await isThere()).toBe(true);
    expect((await server.send('GET', `${budgets}/${name}`)).json()).toMatchObject({
      status: { disruptionsAllowed: 1 },
    });
  });

  test('says why the pod goes', async () => {
    await runningPod(true);
    await server.send('PATCH', pod, {
      body: { metadata: { finalizers: ['example.com/stay'] } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await evict();
    const { metadata, status } = (await server.send('GET', pod)).json<{
      metadata: object;
      status: { conditions: object[] };
    }>();
    expect(metadata).toHaveProperty('deletionTimestamp');
    expect(status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      }),
    );
  });

  test.each([
    {
      name: 'another name than that of the path',
      more: { metadata: { name: 'x' } },
      expected: { code: 400, message: 'name in URL does not match name in Eviction object' },
    },
    {
      name: 'the uid of another pod',
      more: { deleteOptions: { preconditions: { uid: 'x' } } },
      expected: { code: 409, reason: 'Conflict' },
    },
  ])('is refused with $name', async ({ more, expected }) => {
    await runningPod(true);
    expect(refusal(await evict(more))).toMatchObject(expected);
    expect(await isThere()).toBe(true);
  });
});

describe('component statuses', () => {
  const store = { metadata: { name: 'store' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };
  test('tell of the store', async () => {
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
    'are a table to people: %s',
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
  test('know no other part', async () => {
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
      expected: { code: 404, text: 'nodes "gone" not found' },
    },
  ])('$name', async ({ path, spec, expected }) => {
    await createPod(spec);
    const answer = await server.send('GET', `${pod}/${path}`);
    expect({ code: answer.status, text: answer.text === '' ? '' : answer.json<Status>().message }).toEqual({
      code: expected.code,
      text: expected.text.replace('NAME', name),
    });
  });

  test('to a service without endpoints, and to one that is not there', async () => {
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

describe('reviews of access', () => {
  const reviews = '/apis/authorization.k8s.io/v1';
  const local = `${reviews}/namespaces/default/localsubjectaccessreviews`;
  const pods = { verb: 'get', resource: 'pods', namespace: 'default' };

  test.each([
    {
      name: 'an administrator may',
      spec: { user: 'admin', groups: ['system:masters'], resourceAttributes: pods },
      allowed: true,
    },
    { name: 'a stranger may not', spec: { user: 'alice', resourceAttributes: pods }, allowed: false },
    {
      name: 'a public path',
      spec: { groups: ['system:authenticated'], nonResourceAttributes: { path: '/api', verb: 'get' } },
      allowed: true,
    },
  ])('of a subject: $name', async ({ spec, allowed }) => {
    const answer = await post(`${reviews}/subjectaccessreviews`, { spec });
    expect([answer.status, answer.json<{ status: { allowed?: boolean } }>().status.allowed ?? false]).toEqual([
      201,
      allowed,
    ]);
  });

  test.each([
    {
      name: 'no subject',
      path: `${reviews}/subjectaccessreviews`,
      body: { spec: { resourceAttributes: pods } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or ' +
        'group must be specified',
    },
    {
      name: 'no question',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: {} },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: "null": exactly one of ' +
        'nonResourceAttributes or resourceAttributes must be specified',
    },
    {
      name: 'two questions',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: { resourceAttributes: pods, nonResourceAttributes: { path: '/', verb: 'get' } } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: ' +
        'authorization.NonResourceAttributes{Path:"/", Verb:"get"}: cannot be specified in combination with ' +
        'resourceAttributes',
    },
    {
      name: 'an empty selector',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: { spec: { resourceAttributes: { ...pods, labelSelector: {} } } },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.labelSelector.requirements: Required ' +
        'value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is ' +
        'required',
    },
    {
      name: 'a selector as text and as requirements',
      path: `${reviews}/selfsubjectaccessreviews`,
      body: {
        spec: {
          resourceAttributes: {
            ...pods,
            fieldSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] },
          },
        },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.fieldSelector.rawSelector: Invalid ' +
        'value: "a=b": may not specified at the same time as requirements',
    },
    {
      name: 'a question about another namespace',
      path: local,
      body: {
        metadata: { namespace: 'default' },
        spec: { user: 'a', resourceAttributes: { ...pods, namespace: 'other' } },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": must ' +
        'match metadata.namespace',
    },
    {
      name: 'a question about a path in a namespace',
      path: local,
      body: {
        metadata: { namespace: 'default' },
        spec: { user: 'a', nonResourceAttributes: { path: '/', verb: 'get' } },
      },
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: ' +
        'authorization.NonResourceAttributes{Path:"/", Verb:"get"}: disallowed on this kind of request',
    },
    {
      name: 'rules of no namespace',
      path: `${reviews}/selfsubjectrulesreviews`,
      body: { spec: {} },
      code: 400,
      message: 'no namespace on request',
    },
  ])('are refused with $name', async ({ path, body, code, message }) => {
    expect(refusal(await post(path, body))).toMatchObject({ code, message });
  });

  test('say which selector narrowed nothing down', async () => {
    const answer = await post(`${reviews}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { ...pods, fieldSelector: { rawSelector: '!!' } } },
    });
    expect(answer.json()).toMatchObject({
      status: { allowed: true, evaluationError: 'spec.resourceAttributes.fieldSelector ignored due to parse error' },
    });
  });
});

test('a SelfSubjectReview returns the user of the request', async () => {
  expect((await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 'alice')).json()).toMatchObject({
    kind: 'SelfSubjectReview',
    status: { userInfo: { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] } },
  });
});
