/** Objects as they are to be written; undefined where nothing is to change. */
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from '../../api/gen/types/core-v1.ts';
import {
  bindCompleted,
  boundByController,
  selectedNode,
  sizeBeforeResize,
  volumeFor,
} from '../../api/core/persistent-volumes/binding.ts';
import { isFor } from '../../api/core/persistent-volumes/matching.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import { isEqual } from '../../machinery/equal.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import { provisionerAnnotations } from './migration-marks.ts';

export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const isBound = isFor(volume, claim) && volume.spec.claimRef?.uid === claim.metadata.uid;
  return isBound ? undefined : volumeFor(volume, claim);
}

export function boundClaim(claim: PersistentVolumeClaim, volumeName: string): PersistentVolumeClaim | undefined {
  const { annotations = {} } = claim.metadata;
  const isNamed = claim.spec.volumeName === volumeName;
  if (isNamed && annotations[bindCompleted] !== undefined) return undefined;
  const added = {
    ...(isNamed || annotations[boundByController] !== undefined ? {} : { [boundByController]: 'yes' }),
    ...(annotations[bindCompleted] === undefined ? { [bindCompleted]: 'yes' } : {}),
  };
  return withAnnotations({ ...claim, spec: { ...claim.spec, volumeName } }, added);
}

/** Tells the provisioner that a volume is wanted. */
export function claimForProvisioner(
  claim: PersistentVolumeClaim,
  provisioner: string,
): PersistentVolumeClaim | undefined {
  if (claim.metadata.annotations?.[provisionerAnnotations[1]] === provisioner) return undefined;
  return withAnnotations(claim, Object.fromEntries(provisionerAnnotations.map((key) => [key, provisioner])));
}

/** Lets the scheduler choose a node again; undefined when it had not chosen one. */
export function claimWithoutNode(claim: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
  if (claim.metadata.annotations?.[selectedNode] === undefined) return undefined;
  const { [selectedNode]: _, ...annotations } = claim.metadata.annotations;
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

const withAnnotations = (
  claim: PersistentVolumeClaim,
  added: Readonly<Record<string, string>>,
): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...added } },
});

/** The status of a claim without a volume. */
export function volumelessStatus(
  { status }: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
): PersistentVolumeClaimStatus | undefined {
  const { accessModes, capacity, ...rest } = status;
  if (status.phase === phase && accessModes === undefined && capacity === undefined) return undefined;
  return { ...rest, phase };
}

/** The size is that of the volume when the claim gets it; later it is for those who resize volumes. */
export function boundStatus(
  { status }: PersistentVolumeClaim,
  volume: PersistentVolume,
): PersistentVolumeClaimStatus | undefined {
  const { accessModes, capacity } = volume.spec;
  const isNew = status.phase !== 'Bound';
  if (!isNew && isEqual(status.accessModes ?? [], accessModes ?? [])) return undefined;
  if (isNew && capacity?.['storage'] === undefined)
    throw new Error(`PersistentVolume "${volume.metadata.name ?? ''}" is without a storage capacity`);
  return {
    ...status,
    phase: 'Bound',
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(isNew ? newCapacity(status, volume) : {}),
  };
}

/** A volume that grew before its file system did has the size of the file system for the claim. */
function newCapacity(
  { capacity: before }: PersistentVolumeClaimStatus,
  { metadata, spec }: PersistentVolume,
): Pick<PersistentVolumeClaimStatus, 'capacity'> {
  const storage = metadata.annotations?.[sizeBeforeResize];
  if (storage !== undefined)
    return { capacity: { ...before, storage: isQuantity(storage) ? storage : spec.capacity!['storage']! } };
  const known = before?.['storage'];
  const isSame = known !== undefined && quantityOf(spec.capacity!['storage']!).compare(quantityOf(known)) === 0;
  return isSame ? {} : { capacity: spec.capacity! };
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
