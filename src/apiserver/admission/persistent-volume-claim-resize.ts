/**
 * Claims grow only when they are bound and their class says that its volumes can grow.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims |
 *   Expanding persistent volume claims}
 */
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

export function createPersistentVolumeClaimResize({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (operation) => operation === 'UPDATE',
    validate(attributes) {
      if (!isAbout(attributes, '', 'persistentvolumeclaims')) return undefined;
      const old = attributes.oldObject as PersistentVolumeClaim;
      if (sizeOf(attributes.object as PersistentVolumeClaim).compare(sizeOf(old)) <= 0) return undefined;
      if (old.status?.phase !== 'Bound')
        throw refused(attributes, 'Only bound persistent volume claims can be expanded');
      return checkClass(attributes, objects);
    },
  };
}

const sizeOf = ({ spec }: PersistentVolumeClaim): ReturnType<typeof quantityOf> =>
  quantityOf(spec.resources?.requests?.['storage'] ?? '0');

async function checkClass(attributes: AdmissionAttributes, objects: CachedObjects): Promise<void> {
  const { metadata, spec } = attributes.object as PersistentVolumeClaim;
  const name = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '';
  const find = async (): Promise<StorageClass | undefined> =>
    (await objects.find<StorageClass>('storage.k8s.io', 'storageclasses', '', name)) ??
    objects.findFresh<StorageClass>('storage.k8s.io', 'storageclasses', '', name);
  if (name !== '' && (await find())?.allowVolumeExpansion === true) return;
  throw refused(
    attributes,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
