/** Which pods of a node must go so that a pod fits: as few and as unimportant ones as possible. */
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Answer } from '../../framework/plugin.ts';
import type { Profile } from '../../framework/profile.ts';
import { Status, unresolvable } from '../../framework/status.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { splitByBudget } from './disruption-budgets.ts';

export const name = 'DefaultPreemption';
const noVictims = unresolvable(name, 'No preemption victims found for incoming pod');

export interface Victims {
  /** The most important is first. */
  readonly pods: readonly PodInfo[];
  /** How many of them a disruption budget would keep. */
  readonly violations: number;
}

export type Selection = { readonly victims: Victims } | { readonly status: Status };

export interface PreemptionScene {
  readonly profile: Profile;
  /** Of the pod's cycle. Not changed. */
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: readonly PodDisruptionBudget[];
}

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? '~';

/** Negative when `a` is more important: of higher priority, or running for longer. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [startA, startB] = [startOf(a), startOf(b)];
  return startA < startB ? -1 : startA > startB ? 1 : 0;
}

/** Tries on a copy of the node: all less important pods go, and come back one by one while the pod still fits. */
export function selectVictims({ profile, state, pod, budgets }: PreemptionScene, original: NodeInfo): Selection {
  const node = original.clone();
  const trial = state.clone();
  const filters = profile.filtersFor(trial);
  const remove = (victim: PodInfo): void => {
    node.removePod(victim.uid);
    profile.podRemoved(trial, pod, victim, node);
  };
  const add = (victim: PodInfo): void => {
    node.addPod(victim);
    profile.podAdded(trial, pod, victim, node);
  };
  const fits = (): Answer => profile.filter(filters, trial, pod, node);
  const lower = [...original.pods.values()].filter(({ priority }) => priority < pod.priority).sort(byImportance);
  if (lower.length === 0) return { status: noVictims };
  for (const victim of lower) remove(victim);
  const unfit = fits();
  if (unfit !== undefined) return { status: unfit };
  const mustGo = (victim: PodInfo): boolean => {
    add(victim);
    if (fits() === undefined) return false;
    remove(victim);
    return true;
  };
  const { violating, others } = splitByBudget(lower, budgets);
  const violatingVictims = violating.filter(mustGo);
  const pods = [...violatingVictims, ...others.filter(mustGo)].sort(byImportance);
  if (pods.length > 0) return { victims: { pods, violations: violatingVictims.length } };
  return { status: new Status('Error', name, [`expected at least one victim pod on node "${original.name}"`]) };
}
