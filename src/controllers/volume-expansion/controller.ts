/**
 * Tells claims that ask for more who expands their volumes. No volume is expanded in this process: CSI drivers do it.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims | Expanding
 *   persistent volume claims}
 * @NOTE differs from upstream: nothing is written for claims with a FlexVolume, as there are no volume plugins here.
 */
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { ControllerContext } from '../manager/context.ts';
import { eventsOf } from '../shared/triggers.ts';
import { expansionOf, isBound, isGrown, isOfClaim } from './sync.ts';

const workers = 10;

/** Which driver expands the volume. */
const resizerAnnotation = 'volume.kubernetes.io/storage-resizer';

export function startVolumeExpansion(context: ControllerContext): void {
  const { client, events } = context;
  const { persistentvolumeclaims, persistentvolumes } = client.core.v1;
  const claims = context.informer(persistentvolumeclaims);
  const keysOf = (claim: PersistentVolumeClaim): string[] => (isBound(claim) ? [claims.keyOf(claim)] : []);
  const setResizer = async ({ metadata }: PersistentVolumeClaim, driver: string): Promise<void> => {
    if (metadata.annotations?.[resizerAnnotation] === driver) return;
    const { name, namespace, resourceVersion } = metadata;
    const changed = { metadata: { annotations: { [resizerAnnotation]: driver }, resourceVersion } };
    await persistentvolumeclaims.namespace(namespace!).status.patch(name!, { strategic: changed });
  };
  context.work({
    queue: 'volume_expand',
    workers,
    // Each look is told to the user: only what may have changed the answer wakes it.
    triggers: [
      eventsOf(claims, (add) => ({
        onAdd: (claim) => keysOf(claim).forEach((key) => add(key)),
        onUpdate: (before, after) => {
          if (isGrown(before, after)) keysOf(after).forEach((key) => add(key));
        },
      })),
    ],
    sync: async (key) => {
      const claim = claims.objects.get(key);
      if (claim === undefined) return undefined;
      const volume = await persistentvolumes.get(claim.spec.volumeName ?? '');
      if (!isOfClaim(volume, claim)) throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
      const expansion = expansionOf(claim, volume, context.isGateOn);
      if (expansion === undefined) return undefined;
      events.event(claim, 'Normal', 'ExternalExpanding', expansion.message);
      if (expansion.resizer !== undefined) await setResizer(claim, expansion.resizer);
      return undefined;
    },
  });
}
