/** What is to become of a volume, from what there is. Reads nothing and writes nothing. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { boundByController } from '../../api/core/persistent-volumes/binding.ts';
import { modeOf } from '../../api/core/persistent-volumes/matching.ts';
import type { Notice } from './claims.ts';

/** Name of the provisioner that made the volume. */
const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** Its value is the CSI driver that keeps a volume of a type from before CSI. */
const migratedTo = 'pv.kubernetes.io/migrated-to';

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

/** Why a volume that is released cannot be reclaimed; undefined where that is not for this controller to do. */
export function reclaimProblem({ metadata, spec }: PersistentVolume): Notice | undefined {
  if ((metadata.annotations?.[migratedTo] ?? '') !== '') return undefined;
  switch (spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return undefined;
    case 'Recycle':
      return problem('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    case 'Delete':
      return metadata.deletionTimestamp === undefined ? deletionProblem(metadata) : undefined;
    default:
      return problem('VolumeUnknownReclaimPolicy', 'Volume has unrecognized PersistentVolumeReclaimPolicy');
  }
}

function deletionProblem({ name = '', annotations }: PersistentVolume['metadata']): Notice | undefined {
  const provisioner = annotations?.[provisionedBy] ?? '';
  if (provisioner === '')
    return problem(
      'VolumeFailedDelete',
      `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`,
    );
  // The provisioner deletes what it made.
  if (!isInTree(provisioner)) return undefined;
  return problem('VolumeFailedDelete', noPlugin(provisioner));
}

/** Provisioners that would be part of this process. */
export const isInTree = (provisioner: string): boolean => provisioner.startsWith('kubernetes.io/');

export const noPlugin = (provisioner: string): string => `no volume plugin matched name: ${provisioner}`;

const problem = (reason: string, message: string): Notice => ({ type: 'Warning', reason, message });
