/** Claims and ingresses that name no class get the one that is marked as default: the newest, then the lower name. */
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { Ingress } from '../../api/gen/types/networking-v1.ts';
import { defaultClass, storageClassMarkers } from '../../api/meta/default-class.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

/**
 * @see {@link https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass | Default StorageClass}
 */
export function createDefaultStorageClass({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: (operation) => operation === 'CREATE',
    admit(attributes) {
      if (!isAbout(attributes, '', 'persistentvolumeclaims')) return undefined;
      const { metadata, spec } = attributes.object as PersistentVolumeClaim;
      if (spec.storageClassName !== undefined || hasAnnotation(metadata, 'volume.beta.kubernetes.io/storage-class'))
        return undefined;
      return objects.list('storage.k8s.io', 'storageclasses').then((classes) => {
        const found = defaultClass(classes, storageClassMarkers);
        if (found !== undefined) spec.storageClassName = found;
      });
    },
  };
}

/**
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class | Default
 *   IngressClass}
 */
export function createDefaultIngressClass({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (operation) => operation === 'CREATE',
    admit(attributes) {
      if (!isAbout(attributes, 'networking.k8s.io', 'ingresses')) return undefined;
      const ingress = attributes.object as Ingress;
      if (
        ingress.spec?.ingressClassName !== undefined ||
        hasAnnotation(ingress.metadata, 'kubernetes.io/ingress.class')
      )
        return undefined;
      return objects.list('networking.k8s.io', 'ingressclasses').then((classes) => {
        const found = defaultClass(classes, ['ingressclass.kubernetes.io/is-default-class']);
        if (found !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: found };
      });
    },
  };
}

const hasAnnotation = (metadata: ObjectMeta | undefined, key: string): boolean =>
  metadata?.annotations?.[key] !== undefined;
