import { expect, test, vi } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/gen/types/core-v1.ts';
import type { Input } from '../../../src/client/index.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { startControllerCluster } from './controller-cluster.ts';

const volume = (name: string, storage: string): Input<PersistentVolume> => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, nfs: { server: 'a.example', path: '/a' } },
});

const claim = (name: string, more: Input<PersistentVolumeClaim['spec']> = {}): Input<PersistentVolumeClaim> => ({
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...more },
});

test('Claims get volumes and keep them, volumes of deleted claims are released, and late defaults apply', async () => {
  const { persistentVolumeBinder } = defaultControllerManagerOptions;
  await using cluster = await startControllerCluster({
    controllers: ['persistentvolume-binder-controller'],
    options: { persistentVolumeBinder: { ...persistentVolumeBinder, syncPeriodMs: 200 } },
    serverFlags: ['--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection'],
  });
  const { core, storage } = cluster.client;
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const volumes = core.v1.persistentvolumes;
  const phases = async (): Promise<string[]> =>
    [...(await claims.list()).items, ...(await volumes.list()).items].map(
      ({ metadata, status }) => `${metadata.name} ${status.phase}`,
    );
  const reach = (...expected: string[]): Promise<void> =>
    vi.waitFor(async () => expect(await phases()).toEqual(expected), 5000);
  await volumes.create(volume('fit', '3Gi'));
  await volumes.create(volume('large', '9Gi'));
  await claims.create(claim('data', { storageClassName: '' }));
  await reach('data Bound', 'fit Bound', 'large Available');
  expect((await claims.get('data')).spec.volumeName).toBe('fit');
  await claims.delete('data');
  await reach('fit Released', 'large Available');
  await claims.create(claim('classless', { resources: { requests: { storage: '20Gi' } } }));
  await storage.v1.storageclasses.create({
    metadata: { name: 'late', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'csi.example.com',
  });
  await vi.waitFor(async () => {
    const { metadata, spec } = await claims.get('classless');
    expect(spec.storageClassName).toBe('late');
    expect(metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).toBe('csi.example.com');
  }, 5000);
});
