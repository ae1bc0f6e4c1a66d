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

test('The feature gates of a control plane are those of its controllers and of its scheduler', async () => {
  await using controlPlane = await createControlPlane({
    controllers: ['resourceclaim-controller'],
    scheduler: true,
    flags: [
      '--disable-admission-plugins=ServiceAccount',
      '--feature-gates=DynamicResourceAllocation=true',
      '--runtime-config=resource.k8s.io/v1beta1=true',
    ],
  });
  await using client = createClient(await parseClientConfig(controlPlane.kubeconfig));
  const requests = [{ name: 'r', deviceClassName: 'gpu' }];
  await client.resource.v1beta1.resourceclaimtemplates
    .namespace('default')
    .create({ metadata: { name: 'gpu' }, spec: { spec: { devices: { requests } } } });
  await client.core.v1.nodes.create({ metadata: { name: 'n' } });
  await client.core.v1.nodes.status.patch('n', {
    merge: { status: { capacity: { pods: '9' }, allocatable: { pods: '9' } } },
  });
  const pods = client.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'gpu' }] } }],
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
      tolerations: [{ operator: 'Exists' }],
    },
  });
  const claims = client.resource.v1beta1.resourceclaims.namespace('default');
  await vi.waitFor(async () => expect((await claims.list()).items).toHaveLength(1), 5000);
  await vi.waitFor(async () => {
    const { status } = await pods.get('p');
    expect(status.conditions?.[0]?.message).toContain('request r: device class gpu does not exist');
  }, 5000);
});
