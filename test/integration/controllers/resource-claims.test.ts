import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

const timeoutMs = 10_000;

test('A pod gets a claim from a template, which is given back when the pod has ended', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['resourceclaim-controller'],
    serverFlags: ['--runtime-config=resource.k8s.io/v1beta1=true', '--feature-gates=DynamicResourceAllocation=true'],
    featureGates: { DynamicResourceAllocation: true },
  });
  const { client } = cluster;
  const pods = client.core.v1.pods.namespace('default');
  const claims = client.resource.v1beta1.resourceclaims.namespace('default');
  const spec = { devices: { requests: [{ name: 'r', deviceClassName: 'gpu' }] } };
  const wanted = { name: 'gpu', resourceClaimTemplateName: 't' };
  await pods.create({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], resourceClaims: [wanted] },
  });
  const events = client.core.v1.events.namespace('default');
  await vi.waitFor(async () => {
    const { items } = await events.list();
    expect(items.map(({ reason, message }) => `${reason} ${message}`)).toContain(
      'FailedResourceClaimCreation PodResourceClaim gpu: resource claim template "t": ' +
        'resourceclaimtemplate.resource.k8s.io "t" not found',
    );
  }, timeoutMs);
  await client.resource.v1beta1.resourceclaimtemplates
    .namespace('default')
    .create({ metadata: { name: 't' }, spec: { metadata: {}, spec } });
  const nameOf = async (): Promise<string> => {
    const [made] = (await pods.get('p')).status?.resourceClaimStatuses ?? [];
    expect(made?.name).toBe('gpu');
    return made!.resourceClaimName!;
  };
  await vi.waitFor(nameOf, timeoutMs);
  const name = await nameOf();
  const claim = await claims.get(name);
  expect(name).toMatch(/^p-gpu-/);
  expect(claim.spec.devices.requests![0]).toMatchObject({ name: 'r', deviceClassName: 'gpu' });

  // As the scheduler does it.
  const held = await claims.update({
    ...claim,
    metadata: { ...claim.metadata, finalizers: ['resource.kubernetes.io/delete-protection'] },
  });
  const { uid } = (await pods.get('p')).metadata;
  await claims.status.update({
    ...held,
    status: { allocation: { devices: {} }, reservedFor: [{ resource: 'pods', name: 'p', uid: uid! }] },
  });
  await pods.status.patch('p', { merge: { status: { phase: 'Succeeded' } } });
  await vi.waitFor(async () => expect((await claims.list()).items).toEqual([]), timeoutMs);
});
