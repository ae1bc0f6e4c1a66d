/**
 * Makes the ResourceClaims that pods want from templates, and gives claims back when no pod uses them any more.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ | Dynamic Resource
 *   Allocation}
 */
import {
  canBeReserved,
  claimOf,
  isOwnedBy,
  isReservedFor,
  ownerProblem,
  reservedFor,
} from '../../api/resource/pod-claims.ts';
import type { Pod, PodResourceClaim } from '../../api/gen/types/core-v1.ts';
import type { ResourceClaim, ResourceClaimConsumerReference } from '../../api/gen/types/resource-v1beta1.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { ControllerContext } from '../manager/context.ts';
import { controllerOf } from '../shared/owner-references.ts';
import { eventsOf } from '../shared/triggers.ts';
import { claimMetrics } from './metrics.ts';
import { afterUse, claimFrom, isPodDone, podClaimAnnotation, withoutFinalizer } from './sync.ts';

const workers = 10;
const fieldManager = 'ResourceClaimController';
const byOwner = 'resourceClaimOwner';
const byClaim = 'podResourceClaim';

export function startResourceClaims(context: ControllerContext): void {
  const { client, events } = context;
  const { resourceclaims, resourceclaimtemplates } = client.resource.v1beta1;
  const pods = context.informer(client.core.v1.pods);
  const claims = context.informer(resourceclaims);
  const templates = context.informer(resourceclaimtemplates);
  const cache = context.mutationCache(claims);
  const metrics = claimMetrics(context.metrics, () => claims.objects.values());
  context.index(claims, byOwner, (claim) => {
    const owner = controllerOf(claim);
    return owner?.kind === 'Pod' && owner.apiVersion === 'v1' ? [owner.uid!] : [];
  });
  context.index(pods, byClaim, (pod) =>
    (pod.spec?.resourceClaims ?? []).flatMap((podClaim) => {
      const found = claimOf(pod, podClaim);
      return typeof found === 'string' ? [] : [`${pod.metadata.namespace}/${found.name}`];
    }),
  );

  const statusOf = ({ metadata }: ResourceClaim) => resourceclaims.namespace(metadata.namespace!).status;
  /** The name of a claim that was made and is to be noted in the status of the pod; undefined when there is nothing. */
  const ensure = async (pod: Pod, podClaim: PodResourceClaim): Promise<string | undefined> => {
    const namespace = pod.metadata.namespace!;
    const found = claimOf(pod, podClaim);
    if (found === 'unneeded') return undefined;
    if (found !== 'missing') {
      const claim = cache.get(`${namespace}/${found.name}`);
      if (claim !== undefined && (!found.isGenerated || isOwnedBy(claim, pod))) return undefined;
    }
    const template = podClaim.resourceClaimTemplateName;
    if (template === undefined) return undefined;
    const orphan = claims.objects
      .byIndex(byOwner, pod.metadata.uid!)
      .find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === podClaim.name);
    if (orphan !== undefined) return orphan.metadata.name!;
    const from = templates.lister.get(namespace, template);
    if (from === undefined)
      throw new Error(
        `resource claim template "${template}": resourceclaimtemplate.resource.k8s.io "${template}" not found`,
      );
    const made = await metrics.created(() =>
      resourceclaims.namespace(namespace).create(claimFrom(from, pod, podClaim)),
    );
    cache.wrote(made);
    return made.metadata.name!;
  };
  const makeClaims = async (pod: Pod): Promise<void> => {
    const made = new Map<string, string>();
    for (const podClaim of pod.spec?.resourceClaims ?? []) {
      try {
        const name = await ensure(pod, podClaim);
        if (name !== undefined) made.set(podClaim.name!, name);
      } catch (error) {
        const message = `PodResourceClaim ${podClaim.name}: ${(error as Error).message}`;
        events.event(pod, 'Warning', 'FailedResourceClaimCreation', message);
        throw error;
      }
    }
    if (made.size === 0) return;
    const resourceClaimStatuses = [...made].map(([name, resourceClaimName]) => ({ name, resourceClaimName }));
    const { name, namespace } = pod.metadata;
    const applied = { metadata: { name: name!, namespace: namespace! }, status: { resourceClaimStatuses } };
    await client.core.v1.pods.namespace(namespace!).status.apply(applied as never, { fieldManager, force: true });
  };
  /** A pod that came to its node without the scheduler. */
  const reserve = async (pod: Pod): Promise<void> => {
    for (const podClaim of pod.spec?.resourceClaims ?? []) {
      const found = claimOf(pod, podClaim);
      if (typeof found === 'string') continue;
      const claim = cache.get(`${pod.metadata.namespace}/${found.name}`);
      if (claim === undefined) return;
      const problem = found.isGenerated ? ownerProblem(claim, pod) : undefined;
      if (problem !== undefined) throw new Error(problem);
      if (claim.status?.allocation !== undefined && !isReservedFor(claim, pod) && canBeReserved(claim))
        cache.wrote(await statusOf(claim).update(reservedFor(claim, pod)));
    }
  };
  const syncPod = async (key: string): Promise<void> => {
    const pod = pods.objects.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    await makeClaims(pod);
    if ((pod.spec?.nodeName ?? '') !== '') await reserve(pod);
  };

  const isValid = async (
    namespace: string,
    { resource, name, uid, apiGroup = '' }: ResourceClaimConsumerReference,
  ): Promise<boolean> => {
    if (apiGroup !== '' || resource !== 'pods')
      throw new Error(`unsupported ReservedFor entry: ${apiGroup}/${resource}/${name}`);
    const known = pods.lister.get(namespace, name!);
    if (known !== undefined) return known.metadata.uid === uid && !isPodDone(known);
    try {
      // The scheduler may have reserved it for a pod that is not known here yet.
      return (await client.core.v1.pods.namespace(namespace).get(name!)).metadata.uid === uid;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  };
  const syncClaim = async (key: string): Promise<void> => {
    const found = cache.get(key);
    if (found === undefined) return;
    let claim = found;
    const namespace = claim.metadata.namespace!;
    const valid: ResourceClaimConsumerReference[] = [];
    for (const consumer of claim.status?.reservedFor ?? [])
      if (await isValid(namespace, consumer)) valid.push(consumer);
    const { status, release = false } = afterUse(claim, valid);
    if (status !== undefined) cache.wrote((claim = await statusOf(claim).update(status)));
    if (release) cache.wrote((claim = await resourceclaims.namespace(namespace).update(withoutFinalizer(claim))));
    if (valid.length === 0) await removeUnused(claim);
  };
  /** The garbage collector does it when the pod is gone, which can be long after its end. */
  const removeUnused = async (claim: ResourceClaim): Promise<void> => {
    const owner = controllerOf(claim);
    if (owner?.kind !== 'Pod' || claim.metadata.deletionTimestamp !== undefined) return;
    const { name, namespace } = claim.metadata;
    const pod = pods.lister.get(namespace!, owner.name!);
    if (pod === undefined || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
    await resourceclaims
      .namespace(namespace!)
      .delete(name!)
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  };

  context.work({
    queue: 'resource_claim',
    workers,
    triggers: [
      eventsOf(templates, () => ({})),
      eventsOf(pods, (add) => {
        const look = (pod: Pod): void => {
          if ((pod.spec?.resourceClaims ?? []).length === 0) return;
          if (isPodDone(pod)) release(pod);
          else add(`pod:${pods.keyOf(pod)}`);
        };
        const release = (pod: Pod): void => {
          for (const podClaim of pod.spec?.resourceClaims ?? []) {
            const found = claimOf(pod, podClaim);
            if (typeof found !== 'string') add(`claim:${pod.metadata.namespace}/${found.name}`);
          }
          for (const claim of claims.objects.byIndex(byOwner, pod.metadata.uid!)) add(`claim:${claims.keyOf(claim)}`);
        };
        return { onAdd: look, onUpdate: (_, pod) => look(pod), onDelete: release };
      }),
      eventsOf(claims, (add) => {
        const look = (claim: ResourceClaim): void => add(`claim:${claims.keyOf(claim)}`);
        return {
          onAdd: look,
          onUpdate: (_, claim) => look(claim),
          onDelete(claim) {
            for (const pod of pods.objects.byIndex(byClaim, claims.keyOf(claim))) add(`pod:${pods.keyOf(pod)}`);
          },
        };
      }),
    ],
    async sync(key) {
      const colon = key.indexOf(':');
      const object = key.slice(colon + 1);
      await (key.startsWith('pod:') ? syncPod(object) : syncClaim(object));
      return undefined;
    },
  });
}
