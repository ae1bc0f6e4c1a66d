/** Nodes on which a preemption would help, and the one where it does least harm. */
import type { DefaultPreemptionArgs } from '../../config/plugin-args.ts';
import { CooperativeScheduler } from '../../../machinery/cooperative-scheduling.ts';
import type { NodeStatuses } from '../../framework/node-statuses.ts';
import { NodeStatuses as Statuses } from '../../framework/node-statuses.ts';
import { unresolvable } from '../../framework/status.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import { name, type PreemptionScene, selectVictims, type Victims } from './victims.ts';

export interface Candidate {
  readonly nodeName: string;
  readonly victims: Victims;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Why the other nodes are none. */
  readonly statuses: NodeStatuses;
}

/** In a large cluster not every node is tried. */
export function candidatesToFind(
  nodes: number,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: DefaultPreemptionArgs,
): number {
  const share = Math.floor((nodes * minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(share, minCandidateNodesAbsolute));
}

/**
 * @param nodes that refuse the pod for something that the removal of pods can change
 * @param offset of the first to be tried
 */
export async function findCandidates(
  scene: PreemptionScene,
  nodes: readonly NodeInfo[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Candidates> {
  const turns = new CooperativeScheduler();
  const statuses = new Statuses();
  statuses.absent = unresolvable(name, 'Preemption is not helpful for scheduling');
  const candidates: Candidate[] = [];
  let hasHarmless = false;
  for (let i = 0; i < nodes.length; i++) {
    if (hasHarmless && candidates.length >= limit) break;
    const node = nodes[(offset + i) % nodes.length]!;
    const selection = selectVictims(scene, node);
    if ('status' in selection) statuses.set(node.name, selection.status);
    else {
      candidates.push({ nodeName: node.name, victims: selection.victims });
      hasHarmless ||= selection.victims.violations === 0;
    }
    await turns.next();
  }
  return { candidates, statuses };
}

/** Priorities may be negative: each victim must count. */
const priorityOffset = 2 ** 31;

/** Less is better, the first that differs decides. */
const harms: readonly ((candidate: Candidate) => number)[] = [
  ({ victims }) => victims.violations,
  ({ victims }) => victims.pods[0]!.priority,
  ({ victims }) => victims.pods.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
  ({ victims }) => victims.pods.length,
  // The most important victims have run for as short as possible.
  (candidate) => -earliestStart(candidate),
];

function earliestStart({ victims: { pods } }: Candidate): number {
  const highest = pods[0]!.priority;
  const starts = pods
    .filter(({ priority }) => priority === highest)
    .map(({ pod }) => Date.parse(pod.status.startTime ?? ''))
    .map((start) => (Number.isNaN(start) ? Infinity : start));
  return Math.min(...starts);
}

/** Undefined when there is none. */
export function leastHarmful(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const harm of harms) {
    if (left.length <= 1) break;
    const values = left.map(harm);
    const least = Math.min(...values);
    left = left.filter((_, i) => values[i] === least);
  }
  return left[0];
}
