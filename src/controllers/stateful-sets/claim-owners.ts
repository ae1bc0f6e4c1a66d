/**
 * Who owns the claims of a StatefulSet's pods, so that they are deleted with the set or with the pod, as the set's
 * retention policy says.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention |
 *   PersistentVolumeClaim retention}
 */
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { controllerReference } from '../shared/owner-references.ts';
import { isInRange } from './identity.ts';

interface Policy {
  readonly deletesWithSet: boolean;
  readonly deletesWithPod: boolean;
}

function policyOf({ spec }: StatefulSet): Policy {
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { deletesWithSet: whenDeleted === 'Delete', deletesWithPod: whenScaled === 'Delete' };
}

/** A claim that belongs to an earlier pod of this name is about to be deleted: a pod that is made now would lose it. */
export function isStaleFor(set: StatefulSet, podName: string, claim: PersistentVolumeClaim): boolean {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: podName, uid: '' } };
  return policyOf(set).deletesWithPod && hasStaleOwner(claim, pod);
}

/** Something else controls the claim, or an earlier set or pod of the same name: the policy does not hold for it. */
export function hasOtherController(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { deletesWithSet, deletesWithPod } = policyOf(set);
  if (!deletesWithSet && !deletesWithPod) return false;
  return referencesOf(claim).some((reference) => {
    const own = [set, pod].find((owner) => namesSame(reference, owner));
    return own === undefined ? reference.controller === true : reference.uid !== own.metadata.uid;
  });
}

/** The references that the claim should have; undefined when it has them. */
export function wantedOwners(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): OwnerReference[] | undefined {
  const references = referencesOf(claim);
  if (hasStaleOwner(claim, set) || hasStaleOwner(claim, pod)) return undefined;
  const owner = hasOtherController(set, pod, claim) ? undefined : wantedOwner(set, pod);
  const own = references.filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  const [only] = own;
  const isWanted =
    owner === undefined ? own.length === 0 : own.length === 1 && only!.uid === owner.metadata!.uid && only!.controller;
  if (isWanted === true) return undefined;
  const others = references.filter((reference) => !namesSame(reference, set) && !namesSame(reference, pod));
  return owner === undefined ? others : [...others, controllerReference(owner)];
}

function wantedOwner(set: StatefulSet, pod: Pod): KubeObject | undefined {
  const { deletesWithSet, deletesWithPod } = policyOf(set);
  if (deletesWithPod && !isInRange(set, pod)) return pod;
  return deletesWithSet ? set : undefined;
}

const referencesOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] => metadata.ownerReferences ?? [];

const namesSame = ({ apiVersion, kind, name }: OwnerReference, owner: KubeObject): boolean =>
  apiVersion === owner.apiVersion && kind === owner.kind && name === owner.metadata!.name;

const hasStaleOwner = (claim: PersistentVolumeClaim, owner: KubeObject): boolean =>
  referencesOf(claim).some((reference) => namesSame(reference, owner) && reference.uid !== owner.metadata!.uid);
