/** What claims and volumes say about each other when a claim has a volume, or is to have one. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../gen/types/core-v1.ts';
import { isFor } from './matching.ts';

/** The claim once got its volume. */
export const bindCompleted = 'pv.kubernetes.io/bind-completed';

/** The volume was chosen for the claim, not named by a user. */
export const boundByController = 'pv.kubernetes.io/bound-by-controller';

/** The node for which a volume is to be made. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

/** The size that a volume had before it grew, while its file system is still to follow. */
export const sizeBeforeResize = 'volume.alpha.kubernetes.io/pre-resize-capacity';

/** The volume as it is when the claim has it. */
export function volumeFor(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
  const isKept = isFor(volume, claim);
  const annotations = isKept
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, [boundByController]: 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...volume.spec, claimRef: claimRef as NonNullable<PersistentVolume['spec']['claimRef']> },
  };
}
