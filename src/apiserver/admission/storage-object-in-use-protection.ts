/**
 * Volumes and claims are not removed while something uses them: a finalizer of their own keeps them.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection |
 *   Storage Object in Use Protection}
 */
import { metaOf } from '../../machinery/object-meta.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout } from './attributes.ts';

export function createStorageObjectInUseProtection({
  featureEnabled,
}: {
  readonly featureEnabled: (gate: string) => boolean;
}): AdmissionPlugin {
  const protectedResources = [
    { group: '', resource: 'persistentvolumes', finalizer: 'kubernetes.io/pv-protection' },
    { group: '', resource: 'persistentvolumeclaims', finalizer: 'kubernetes.io/pvc-protection' },
    ...(featureEnabled('VolumeAttributesClass')
      ? [{ group: 'storage.k8s.io', resource: 'volumeattributesclasses', finalizer: 'kubernetes.io/vac-protection' }]
      : []),
  ];
  return {
    name: 'StorageObjectInUseProtection',
    handles: (operation) => operation === 'CREATE',
    admit(attributes) {
      const found = protectedResources.find(({ group, resource }) => isAbout(attributes, group, resource));
      if (found === undefined) return;
      const meta = metaOf(attributes.object!);
      if (meta.finalizers?.includes(found.finalizer) !== true)
        meta.finalizers = [...(meta.finalizers ?? []), found.finalizer];
    },
  };
}
