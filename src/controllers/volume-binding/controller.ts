/**
 * Gives claims the volumes that suit them, asks provisioners for those that are missing, and takes volumes back.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/ | Persistent volumes}
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { classOf } from '../../api/core/persistent-volumes/class-of.ts';
import { defaultClass, storageClassMarkers } from '../../api/meta/default-class.ts';
import { isConflict } from '../../client/api-error.ts';
import { changesOf, deletionsOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimKeys } from '../../api/core/pods/claims.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { Binder } from './binder.ts';
import { hostFolders } from './host-path.ts';
import { bindingMetrics, endCounts } from './metrics.ts';
import { Provisioner } from './provisioner.ts';
import { Reclaimer } from './reclaimer.ts';
import { Recycler } from './recycler.ts';
import { loadTemplate, namespaceOf, recyclerPrefix } from './recycler-pod.ts';
import { StorageWriter } from './storage-writer.ts';
import { waitingClaims } from './waiting-pods.ts';

const freeOfClass = 'freeOfClass';
const ofClaim = 'claim';
const waiting = 'waitingClaim';

const claimOf = ({ spec }: PersistentVolume): string[] =>
  spec.claimRef === undefined ? [] : [`${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`];

const claimPrefix = 'claim/';
const volumePrefix = 'volume/';

export async function startVolumeBinding(context: ControllerContext): Promise<void> {
  const { core, storage } = context.client;
  const { recyclerHostPath, recyclerNfs, syncPeriodMs } = context.options.persistentVolumeBinder;
  const templates = {
    hostPath: await loadTemplate('HostPath', recyclerHostPath),
    nfs: await loadTemplate('NFS', recyclerNfs),
  };
  const claims = context.informer(core.v1.persistentvolumeclaims);
  const volumes = context.informer(core.v1.persistentvolumes);
  const classes = context.informer(storage.v1.storageclasses);
  const pods = context.informer(core.v1.pods);
  const knownVolumes = context.mutationCache(volumes);
  knownVolumes.addIndex(freeOfClass, (volume) => (volume.spec.claimRef === undefined ? [classOf(volume)] : []));
  knownVolumes.addIndex(ofClaim, claimOf);
  context.index(pods, waiting, waitingClaims);
  context.index(pods, claimIndex, claimKeys);
  const knownClaims = context.mutationCache(claims);
  const writer = new StorageWriter(context, knownClaims, knownVolumes);
  const recycler = new Recycler(context, { pods, templates, claims: knownClaims, writer });
  context.onStop(() => {
    recycler.stop();
    endCounts(context.metrics);
  });
  const namespaces = new Set(Object.values(templates).map(namespaceOf));
  /** The volume that a pod empties. */
  const recycledVolume = ({ metadata }: Pod): string[] =>
    metadata.name?.startsWith(recyclerPrefix) === true && namespaces.has(metadata.namespace ?? '')
      ? [`${volumePrefix}${metadata.name.slice(recyclerPrefix.length)}`]
      : [];
  const binder = new Binder(context, {
    claims: knownClaims,
    volumes: knownVolumes,
    writer,
    provisioner: new Provisioner(context, {
      writer,
      folders: hostFolders,
      hasVolume: (name) => knownVolumes.get(name) !== undefined,
      storageClass: (name) => classes.objects.get(name),
    }),
    reclaimer: new Reclaimer(context, { writer, recycler, folders: hostFolders }),
    metrics: bindingMetrics(context.metrics, {
      volumes: () => volumes.objects.values(),
      claims: () => claims.objects.values(),
    }),
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
      changesOf(pods, recycledVolume),
    ],
    isExpected: isConflict,
    sync: async (key) => {
      if (!key.startsWith(claimPrefix)) return binder.syncVolume(key.slice(volumePrefix.length));
      await binder.syncClaim(key.slice(claimPrefix.length));
      return undefined;
    },
  });
  // Nothing tells a claim that waits of a volume or a class that would suit it.
  context.every(syncPeriodMs, () => {
    for (const volume of volumes.objects.values()) keyOfVolume(volume).forEach((key) => controller.add(key));
    for (const claim of claims.objects.values()) keyOfClaim(claim).forEach((key) => controller.add(key));
    return Promise.resolve();
  });
}
