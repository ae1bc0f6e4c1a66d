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

  const applied = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 9 } };
  const applyType = 'application/apply-patch+yaml';

  test.each([
    { name: 'created the object', writes: [], conflict: '"one" using autoscaling/v1' },
    {
      name: 'wrote through the scale',
      writes: [scale(5)],
      conflict: '"unknown" with subresource "scale" using autoscaling/v1',
    },
  ])('An apply of the scale has a conflict with the manager that $name', async ({ writes, conflict }) => {
    const server = await startEndpoints();
    await server.done('POST', `${deployments}?fieldManager=one`, deployment);
    for (const body of writes) await server.done('PUT', `${deployments}/d/scale`, body);
    expect(await server.send('PATCH', `${deployments}/d/scale?fieldManager=m`, applied, applyType)).toMatchObject({
      status: 409,
      message: `Apply failed with 1 conflict: conflict with ${conflict}: .spec.replicas`,
    });
  });

  test('An apply of the scale owns the replicas of the deployment, and no other field of it', async () => {
    const server = await startEndpoints();
    await server.done('POST', `${deployments}?fieldManager=one`, deployment);
    await server.done('PATCH', `${deployments}/d/scale?fieldManager=m&force=true`, applied, applyType);
    const { metadata, spec } = await server.done('GET', `${deployments}/d`);
    expect(spec).toMatchObject({ replicas: 9 });
    const { managedFields } = metadata as { managedFields: { fieldsV1: { 'f:spec': Json } }[] };
    expect(managedFields).toEqual([
      {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
      expect.objectContaining({ manager: 'one', operation: 'Update', apiVersion: 'apps/v1' }),
    ]);
    expect(Object.keys(managedFields[1]!.fieldsV1['f:spec'])).not.toContain('f:replicas');
    expect(Object.keys(managedFields[1]!.fieldsV1['f:spec'])).toContain('f:template');
  });

  test('A patch of the scale that cannot be read is shown with those who own the replicas', async () => {
    const { answer } = await send('PATCH', { spec: { replicas: 'x' } }, 'application/merge-patch+json');
    expect(answer).toMatchObject({
      status: 422,
      message: expect.stringContaining(
        JSON.stringify(
          '"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"autoscaling/v1"',
        ).slice(1, -1),
      ) as string,
    });
  });
});
