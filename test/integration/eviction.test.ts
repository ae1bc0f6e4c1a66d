import { describe, expect, test } from 'vitest';
import { type Answer } from '../support/test-server.ts';
import { server, post, refusal, name, pod, createPod, startBeforeTests } from '../support/servers/virtual-resources.ts';

startBeforeTests();

const patchStatus = (path: string, status: object): Promise<Answer> =>
  server.send('PATCH', `${path}/status`, {
    body: { status },
    headers: { 'content-type': 'application/merge-patch+json' },
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

  test('An eviction without a budget removes the pod', async () => {
    await runningPod(true);
    expect(await evict()).toMatchObject({ status: 201 });
    expect(await isThere()).toBe(false);
  });

  test('An eviction takes from the budget, which says when it is used up', async () => {
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
  ])('Eviction is refused while $name', async ({ ready, status, spec, expected }) => {
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
  ])('Eviction removes $name, at no cost', async ({ status, spec }) => {
    await runningPod(false);
    await createBudget(status, spec);
    expect((await evict()).status).toBe(201);
    expect(await isThere()).toBe(false);
    expect((await server.send('GET', `${budgets}/${name}`)).json<{ status: object }>().status).not.toHaveProperty(
      'disruptedPods',
    );
  });

  test('An eviction is refused for a pod with two budgets', async () => {
    await runningPod(true);
    await createBudget({ disruptionsAllowed: 1 });
    await createBudget({ disruptionsAllowed: 1 }, {}, `${name}-b`);
    expect(refusal(await evict())).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  test('An eviction as a dry run, in the query or the body, changes nothing', async () => {
    await runningPod(true);
    await createBudget({ disruptionsAllowed: 1 });
    expect((await post(`${pod}/eviction?dryRun=All`, { metadata: { name } })).status).toBe(201);
    expect((await evict({ deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect(await isThere()).toBe(true);
    expect((await server.send('GET', `${budgets}/${name}`)).json()).toMatchObject({
      status: { disruptionsAllowed: 1 },
    });
  });

  test('An eviction says why the pod goes', async () => {
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
  ])('Eviction is refused with $name', async ({ more, expected }) => {
    await runningPod(true);
    expect(refusal(await evict(more))).toMatchObject(expected);
    expect(await isThere()).toBe(true);
  });
});
