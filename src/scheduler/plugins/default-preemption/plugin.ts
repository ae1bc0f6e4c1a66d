/**
 * When a pod fits nowhere, pods of lower priority give way to it on the node where that does least harm.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ | Preemption}
 */
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import type { DefaultPreemptionArgs } from '../../config/plugin-args.ts';
import type { PodEvents } from '../../cycle/pod-events.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import { emptyDiagnosis, fitMessage } from '../../framework/fit-error.ts';
import type { NodeStatuses } from '../../framework/node-statuses.ts';
import type { SchedulerObserver } from '../../framework/observer.ts';
import type { Has, PostFilterPlugin, PostFilterResult } from '../../framework/plugin.ts';
import type { Profile } from '../../framework/profile.ts';
import { unschedulable } from '../../framework/status.ts';
import type { NominatedPods } from '../../queue/nominated-pods.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { type Candidate, candidatesToFind, findCandidates, leastHarmful } from './candidates.ts';
import { clearNomination, evict, isPreempted, preemptionCondition } from './eviction.ts';
import { name } from './victims.ts';

export interface PreemptionParts {
  readonly cluster: ClusterState;
  readonly client: Pick<Client, 'core'>;
  readonly nominated: NominatedPods;
  /** The profile of a scheduler name. */
  readonly profile: (schedulerName: string) => Profile;
  readonly budgets: () => readonly PodDisruptionBudget[];
  readonly events: PodEvents;
  /** What extenders leave of the candidates. */
  readonly narrow: (pod: PodInfo, candidates: readonly Candidate[]) => Promise<readonly Candidate[]>;
  /** Turns away a pod that has the node but is not bound yet. @returns whether there is such a pod */
  readonly rejectWaiting: (uid: string) => boolean;
  readonly observer: SchedulerObserver;
  readonly log: Logger;
  readonly random: () => number;
  readonly wallTime: () => number;
}

export function createDefaultPreemption(args: DefaultPreemptionArgs, parts: PreemptionParts): Has<PostFilterPlugin> {
  return {
    name,
    async postFilter(state, pod, statuses) {
      parts.observer.preemptionAttempted();
      return preempt({ args, parts, state, pod, statuses });
    },
  };
}

interface Attempt {
  readonly args: DefaultPreemptionArgs;
  readonly parts: PreemptionParts;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly statuses: NodeStatuses;
}

const refused = (why: string, nominatedNodeName?: string): PostFilterResult => ({
  status: unschedulable(name, `preemption: ${why}`),
  nominatedNodeName,
});

async function preempt({ args, parts, state, pod, statuses }: Attempt): Promise<PostFilterResult> {
  const { cluster, random } = parts;
  const why = whyNotEligible(pod, statuses, cluster);
  if (why !== undefined) return refused(why);
  const nodes = statuses.nodesWith('Unschedulable', cluster.nodes);
  const scene = { profile: parts.profile(pod.pod.spec.schedulerName ?? ''), state, pod, budgets: parts.budgets() };
  const found = await findCandidates(scene, nodes, {
    offset: Math.floor(random() * nodes.length),
    limit: candidatesToFind(nodes.length, args),
  });
  if (found.candidates.length === 0)
    return refused(fitMessage(cluster.nodes.length, emptyDiagnosis(found.statuses)), '');
  const best = leastHarmful(await parts.narrow(pod, found.candidates));
  if (best === undefined) return refused('no candidate node for preemption');
  await makeRoom(pod, best, parts);
  return { status: undefined, nominatedNodeName: best.nodeName };
}

/** Undefined for a pod that others may give way to. */
export function whyNotEligible(
  { pod, priority }: PodInfo,
  statuses: NodeStatuses,
  cluster: Pick<ClusterState, 'node'>,
): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const { nominatedNodeName = '' } = pod.status;
  if (nominatedNodeName === '') return undefined;
  // Where no removal of pods helps, waiting for one does not either.
  if (statuses.get(nominatedNodeName)?.code === 'UnschedulableAndUnresolvable') return undefined;
  for (const other of cluster.node(nominatedNodeName)?.pods.values() ?? [])
    if (other.priority < priority && isPreempted(other.pod))
      return 'not eligible due to a terminating pod on the nominated node.';
  return undefined;
}

async function makeRoom(pod: PodInfo, { nodeName, victims }: Candidate, parts: PreemptionParts): Promise<void> {
  const { client, events, nominated, observer, rejectWaiting, wallTime } = parts;
  const condition = preemptionCondition(pod.pod, wallTime());
  await Promise.all(
    victims.pods.map(async (victim) => {
      if (!rejectWaiting(victim.uid)) await evict(client, victim, condition);
      events.preempted(victim.pod, pod.pod, nodeName);
    }),
  );
  observer.preempted(victims.pods.length);
  // They cannot count on the node any more, and look for another.
  const lower = [...nominated.on(nodeName).values()].filter(({ priority }) => priority < pod.priority);
  for (const { uid } of lower) nominated.delete(uid);
  const cleared = await Promise.allSettled(lower.map((other) => clearNomination(client, other)));
  for (const result of cleared)
    if (result.status === 'rejected')
      parts.log.warn({ err: result.reason as unknown, nodeName }, 'a nomination could not be cleared');
}
