/**
 * Rolls out Deployments: one ReplicaSet per template, whose sizes change step by step.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ | Deployments}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import { changesOf, deletionsOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { keyOfController, keysOfOwned } from '../shared/claim.ts';
import { controllerIndex, controllerKeys } from '../shared/owner-references.ts';
import { Rollout } from './rollout.ts';

const kind = 'Deployment';

export function startDeployments(context: ControllerContext): void {
  const { client, options } = context;
  const deployments = context.informer(client.apps.v1.deployments);
  const sets = context.informer(client.apps.v1.replicasets);
  const pods = context.informer(client.core.v1.pods);
  context.index(pods, controllerIndex, controllerKeys);
  const setCache = context.mutationCache(sets);
  setCache.addIndex(controllerIndex, controllerKeys);
  const rollout = new Rollout(context, context.mutationCache(deployments), setCache, pods);
  const setKeys = keysOfOwned(kind, deployments, ({ spec }) => requirementsOf(spec.selector));
  /** A Deployment that recreates its pods waits for the last old one to be gone. */
  const recreating = (pod: Pod): string[] =>
    keyOfController(pod, 'ReplicaSet')
      .flatMap((key) => {
        const set = sets.objects.get(key);
        return set === undefined ? [] : keyOfController(set, kind);
      })
      .filter((key) => deployments.objects.get(key)?.spec?.strategy?.type === 'Recreate');
  context.work({
    queue: 'deployment',
    workers: options.deployment.concurrentSyncs,
    triggers: [changesOf(deployments), changesOf(sets, setKeys), deletionsOf(pods, recreating)],
    sync: (key) => rollout.sync(key),
  });
}
