/**
 * Marks on claims and volumes of types from before CSI: the driver that keeps them now, and who deletes what is stored.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration | CSI migration}
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { driverOfPlugin } from '../../api/core/persistent-volumes/migration.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';

/** Name of the provisioner that made the volume. */
export const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** Its value is the CSI driver that keeps a volume of a type from before CSI. */
export const migratedTo = 'pv.kubernetes.io/migrated-to';

/** Volumes that this process deletes stay until what they store is deleted. */
export const deletionFinalizer = 'kubernetes.io/pv-controller';

export const provisionerAnnotations = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
] as const;

/** Provisioners that would be part of this process. */
export const isInTree = (provisioner: string): boolean => provisioner.startsWith('kubernetes.io/');

type IsGateOn = (gate: string) => boolean;
type Annotations = Readonly<Record<string, string>>;

/** Undefined where nothing is to change. */
export function markedClaim(claim: PersistentVolumeClaim, isGateOn: IsGateOn): PersistentVolumeClaim | undefined {
  const { annotations = {} } = claim.metadata;
  const marked = marksOf(
    annotations,
    annotations[provisionerAnnotations[1]] ?? annotations[provisionerAnnotations[0]],
    isGateOn,
  );
  return marked === undefined ? undefined : { ...claim, metadata: { ...claim.metadata, annotations: marked } };
}

/** Undefined where nothing is to change. */
export function markedVolume(volume: PersistentVolume, isGateOn: IsGateOn): PersistentVolume | undefined {
  const { annotations = {} } = volume.metadata;
  const provisioner = annotations[provisionedBy];
  const marked = marksOf(annotations, provisioner, isGateOn);
  const wanted = wantsFinalizer(volume, provisioner, isGateOn);
  const isProtected = wanted === undefined || wanted === hasFinalizer(volume, deletionFinalizer);
  if (marked === undefined && isProtected) return undefined;
  const changed = { ...volume, metadata: { ...volume.metadata, annotations: marked ?? annotations } };
  return isProtected ? changed : withFinalizer(changed, deletionFinalizer, wanted);
}

/** A mark that is not true any more goes. */
function marksOf(
  annotations: Annotations,
  provisioner: string | undefined,
  isGateOn: IsGateOn,
): Annotations | undefined {
  if (provisioner === undefined) return undefined;
  const driver = driverOfPlugin(provisioner, isGateOn);
  if ((annotations[migratedTo] ?? '') === (driver ?? '')) return undefined;
  if (driver !== undefined) return { ...annotations, [migratedTo]: driver };
  const { [migratedTo]: _, ...others } = annotations;
  return others;
}

/** Undefined for volumes whose finalizers are the affair of others. */
function wantsFinalizer(
  { metadata, spec }: PersistentVolume,
  provisioner: string | undefined,
  isGateOn: IsGateOn,
): boolean | undefined {
  if (provisioner === undefined || !isGateOn('HonorPVReclaimPolicy')) return undefined;
  if (driverOfPlugin(provisioner, isGateOn) !== undefined) return false;
  if (!isInTree(provisioner)) return undefined;
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return false;
  // Objects that are being deleted get no new finalizers.
  return metadata.deletionTimestamp === undefined ? true : undefined;
}
