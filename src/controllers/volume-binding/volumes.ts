/** What is to become of a volume, from what there is. Reads nothing and writes nothing. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { boundByController } from '../../api/core/persistent-volumes/binding.ts';
import { modeOf } from '../../api/core/persistent-volumes/matching.ts';
import { driverOfPlugin } from '../../api/core/persistent-volumes/migration.ts';
import type { Notice } from './claims.ts';
import { folderOf, hostPathPlugin, isOwnFolder } from './host-path.ts';
import { isInTree, migratedTo, provisionedBy } from './migration-marks.ts';
import { noPlugin, type ProvisioningOptions } from './provisioning.ts';
import { type RecycledSource, recycledSource } from './recycler-pod.ts';

export type VolumeVerdict =
  | { readonly do: 'setPhase'; readonly phase: 'Available' | 'Bound' }
  /** Its claim is gone, or has another volume. */
  | { readonly do: 'release' }
  | { readonly do: 'wakeClaim' }
  | { readonly do: 'tellOfMode' }
  | { readonly do: 'unbind' };

/** @param claim that the volume names, with its uid */
export function volumeVerdict(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeVerdict {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
  if ((claimRef?.uid ?? '') === '') return { do: 'setPhase', phase: 'Available' };
  if (claim === undefined) return { do: 'release' };
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') return modeOf(volume) === modeOf(claim) ? { do: 'wakeClaim' } : { do: 'tellOfMode' };
  if (volumeName === volume.metadata.name) return { do: 'setPhase', phase: 'Bound' };
  const isMadeForClaim = volume.metadata.annotations?.[provisionedBy] !== undefined;
  return { do: isMadeForClaim && persistentVolumeReclaimPolicy === 'Delete' ? 'release' : 'unbind' };
}

/** The volume without its claim; one that a user kept for a claim stays so. */
export function unbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  const { annotations, ...metadata } = volume.metadata;
  if (annotations?.[boundByController] === undefined) {
    const { uid: _, ...kept } = claimRef!;
    return { ...volume, spec: { ...spec, claimRef: kept } };
  }
  const { [boundByController]: _, ...others } = annotations;
  return {
    ...volume,
    metadata: Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others },
    spec,
  };
}

/** What is to become of a volume that no claim has any more. */
export type Reclaim =
  | { readonly do: 'nothing' }
  | { readonly do: 'fail'; readonly notice: Notice }
  | { readonly do: 'recycle'; readonly source: RecycledSource }
  /** A folder that the provisioner of this process made. */
  | { readonly do: 'deleteFolder'; readonly path: string };

const nothing: Reclaim = { do: 'nothing' };

/**
 * @NOTE differs from upstream: folders are deleted only with `--enable-hostpath-provisioner`, and only those that the
 *   provisioner made.
 */
export function reclaimOf(volume: PersistentVolume, { isHostPathEnabled, isGateOn }: ProvisioningOptions): Reclaim {
  const { metadata, spec } = volume;
  if ((metadata.annotations?.[migratedTo] ?? '') !== '') return nothing;
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return nothing;
    case 'Recycle': {
      const source = recycledSource(volume);
      if (source !== undefined) return { do: 'recycle', source };
      return problem('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    }
    case 'Delete':
      if (metadata.deletionTimestamp !== undefined && !isGateOn('HonorPVReclaimPolicy')) return nothing;
      return deletionOf(volume, isHostPathEnabled, isGateOn);
    default:
      return problem('VolumeUnknownReclaimPolicy', 'Volume has unrecognized PersistentVolumeReclaimPolicy');
  }
}

function deletionOf(
  { metadata, spec }: PersistentVolume,
  isHostPathEnabled: boolean,
  isGateOn: (gate: string) => boolean,
): Reclaim {
  const { name = '', annotations } = metadata;
  const provisioner = annotations?.[provisionedBy] ?? '';
  // The driver deletes what it made.
  if (provisioner !== '' && (!isInTree(provisioner) || driverOfPlugin(provisioner, isGateOn) !== undefined))
    return nothing;
  // It says nothing of a provisioner: the volume is its driver's all the same.
  if (provisioner === '' && spec.csi !== undefined && isGateOn('HonorPVReclaimPolicy')) return nothing;
  const isFolder = spec.hostPath !== undefined && isHostPathEnabled;
  if (isFolder && (provisioner === '' || provisioner === hostPathPlugin)) {
    const { path = '' } = spec.hostPath!;
    if (isOwnFolder(path)) return { do: 'deleteFolder', path };
    return failedDelete(`host_path deleter only supports ${folderOf('.+')} but received provided ${path}`);
  }
  if (provisioner !== '' && provisioner !== hostPathPlugin) return failedDelete(noPlugin(provisioner));
  return failedDelete(`error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`);
}

const failedDelete = (message: string): Reclaim => problem('VolumeFailedDelete', message);

const problem = (reason: string, message: string): Reclaim => ({
  do: 'fail',
  notice: { type: 'Warning', reason, message },
});
