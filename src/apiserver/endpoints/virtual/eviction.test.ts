/** Evictions of pods, and the disruption budgets that they take from. */
import { describe, expect, test } from 'vitest';
import { type Answer, type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const pods = '/api/v1/namespaces/x/pods';
const budgets = '/apis/policy/v1/namespaces/x/poddisruptionbudgets';
const app = { app: 'web' };

const pod: Json = {
  metadata: { name: 'p', labels: app },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
};
const running: Json = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

interface Row {
  readonly name: string;
  readonly pod?: Json;
  readonly budgets?: readonly Json[];
  readonly query?: string;
  readonly answer: Partial<Answer>;
  /** Disruptions that the first budget allows afterwards. */
  readonly left?: number;
  readonly isGone?: boolean;
}

async function serverWith(status: Json, statuses: readonly Json[]): Promise<EndpointsServer> {
  const server = await startEndpoints();
  await server.done('POST', pods, pod);
  await server.done('PATCH', `${pods}/p/status`, { status }, 'application/merge-patch+json');
  for (const [i, of] of statuses.entries()) {
    const spec = { minAvailable: 1, selector: { matchLabels: app } };
    await server.done('POST', budgets, { metadata: { name: `b${i}` }, spec });
    await server.done('PATCH', `${budgets}/b${i}/status`, { status: of }, 'application/merge-patch+json');
  }
  return server;
}

const budget = (disruptionsAllowed: number, more: Json = {}): Json => ({
  observedGeneration: 1,
  disruptionsAllowed,
  currentHealthy: 2,
  desiredHealthy: 2,
  expectedPods: 2,
  ...more,
});

const violated = "Cannot evict pod as it would violate the pod's disruption budget.";

describe('an eviction', () => {
  test.each<Row>([
    { name: 'deletes the pod where there is no budget', answer: { status: 201 }, isGone: true },
    {
      name: 'takes a disruption from the budget',
      budgets: [budget(2)],
      answer: { status: 201, body: { kind: 'Status', status: 'Success', code: 201 } },
      left: 1,
      isGone: true,
    },
    {
      name: 'takes nothing in a dry run',
      budgets: [budget(2)],
      query: '?dryRun=All',
      answer: { status: 201 },
      left: 2,
      isGone: false,
    },
    {
      name: 'is refused when the budget allows none',
      budgets: [budget(0)],
      answer: { status: 429, reason: 'TooManyRequests', message: violated },
      left: 0,
      isGone: false,
    },
    {
      name: 'is refused while the budget is not up to date',
      budgets: [budget(2, { observedGeneration: 0 })],
      answer: { status: 429, message: violated },
      left: 2,
      isGone: false,
    },
    {
      name: 'is refused where two budgets select the pod',
      budgets: [budget(2), budget(2)],
      answer: { status: 500 },
      left: 2,
      isGone: false,
    },
    {
      name: 'of a pod that has ended needs no budget',
      pod: { phase: 'Succeeded' },
      budgets: [budget(0)],
      answer: { status: 201 },
      left: 0,
      isGone: true,
    },
  ])('An eviction: $name', async ({ pod: status = running, budgets: given = [], query = '', answer, left, isGone }) => {
    const server = await serverWith(status, given);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    expect(await server.send('POST', `${pods}/p/eviction${query}`, eviction)).toMatchObject(answer);
    if (left !== undefined)
      expect(await server.done('GET', `${budgets}/b0`)).toMatchObject({ status: { disruptionsAllowed: left } });
    expect((await server.send('GET', `${pods}/p`)).status).toBe(isGone === true ? 404 : 200);
  });

  test('An eviction of a pod that is not there is answered 404', async () => {
    const server = await startEndpoints();
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    expect(await server.send('POST', `${pods}/p/eviction`, eviction)).toMatchObject({
      status: 404,
      message: 'pods "p" not found',
    });
  });
});
