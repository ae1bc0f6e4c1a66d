/**
 * Keeps claims that are in use by pods from being deleted.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection | Storage object
 *   in use protection}
 */
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimKeys } from '../../api/core/pods/claims.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { usesClaim } from './sync.ts';

const finalizer = 'kubernetes.io/pvc-protection';

export function startClaimProtection(context: ControllerContext): void {
  const { client } = context;
  const claims = context.informer(client.core.v1.persistentvolumeclaims);
  const pods = context.informer(client.core.v1.pods);
  context.index(pods, claimIndex, claimKeys);
  /** A pod that runs lets no claim go. */
  const released = (pod: Pod): readonly string[] => {
    const isGone = pods.objects.get(pods.keyOf(pod)) === undefined;
    return isGone || isPodTerminal(pod) || (pod.spec?.nodeName ?? '') === '' ? claimKeys(pod) : [];
  };
  const write = async (claim: PersistentVolumeClaim, isWanted: boolean): Promise<void> => {
    const resource = client.core.v1.persistentvolumeclaims.namespace(claim.metadata.namespace!);
    await resource.update(withFinalizer(claim, finalizer, isWanted)).catch(undefinedWhenGone);
  };
  context.work({
    queue: 'pvcprotection',
    workers: 1,
    triggers: [changesOf(claims), changesOf(pods, released)],
    sync: async (key) => {
      const claim = claims.objects.get(key);
      if (claim === undefined) return undefined;
      const isEnding = claim.metadata.deletionTimestamp !== undefined;
      if (!isEnding && !hasFinalizer(claim, finalizer)) await write(claim, true);
      if (!isEnding || !hasFinalizer(claim, finalizer)) return undefined;
      if (pods.objects.byIndex(claimIndex, key).some((pod) => usesClaim(pod, claim))) return undefined;
      // The server is asked too: a pod may have been bound that the informer has not seen.
      const { items } = await client.core.v1.pods.namespace(claim.metadata.namespace!).list();
      if (!items.some((pod) => usesClaim(pod, claim))) await write(claim, false);
      return undefined;
    },
  });
}
