import { expect, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { parseClientConfig } from '../../src/client/index.ts';
import { createControlPlane } from '../../src/index.ts';

test('A control plane with controllers makes the pods of a Deployment', async () => {
  await using controlPlane = await createControlPlane({
    controllers: ['deployment-controller', 'replicaset-controller'],
    flags: ['--disable-admission-plugins=ServiceAccount'],
  });
  await using client = createClient(await parseClientConfig(controlPlane.kubeconfig));
  await client.apps.v1.deployments.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  await vi.waitFor(async () => {
    expect((await client.core.v1.pods.namespace('default').list()).items).toHaveLength(3);
  }, 5000);
});

test('A controller that does not exist is refused, with the names of those that do', async () => {
  const start = createControlPlane({ controllers: ['deploymnet-controller'] });
  await expect(start).rejects.toThrow('"deploymnet-controller" is not the name of a controller; there are: ');
});

test('A control plane with controllers, a scheduler and hollow nodes brings a Deployment to Available', async () => {
  await using controlPlane = await createControlPlane({ controllers: true, scheduler: true, hollowNodes: 2 });
  await using client = createClient(await parseClientConfig(controlPlane.kubeconfig));
  await client.apps.v1.deployments.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  await vi.waitFor(async () => {
    const { status } = await client.apps.v1.deployments.namespace('default').get('web');
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3 });
  }, 10_000);
});
