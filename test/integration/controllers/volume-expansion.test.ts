import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

test('A claim that asks for more is told who expands its volume, once for each time', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['persistentvolume-binder-controller', 'persistentvolume-expander-controller'],
    serverFlags: ['--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection'],
  });
  const { core, storage } = cluster.client;
  await storage.v1.storageclasses.create({
    metadata: { name: 'large' },
    provisioner: 'ebs.csi.aws.com',
    allowVolumeExpansion: true,
  });
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const shared = { accessModes: ['ReadWriteOnce' as const], storageClassName: 'large' };
  await core.v1.persistentvolumes.create({
    metadata: { name: 'pv' },
    spec: { ...shared, capacity: { storage: '1Gi' }, awsElasticBlockStore: { volumeID: 'vol-1' } },
  });
  await claims.create({
    metadata: { name: 'claim', namespace: 'default' },
    spec: { ...shared, resources: { requests: { storage: '1Gi' } } },
  });
  await vi.waitFor(async () => expect((await claims.get('claim')).status.phase).toBe('Bound'), 5000);
  await claims.patch('claim', { merge: { spec: { resources: { requests: { storage: '2Gi' } } } } });
  await vi.waitFor(async () => {
    const { items } = await core.v1.events.namespace('default').list();
    const told = items.filter(({ source }) => source?.component === 'volume_expand');
    expect(told.map(({ type, reason, message, count }) => [type, reason, message, count])).toEqual([
      [
        'Normal',
        'ExternalExpanding',
        'CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc',
        1,
      ],
    ]);
    const { annotations } = (await claims.get('claim')).metadata;
    expect(annotations?.['volume.kubernetes.io/storage-resizer']).toBe('ebs.csi.aws.com');
  }, 5000);
});
