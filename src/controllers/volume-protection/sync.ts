/** Whether a volume is to have the finalizer that keeps it. */
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';

export const finalizer = 'kubernetes.io/pv-protection';

/** The volume as it is to be written; undefined when nothing is to change. */
export function protectedVolume(volume: PersistentVolume): PersistentVolume | undefined {
  const isEnding = volume.metadata.deletionTimestamp !== undefined;
  const has = hasFinalizer(volume, finalizer);
  if (!isEnding) return has ? undefined : withFinalizer(volume, finalizer, true);
  return has && volume.status?.phase !== 'Bound' ? withFinalizer(volume, finalizer, false) : undefined;
}
