/** Who is to expand the volume of a claim. Reads nothing and writes nothing. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { sizeBeforeResize } from '../../api/core/persistent-volumes/binding.ts';
import { migratedVolume } from '../../api/core/persistent-volumes/migration.ts';
import { requestOf } from '../../api/core/persistent-volumes/matching.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { Quantity } from '../../machinery/quantity.ts';

export interface Expansion {
  readonly message: string;
  /** The driver that keeps a volume of a type from before CSI: it has to be told that the claim is its own. */
  readonly resizer?: string;
}

const capacityOf = ({ status }: PersistentVolumeClaim): Quantity => quantityOf(status?.capacity?.['storage'] ?? '0');

/** Whether a change can mean that a volume is to be larger, or has become so. */
export const isGrown = (before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean =>
  requestOf(after).compare(requestOf(before)) > 0 || capacityOf(after).compare(capacityOf(before)) > 0;

export const isBound = ({ status }: PersistentVolumeClaim): boolean => status?.phase === 'Bound';

export const isOfClaim = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean =>
  spec.claimRef?.namespace === metadata.namespace && spec.claimRef?.uid === metadata.uid;

/** Undefined where the claim has as much as it asks for. */
export function expansionOf(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  isGateOn: (gate: string) => boolean,
): Expansion | undefined {
  const isSettled = requestOf(claim).compare(capacityOf(claim)) <= 0;
  if (isSettled && volume.metadata.annotations?.[sizeBeforeResize] === undefined) return undefined;
  const migrated = migratedVolume(volume, isGateOn);
  if (migrated === undefined) return { message: 'waiting for an external controller to expand this PVC' };
  const message = `CSI migration enabled for ${migrated.plugin}; waiting for external resizer to expand the pvc`;
  return { message, resizer: migrated.driver };
}
