/** What becomes of an object, by what the server says of its owners. */
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { foregroundFinalizer, type GraphNode, orphanFinalizer } from './graph.ts';

/** The references of an object, by their owners. */
export interface OwnerClasses {
  /** It exists. */
  readonly solid: readonly OwnerReference[];
  /** There is no such object. */
  readonly dangling: readonly OwnerReference[];
  /** It is deleted in the foreground, and waits for its dependents. */
  readonly waiting: readonly OwnerReference[];
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export type Verdict =
  | { readonly action: 'keep' }
  /** These references are taken out. */
  | { readonly action: 'release'; readonly uids: readonly string[] }
  /** `unblock`: its references block no owner any more, before it is deleted. */
  | { readonly action: 'delete'; readonly policy: PropagationPolicy; readonly unblock: boolean };

/** @param latest the object as the server has it */
export function verdictOn(
  node: Pick<GraphNode, 'dependents'>,
  latest: KubeObject,
  { solid, dangling, waiting }: OwnerClasses,
): Verdict {
  if (solid.length > 0) {
    const uids = [...dangling, ...waiting].map(({ uid }) => uid!);
    return uids.length === 0 ? { action: 'keep' } : { action: 'release', uids };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    // Two that wait for each other would wait forever.
    const unblock = [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents);
    return { action: 'delete', policy: 'Foreground', unblock };
  }
  return { action: 'delete', policy: policyOf(latest), unblock: false };
}

/** What an earlier deletion of the object asked for. */
function policyOf({ metadata }: KubeObject): PropagationPolicy {
  if (metadata?.finalizers?.includes(orphanFinalizer) === true) return 'Orphan';
  return metadata?.finalizers?.includes(foregroundFinalizer) === true ? 'Foreground' : 'Background';
}

export const isWaitingForDependents = ({ metadata }: KubeObject): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(foregroundFinalizer) === true;

/** A strategic merge patch that takes references out. @param uid of the object: a later one is not changed */
export const releasePatch = (uid: string, owners: readonly string[]): object => ({
  metadata: { uid, ownerReferences: owners.map((owner) => ({ $patch: 'delete', uid: owner })) },
});

export const unblockPatch = ({ metadata }: KubeObject): object => ({
  metadata: {
    uid: metadata?.uid,
    ownerReferences: blocking(metadata?.ownerReferences).map(({ uid }) => ({ uid, blockOwnerDeletion: false })),
  },
});

/** The same as merge patches, for custom resources: of the object as it is at a version. */
export const releasedReferences = (object: KubeObject, owners: readonly string[]): OwnerReference[] =>
  (object.metadata?.ownerReferences ?? []).filter(({ uid }) => !owners.includes(uid!));

export const unblockedReferences = ({ metadata }: KubeObject): OwnerReference[] =>
  (metadata?.ownerReferences ?? []).map((reference) =>
    reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
  );

const blocking = (references: readonly OwnerReference[] = []): OwnerReference[] =>
  references.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);

/** Of the event about a reference to an owner in another namespace. */
export const invalidNamespaceMessage = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ` +
  JSON.stringify(namespace);
