/**
 * Keeps pods with an identity of their own: each has a number, a name and volumes that stay when it is made again.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ | StatefulSets}
 */
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { isConflict } from '../../client/api-error.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import { changesOf, deletionsOf } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ControllerContext } from '../manager/context.ts';
import { keysOfOwned } from '../shared/claim.ts';
import { ControllerRevisions } from '../shared/controller-revisions.ts';
import { controllerIndex, controllerKeys } from '../shared/owner-references.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { StatefulSetSyncer } from './syncer.ts';

export function startStatefulSets(context: ControllerContext): void {
  const { client, options } = context;
  const { statefulsets } = client.apps.v1;
  const sets = context.informer(statefulsets);
  const pods = context.informer(client.core.v1.pods);
  const claims = context.informer(client.core.v1.persistentvolumeclaims);
  const caches = {
    sets: context.mutationCache(sets),
    pods: context.mutationCache(pods),
    claims: context.mutationCache(claims),
  };
  caches.pods.addIndex(controllerIndex, controllerKeys);
  const revisions = new ControllerRevisions(context, {
    hashLabel: 'controller.kubernetes.io/hash',
    freshOwner: (namespace, name) => statefulsets.namespace(namespace).get(name).catch(undefinedWhenGone),
  });
  const syncer = new StatefulSetSyncer(context, caches, revisions);
  const owners = keysOfOwned('StatefulSet', sets, ({ spec }) => requirementsOf(spec.selector));
  context.work({
    queue: 'statefulset',
    workers: options.statefulSet.concurrentSyncs,
    triggers: [
      changesOf(sets),
      changesOf(pods, owners),
      changesOf(revisions.informer, owners),
      deletionsOf(claims, (claim) => setsOfClaim(sets, claim)),
    ],
    sync: (key) => syncer.sync(key),
    isExpected: (error) => isConflict(error) || isNamespaceTerminating(error),
  });
}

/** A pod that is made again waits until the claim of the one before is gone. */
function setsOfClaim(sets: Informer<StatefulSet>, { metadata }: PersistentVolumeClaim): string[] {
  const name = /^(.+)-\d+$/.exec(metadata.name!)?.[1];
  if (name === undefined) return [];
  return sets.lister
    .listIn(metadata.namespace!)
    .filter((set) =>
      set.spec.volumeClaimTemplates?.some((template) => name === `${template.metadata.name}-${set.metadata.name}`),
    )
    .map((set) => sets.keyOf(set));
}
