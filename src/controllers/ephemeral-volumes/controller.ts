/**
 * Makes the claims of pods with ephemeral volumes.
 * @see {@link https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes | Generic
 *   ephemeral volumes}
 */
import { claimKeys } from '../../api/core/pods/claims.ts';
import { changesOf, deletionsOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { claimMetrics } from './metrics.ts';
import { hasEphemeral, stepsFor, type VolumeStep } from './sync.ts';

export function startEphemeralVolumes(context: ControllerContext): void {
  const { client, events, options } = context;
  const pods = context.informer(client.core.v1.pods);
  const claims = context.informer(client.core.v1.persistentvolumeclaims);
  const cache = context.mutationCache(claims);
  const counted = claimMetrics(context.metrics);
  context.index(pods, claimIndex, claimKeys);
  const take = async (step: VolumeStep): Promise<void> => {
    if (step.do === 'refuse') throw new Error(step.problem);
    const { name, namespace } = step.claim.metadata as { name: string; namespace: string };
    const resource = client.core.v1.persistentvolumeclaims.namespace(namespace);
    try {
      cache.wrote(await counted(() => resource.create(step.claim)));
    } catch (error) {
      throw new Error(`create PVC ${name}: ${(error as Error).message}`, { cause: error });
    }
  };
  context.work({
    queue: 'ephemeral_volume',
    workers: options.ephemeralVolume.concurrentSyncs,
    triggers: [
      changesOf(pods, (pod) => (hasEphemeral(pod) ? [pods.keyOf(pod)] : [])),
      // Of any owner: a claim that was in the way of a pod's own may be gone now.
      deletionsOf(claims, (claim) =>
        pods.objects
          .byIndex(claimIndex, claims.keyOf(claim))
          .filter(hasEphemeral)
          .map((pod) => pods.keyOf(pod)),
      ),
    ],
    sync: async (key) => {
      const pod = pods.objects.get(key);
      if (pod === undefined) return undefined;
      for (const step of stepsFor(pod, (name) => cache.get(`${pod.metadata.namespace}/${name}`))) {
        await take(step).catch((error: unknown) => {
          const message = `ephemeral volume ${step.volume}: ${(error as Error).message}`;
          events.event(pod, 'Warning', 'FailedBinding', message);
          throw error;
        });
      }
      return undefined;
    },
  });
}
