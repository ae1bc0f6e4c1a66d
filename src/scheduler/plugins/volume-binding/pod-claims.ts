/** The claims of a pod by what is to be done for them. */
import { namedClaims } from '../../../api/core/pods/claims.ts';
import type { PersistentVolumeClaim, Pod } from '../../../api/gen/types/core-v1.ts';
import { bindCompleted } from '../../../api/core/persistent-volumes/binding.ts';
import { classOf, waitsForConsumer } from '../../../api/core/persistent-volumes/class-of.ts';
import { claimNotFound, type StorageReader } from '../volumes/storage-reader.ts';

export interface PodClaims {
  /** They have a volume. */
  readonly bound: readonly PersistentVolumeClaim[];
  /** Their volume is chosen or made when the pod has a node. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** They should have a volume already. */
  readonly immediate: readonly PersistentVolumeClaim[];
}

export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec.volumeName ?? '') !== '' && metadata.annotations?.[bindCompleted] !== undefined;

export type ClaimReader = Pick<StorageReader, 'claim' | 'storageClass'>;

/** Why no node can be suitable, in one sentence, or undefined. */
export function claimProblem(pod: Pod, storage: Pick<StorageReader, 'claim'>): string | undefined {
  for (const { key, name, isEphemeral } of namedClaims(pod)) {
    const claim = storage.claim(key);
    if (claim === undefined)
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : claimNotFound(name);
    if (claim.status.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    if (isEphemeral && !belongsTo(claim, pod)) return notCreatedFor(claim, pod);
  }
  return undefined;
}

const belongsTo = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === pod.metadata.uid) === true;

function notCreatedFor({ metadata: claim }: PersistentVolumeClaim, { metadata: pod }: Pod): string {
  const [claimKey, podKey] = [claim, pod].map(({ namespace = '', name = '' }) => `${namespace}/${name}`);
  return `PVC ${claimKey!} was not created for pod ${podKey!} (pod is not owner)`;
}

export function sortClaims(pod: Pod, storage: ClaimReader): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  const immediate: PersistentVolumeClaim[] = [];
  for (const { key } of namedClaims(pod)) {
    const claim = storage.claim(key);
    if (claim === undefined) continue;
    if (isFullyBound(claim)) bound.push(claim);
    // A claim that names its volume does not wait for a node.
    else if ((claim.spec.volumeName ?? '') === '' && waitsForConsumer(storage.storageClass(classOf(claim))))
      delayed.push(claim);
    else immediate.push(claim);
  }
  return { bound, delayed, immediate };
}
