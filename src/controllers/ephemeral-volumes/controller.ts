/**
 * Makes the claims of pods with ephemeral volumes.
 * @see {@link https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes | Generic
 *   ephemeral volumes}
 */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import type { Input } from '../../client/index.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { keyOfController } from '../shared/claim.ts';
import { ephemeralClaimName } from '../../api/core/pods/claims.ts';
import { problemOfClaim } from '../shared/ephemeral-claims.ts';
import { controllerReference } from '../shared/owner-references.ts';

export function startEphemeralVolumes(context: ControllerContext): void {
  const { client, events, options } = context;
  const pods = context.informer(client.core.v1.pods);
  const claims = context.informer(client.core.v1.persistentvolumeclaims);
  const cache = context.mutationCache(claims);
  const ensure = async (pod: Pod, volume: Volume): Promise<void> => {
    const { namespace } = pod.metadata;
    const claim = cache.get(`${namespace}/${ephemeralClaimName(pod, volume)}`);
    const problem = claim === undefined ? undefined : problemOfClaim(pod, claim);
    if (problem !== undefined) throw new Error(problem);
    if (claim !== undefined) return;
    cache.wrote(await client.core.v1.persistentvolumeclaims.namespace(namespace!).create(claimOf(pod, volume)));
  };
  context.work({
    queue: 'ephemeral_volume',
    workers: options.ephemeralVolume.concurrentSyncs,
    triggers: [
      changesOf(pods, (pod) => (hasEphemeral(pod) ? [pods.keyOf(pod)] : [])),
      changesOf(claims, (claim) => keyOfController(claim, 'Pod')),
    ],
    sync: async (key) => {
      const pod = pods.objects.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
      for (const volume of pod.spec?.volumes ?? []) {
        if (volume.ephemeral === undefined) continue;
        await ensure(pod, volume).catch((error: unknown) => {
          const message = `ephemeral volume ${volume.name}: ${(error as Error).message}`;
          events.event(pod, 'Warning', 'FailedBinding', message);
          throw error;
        });
      }
      return undefined;
    },
  });
}

const hasEphemeral = ({ spec }: Pod): boolean => (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

function claimOf(pod: Pod, volume: Volume): Input<PersistentVolumeClaim> {
  const { metadata, spec } = volume.ephemeral!.volumeClaimTemplate!;
  const { labels, annotations } = metadata ?? {};
  return {
    metadata: {
      name: ephemeralClaimName(pod, volume),
      namespace: pod.metadata.namespace!,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' })],
    },
    spec,
  };
}
