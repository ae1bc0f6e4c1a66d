/**
 * What stands behind a claim of a pod: the persistent volume that the claim is bound to.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/ | Persistent Volumes}
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../../api/gen/types/core-v1.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';
import { VolumeError } from '../volumes.ts';

export interface ClaimedVolume {
  readonly persistentVolume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
  readonly isReadOnly: boolean;
}

/** The claim that a volume names, or that was made for it; undefined for other volumes. */
export function claimNameOf({ metadata }: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${metadata.name}-${volume.name}`;
}

/** Throws `VolumeError` when the claim cannot be used. */
export async function claimedVolume(
  pod: Pod,
  volume: Volume,
  { claim, persistentVolume }: Pick<ApiObjects, 'claim' | 'persistentVolume'>,
  signal: AbortSignal,
): Promise<ClaimedVolume> {
  const { namespace = '', uid } = pod.metadata;
  const name = claimNameOf(pod, volume) ?? '';
  const fail = (why: string): VolumeError => new VolumeError(`error processing PVC ${namespace}/${name}: ${why}`);
  const found = await claim(namespace, name, signal);
  if (found === undefined)
    throw fail(`failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`);
  const isOwned = found.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid);
  if (volume.ephemeral !== undefined && isOwned !== true)
    throw fail(`PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`);
  if (found.metadata.deletionTimestamp !== undefined) throw fail('PVC is being deleted');
  const { volumeName = '' } = found.spec;
  if (found.status?.phase !== 'Bound' || volumeName === '') throw fail('PVC is not bound');
  const bound = await persistentVolume(volumeName, signal);
  if (bound === undefined)
    throw fail(`failed to fetch PV ${volumeName} from API server: persistentvolumes "${volumeName}" not found`);
  if (bound.spec.claimRef?.uid !== found.metadata.uid)
    throw fail(`PV ${volumeName} spec.claimRef.uid does not match PVC UID ${found.metadata.uid}`);
  return { persistentVolume: bound, claim: found, isReadOnly: volume.persistentVolumeClaim?.readOnly === true };
}
