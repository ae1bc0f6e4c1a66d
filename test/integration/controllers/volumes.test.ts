import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

test('A claim that a pod uses is kept until the pod is gone; an ephemeral volume has a claim of its own', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['pvc-protection', 'ephemeral-volume'],
  });
  const { core } = cluster.client;
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const pods = core.v1.pods.namespace('default');
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } as const;
  await core.v1.nodes.create({ metadata: { name: 'n1' } });
  await claims.create({ metadata: { name: 'data' }, spec: { ...spec, accessModes: ['ReadWriteOnce'] } });
  await pods.create({
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { ...spec, accessModes: ['ReadWriteOnce'] } } } },
      ],
    },
  });
  await vi.waitFor(async () => {
    const { metadata } = await claims.get('p-scratch');
    expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Pod', name: 'p', controller: true });
  }, 5000);
  await claims.delete('data');
  await vi.waitFor(async () => expect((await claims.get('data')).metadata.deletionTimestamp).toBeDefined(), 5000);
  await pods.delete('p', { gracePeriodSeconds: 0 });
  await vi.waitFor(
    async () => expect((await claims.list()).items.map(({ metadata }) => metadata.name)).not.toContain('data'),
    5000,
  );
});
