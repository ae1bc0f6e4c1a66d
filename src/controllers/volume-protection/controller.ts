/**
 * Keeps volumes that are bound to claims from being deleted.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection | Storage object
 *   in use protection}
 */
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { protectedVolume } from './sync.ts';

export function startVolumeProtection(context: ControllerContext): void {
  const resource = context.client.core.v1.persistentvolumes;
  const volumes = context.informer(resource);
  context.work({
    queue: 'pvprotection',
    workers: 1,
    triggers: [changesOf(volumes)],
    sync: async (name) => {
      const volume = volumes.objects.get(name);
      const changed = volume === undefined ? undefined : protectedVolume(volume);
      if (changed !== undefined) await resource.update(changed).catch(undefinedWhenGone);
      return undefined;
    },
  });
}
