import { describe, expect, test } from 'vitest';
import { type Answer, type Json, startEndpoints } from './testing/endpoints-server.ts';

describe('the scale of a deployment', () => {
  const deployments = '/apis/apps/v1/namespaces/x/deployments';
  const labels = { app: 'web' };
  const deployment: Json = {
    metadata: { name: 'd' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const scale = (replicas: number): Json => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'd', namespace: 'x' },
    spec: { replicas },
  });

  test.each<{ name: string; request: Parameters<typeof send>; answer: Partial<Answer>; replicas: number }>([
    {
      name: 'shows its replicas and selector',
      request: ['GET'],
      answer: {
        status: 200,
        body: { kind: 'Scale', spec: { replicas: 2 }, status: { replicas: 0, selector: 'app=web' } },
      },
      replicas: 2,
    },
    {
      name: 'changes its replicas',
      request: ['PUT', scale(5)],
      answer: { status: 200, body: { spec: { replicas: 5 } } },
      replicas: 5,
    },
    {
      name: 'can be patched',
      request: ['PATCH', { spec: { replicas: 4 } }, 'application/merge-patch+json'],
      answer: { status: 200 },
      replicas: 4,
    },
    {
      name: 'cannot be negative',
      request: ['PUT', scale(-1)],
      answer: { status: 422, reason: 'Invalid' },
      replicas: 2,
    },
  ])('The scale of a deployment: $name', async ({ request, answer, replicas }) => {
    const { answer: given, after } = await send(...request);
    expect(given).toMatchObject(answer);
    expect(after).toMatchObject({ spec: { replicas } });
  });

  async function send(method: string, body?: Json, contentType?: string): Promise<{ answer: Answer; after: Json }> {
    const server = await startEndpoints();
    await server.done('POST', deployments, deployment);
    const answer = await server.send(method, `${deployments}/d/scale`, body, contentType);
    return { answer, after: await server.done('GET', `${deployments}/d`) };
  }
});
