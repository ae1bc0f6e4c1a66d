/**
 * Keeps volumes that are bound to claims from being deleted.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection | Storage object
 *   in use protection}
 */
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';

const finalizer = 'kubernetes.io/pv-protection';

export function startVolumeProtection(context: ControllerContext): void {
  const resource = context.client.core.v1.persistentvolumes;
  const volumes = context.informer(resource);
  const write = async (volume: PersistentVolume, isWanted: boolean): Promise<void> => {
    await resource.update(withFinalizer(volume, finalizer, isWanted)).catch(undefinedWhenGone);
  };
  context.work({
    queue: 'pvprotection',
    workers: 1,
    triggers: [changesOf(volumes)],
    sync: async (name) => {
      const volume = volumes.objects.get(name);
      if (volume === undefined) return undefined;
      const isEnding = volume.metadata.deletionTimestamp !== undefined;
      const has = hasFinalizer(volume, finalizer);
      if (!isEnding && !has) await write(volume, true);
      if (isEnding && has && volume.status?.phase !== 'Bound') await write(volume, false);
      return undefined;
    },
  });
}
