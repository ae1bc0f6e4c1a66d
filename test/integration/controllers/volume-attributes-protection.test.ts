import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

test('A VolumeAttributesClass is deleted when no claim uses it any more', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['volumeattributesclass-protection-controller'],
    featureGates: { VolumeAttributesClass: true },
    serverFlags: [
      '--feature-gates=VolumeAttributesClass=true',
      '--runtime-config=storage.k8s.io/v1beta1=true',
      '--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection',
    ],
  });
  const classes = cluster.client.storage.v1beta1.volumeattributesclasses;
  const claims = cluster.client.core.v1.persistentvolumeclaims.namespace('default');
  const names = async (): Promise<(string | undefined)[]> =>
    (await classes.list()).items.map(({ metadata }) => metadata.name);
  const parameters = { iops: '100' };
  for (const name of ['used', 'free'])
    await classes.create({ metadata: { name }, driverName: 'csi.example.com', parameters });
  await vi.waitFor(async () => {
    for (const { metadata } of (await classes.list()).items)
      expect(metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
  }, 5000);
  await claims.create({
    metadata: { name: 'claim', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeAttributesClassName: 'used',
    },
  });
  await classes.delete('used');
  await classes.delete('free');
  await vi.waitFor(async () => expect(await names()).toEqual(['used']), 5000);
  await claims.delete('claim');
  await vi.waitFor(async () => expect(await names()).toEqual([]), 5000);
});
