/** Pods with ResourceClaims: devices are allocated on the node that is chosen. */
import { expect, test, vi } from 'vitest';
import { startScheduledCluster } from './testing-scheduler.ts';

const driver = 'gpu.example.com';

test('Pods get the devices of their claims, as long as there are any', async () => {
  await using cluster = await startScheduledCluster({ features: { dynamicResources: true } }, [
    '--runtime-config=resource.k8s.io/v1beta1=true',
    '--feature-gates=DynamicResourceAllocation=true',
  ]);
  const { resource, core } = cluster.client;
  const { deviceclasses, resourceslices } = resource.v1beta1;
  const claims = resource.v1beta1.resourceclaims.namespace('default');
  const addClaim = async (name: string): Promise<void> => {
    const requests = [{ name: 'r', deviceClassName: 'gpu' }];
    await claims.create({ metadata: { name }, spec: { devices: { requests } }, status: {} });
  };
  const podWith = (name: string, claim: string) =>
    cluster.addPod(name, { resourceClaims: [{ name: 'gpu', resourceClaimName: claim }] });
  await cluster.addNode('plain');
  await cluster.addNode('gpus');
  await addClaim('one');
  await podWith('first', 'one');
  expect(await cluster.refusalOf('first')).toContain('request r: device class gpu does not exist');
  await deviceclasses.create({
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
  });
  await resourceslices.create({
    metadata: { name: 's' },
    spec: {
      ...{ driver, nodeName: 'gpus', pool: { name: 'gpus', generation: 1, resourceSliceCount: 1 } },
      devices: [{ name: 'a', basic: {} }],
    },
  });
  expect(await cluster.nodeOf('first')).toBe('gpus');
  const { metadata, status } = await claims.get('one');
  expect(metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
  expect(status).toMatchObject({
    allocation: {
      devices: { results: [{ request: 'r', driver, pool: 'gpus', device: 'a' }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gpus'] }] }],
      },
    },
    reservedFor: [{ resource: 'pods', name: 'first' }],
  });

  await podWith('sharing', 'one');
  expect(await cluster.nodeOf('sharing')).toBe('gpus');
  await vi.waitFor(async () => expect((await claims.get('one')).status.reservedFor).toHaveLength(2), 5000);

  await addClaim('two');
  await podWith('second', 'two');
  expect(await cluster.refusalOf('second')).toContain('2 cannot allocate all claims');
  // What the controller does when the pods are over.
  await core.v1.pods.namespace('default').delete('first', { gracePeriodSeconds: 0 });
  const used = await claims.get('one');
  await claims.status.update({ ...used, status: {} });
  expect(await cluster.nodeOf('second')).toBe('gpus');

  // A pod whose claim is not there yet is not looked at; the claim wakes it.
  await podWith('waiting', 'later');
  await addClaim('later');
  expect(await cluster.refusalOf('waiting')).toContain('2 cannot allocate all claims');
});
