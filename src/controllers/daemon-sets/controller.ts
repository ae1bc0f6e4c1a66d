/**
 * Keeps one pod on each node that a DaemonSet is for.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ | DaemonSet}
 */
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import { changesOf, type Trigger } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ControllerContext } from '../manager/context.ts';
import { keysOfOwned } from '../shared/claim.ts';
import { ControllerRevisions, podRevisionLabel } from '../shared/controller-revisions.ts';
import { controllerIndex, controllerKeys } from '../shared/owner-references.ts';
import { eventsOf } from '../shared/triggers.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { DaemonHistory } from './history.ts';
import { mayBePlacedOtherwise, placementsOf } from './placement.ts';
import { DaemonSetSyncer } from './syncer.ts';

const forgetPeriodMs = 60_000;

export function startDaemonSets(context: ControllerContext): void {
  const { client, options, clock } = context;
  const { daemonsets } = client.apps.v1;
  const sets = context.informer(daemonsets);
  const nodes = context.informer(client.core.v1.nodes);
  const podInformer = context.informer(client.core.v1.pods);
  const pods = context.mutationCache(podInformer);
  pods.addIndex(controllerIndex, controllerKeys);
  const revisions = new ControllerRevisions(context, {
    hashLabel: podRevisionLabel,
    freshOwner: (namespace, name) => daemonsets.namespace(namespace).get(name).catch(undefinedWhenGone),
  });
  const backoff = new FailedPodBackoff(clock);
  const caches = { sets: context.mutationCache(sets), pods, nodes };
  const syncer = new DaemonSetSyncer(context, caches, new DaemonHistory(context, pods, revisions), backoff);
  const owners = keysOfOwned('DaemonSet', sets, ({ spec }) => requirementsOf(spec.selector));
  context.work({
    queue: 'daemonset',
    workers: options.daemonSet.concurrentSyncs,
    triggers: [
      changesOf(sets),
      changesOf(podInformer, owners),
      changesOf(revisions.informer, owners),
      placementChanges(nodes, sets),
    ],
    sync: (key) => syncer.sync(key),
  });
  context.every(forgetPeriodMs, async () => backoff.forgetOld());
}

/** Sets that see a node differently than before. Nodes report often, and hardly ever anything that matters here. */
function placementChanges(nodes: Informer<Node>, sets: Informer<DaemonSet>): Trigger {
  return eventsOf(nodes, (add) => ({
    onAdd(node) {
      for (const set of sets.objects.values()) if (placementsOf(set)(node) === 'run') add(sets.keyOf(set));
    },
    onUpdate(before, after) {
      if (!mayBePlacedOtherwise(before, after)) return;
      for (const set of sets.objects.values()) {
        const placements = placementsOf(set);
        if (placements(before) !== placements(after)) add(sets.keyOf(set));
      }
    },
  }));
}
