/**
 * Gives claims the volumes that suit them, asks provisioners for those that are missing, and takes volumes back.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/ | Persistent volumes}
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { classOf } from '../../api/core/persistent-volumes/class-of.ts';
import { defaultClass, storageClassMarkers } from '../../api/meta/default-class.ts';
import { isConflict } from '../../client/api-error.ts';
import { changesOf, deletionsOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { Binder } from './binder.ts';
import { waitingClaims } from './waiting-pods.ts';

const freeOfClass = 'freeOfClass';
const ofClaim = 'claim';
const waiting = 'waitingClaim';

const claimOf = ({ spec }: PersistentVolume): string[] =>
  spec.claimRef === undefined ? [] : [`${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`];

const claimPrefix = 'claim/';
const volumePrefix = 'volume/';

export function startVolumeBinding(context: ControllerContext): void {
  const { core, storage } = context.client;
  const claims = context.informer(core.v1.persistentvolumeclaims);
  const volumes = context.informer(core.v1.persistentvolumes);
  const classes = context.informer(storage.v1.storageclasses);
  const pods = context.informer(core.v1.pods);
  const knownVolumes = context.mutationCache(volumes);
  knownVolumes.addIndex(freeOfClass, (volume) => (volume.spec.claimRef === undefined ? [classOf(volume)] : []));
  knownVolumes.addIndex(ofClaim, claimOf);
  context.index(pods, waiting, waitingClaims);
  const binder = new Binder(context, {
    claims: context.mutationCache(claims),
    volumes: knownVolumes,
    storage: {
      volume: (name) => knownVolumes.get(name),
      volumesOfClass: (name) => knownVolumes.byIndex(freeOfClass, name),
      volumesOfClaim: (key) => knownVolumes.byIndex(ofClaim, key),
      storageClass: (name) => classes.objects.get(name),
      defaultClass: () => defaultClass(classes.objects.values(), storageClassMarkers),
      waitingPods: (key) => pods.objects.byIndex(waiting, key).map(({ metadata }) => metadata.name ?? ''),
    },
    wakeClaim: (key) => controller.add(`${claimPrefix}${key}`),
  });
  const keyOfClaim = (claim: PersistentVolumeClaim): string[] => [`${claimPrefix}${claims.keyOf(claim)}`];
  const keyOfVolume = (volume: PersistentVolume): string[] => [`${volumePrefix}${volumes.keyOf(volume)}`];
  const controller = context.work({
    queue: 'volumes',
    // Two could give a volume to two claims.
    workers: 1,
    triggers: [
      changesOf(volumes, keyOfVolume),
      changesOf(claims, keyOfClaim),
      deletionsOf(volumes, (volume) => claimOf(volume).map((key) => `${claimPrefix}${key}`)),
      deletionsOf(claims, ({ spec }) => ((spec.volumeName ?? '') === '' ? [] : [`${volumePrefix}${spec.volumeName}`])),
      changesOf(classes, () => []),
      changesOf(pods, () => []),
    ],
    isExpected: isConflict,
    sync: async (key) => {
      if (key.startsWith(claimPrefix)) await binder.syncClaim(key.slice(claimPrefix.length));
      else await binder.syncVolume(key.slice(volumePrefix.length));
      return undefined;
    },
  });
  // Nothing tells a claim that waits of a volume or a class that would suit it.
  context.every(context.options.persistentVolumeBinder.syncPeriodMs, () => {
    for (const volume of volumes.objects.values()) keyOfVolume(volume).forEach((key) => controller.add(key));
    for (const claim of claims.objects.values()) keyOfClaim(claim).forEach((key) => controller.add(key));
    return Promise.resolve();
  });
}
