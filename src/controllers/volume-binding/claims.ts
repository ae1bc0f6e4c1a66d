/** What is to become of a claim, from what there is. Reads nothing and writes nothing. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { bindCompleted, boundByController, selectedNode } from '../../api/core/persistent-volumes/binding.ts';
import { classOf, namesClass, waitsForConsumer } from '../../api/core/persistent-volumes/class-of.ts';
import {
  isFor,
  matchVolume,
  modeOf,
  offersModes,
  requestOf,
  sizeOf,
} from '../../api/core/persistent-volumes/matching.ts';
import type { EventType } from '../../client/events/recorder.ts';

export interface Notice {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export type ClaimVerdict =
  | { readonly do: 'bind'; readonly volume: PersistentVolume }
  /** Told at every look, as long as it is so. */
  | { readonly do: 'wait'; readonly notice?: Notice }
  | { readonly do: 'provision'; readonly className: string }
  | { readonly do: 'setClass'; readonly className: string }
  /** Told once. */
  | { readonly do: 'lose'; readonly notice: Notice }
  /** Told at every look, which fails. */
  | { readonly do: 'fail'; readonly notice: Notice; readonly problem: string };

export interface StorageView {
  volume(name: string): PersistentVolume | undefined;
  /** That are free and of a class. */
  volumesOfClass(name: string): readonly PersistentVolume[];
  /** That name the claim. @param key `namespace/name` */
  volumesOfClaim(key: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  /** Name of the class of claims that name none. */
  defaultClass(): string | undefined;
  /** Pods with the claim that have no node and are not over. */
  waitingPods(key: string): readonly string[];
}

export const claimKey = ({ metadata }: PersistentVolumeClaim): string =>
  `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

export function claimVerdict(claim: PersistentVolumeClaim, storage: StorageView): ClaimVerdict {
  if (claim.metadata.annotations?.[bindCompleted] !== undefined) return boundVerdict(claim, storage);
  return (claim.spec.volumeName ?? '') === '' ? freeVerdict(claim, storage) : namingVerdict(claim, storage);
}

function boundVerdict(claim: PersistentVolumeClaim, storage: StorageView): ClaimVerdict {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '')
    return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = storage.volume(volumeName);
  if (volume === undefined)
    return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const { claimRef } = volume.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { do: 'bind', volume };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

const lost = (reason: string, message: string): ClaimVerdict => ({
  do: 'lose',
  notice: { type: 'Warning', reason, message },
});

function freeVerdict(claim: PersistentVolumeClaim, storage: StorageView): ClaimVerdict {
  const className = classOf(claim);
  const isDelayed = waitsForConsumer(className === '' ? undefined : storage.storageClass(className));
  const volume = bestVolume(claim, isDelayed, storage);
  if (volume !== undefined) return { do: 'bind', volume };
  const found = namesClass(claim) ? undefined : storage.defaultClass();
  if (found !== undefined) return { do: 'setClass', className: found };
  if (isDelayed && claim.metadata.annotations?.[selectedNode] === undefined)
    return { do: 'wait', notice: waitingNotice(storage.waitingPods(claimKey(claim))) };
  if (className !== '') return { do: 'provision', className };
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return { do: 'wait', notice: { type: 'Normal', reason: 'FailedBinding', message } };
}

/** Volumes with fewer access modes first, however large: those with more are left to claims that need them. */
function bestVolume(
  claim: PersistentVolumeClaim,
  isDelayed: boolean,
  storage: StorageView,
): PersistentVolume | undefined {
  const byModes = new Map<number, PersistentVolume[]>();
  const add = (volume: PersistentVolume): void => {
    if (!offersModes(volume, claim)) return;
    const modes = new Set(volume.spec.accessModes).size;
    const alike = byModes.get(modes);
    if (alike === undefined) byModes.set(modes, [volume]);
    else alike.push(volume);
  };
  storage.volumesOfClaim(claimKey(claim)).forEach(add);
  if (!isDelayed) storage.volumesOfClass(classOf(claim)).forEach(add);
  for (const modes of [...byModes.keys()].sort((a, b) => a - b)) {
    const volume = matchVolume(claim, byModes.get(modes)!, { isKeptOnly: isDelayed });
    if (volume !== undefined) return volume;
  }
  return undefined;
}

function waitingNotice(pods: readonly string[]): Notice {
  if (pods.length === 0)
    return {
      type: 'Normal',
      reason: 'WaitForFirstConsumer',
      message: 'waiting for first consumer to be created before binding',
    };
  const message = `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

function namingVerdict(claim: PersistentVolumeClaim, storage: StorageView): ClaimVerdict {
  const { volumeName = '' } = claim.spec;
  const volume = storage.volume(volumeName);
  if (volume === undefined) return { do: 'wait' };
  if (volume.spec.claimRef === undefined) {
    const problem = mismatch(claim, volume);
    if (problem === undefined) return { do: 'bind', volume };
    const message = `Cannot bind to requested volume "${volumeName}": ${problem}`;
    return { do: 'wait', notice: { type: 'Warning', reason: 'VolumeMismatch', message } };
  }
  if (isFor(volume, claim)) return { do: 'bind', volume };
  const message = `volume "${volumeName}" already bound to a different claim.`;
  const notice = { type: 'Warning', reason: 'FailedBinding', message } as const;
  if (claim.metadata.annotations?.[boundByController] === undefined) return { do: 'wait', notice };
  const { namespace = '', name = '' } = volume.spec.claimRef;
  const problem =
    `invalid binding of claim "${claimKey(claim)}" to volume "${volumeName}": ` +
    `volume already claimed by "${namespace}/${name}"`;
  return { do: 'fail', notice, problem };
}

/** Why a claim cannot have the volume that it names. */
function mismatch(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const { name = '', deletionTimestamp } = volume.metadata;
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion "${name}"`;
  if (sizeOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (modeOf(volume) !== modeOf(claim)) return 'incompatible volumeMode';
  return offersModes(volume, claim) ? undefined : 'incompatible accessMode';
}
