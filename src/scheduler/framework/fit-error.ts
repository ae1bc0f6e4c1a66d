/** Why a pod has no node, in the sentence that its condition and its events show. */
import { compareText } from '../../machinery/compare-text.ts';
import type { NodeStatuses } from './node-statuses.ts';
import type { Status } from './status.ts';

export const noNodesMessage = 'no nodes available to schedule pods';

export interface Diagnosis {
  readonly statuses: NodeStatuses;
  /** Names of those that refused the pod; what they wait for wakes it. */
  readonly unschedulablePlugins: Set<string>;
  readonly pendingPlugins: Set<string>;
  /** Why no node can be suitable, whatever it is. Nodes are not counted then. */
  preFilterMessage: string;
  postFilterMessage: string;
}

export const emptyDiagnosis = (statuses: NodeStatuses): Diagnosis => ({
  statuses,
  unschedulablePlugins: new Set(),
  pendingPlugins: new Set(),
  preFilterMessage: '',
  postFilterMessage: '',
});

export function addRejection(diagnosis: Diagnosis, { code, plugin }: Status): void {
  if (plugin === '') return;
  if (code === 'Pending') diagnosis.pendingPlugins.add(plugin);
  else diagnosis.unschedulablePlugins.add(plugin);
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: ...` */
export function fitMessage(nodeCount: number, diagnosis: Diagnosis): string {
  const { statuses, preFilterMessage, postFilterMessage } = diagnosis;
  const why = preFilterMessage === '' ? countedReasons(nodeCount, statuses) : preFilterMessage;
  const parts = [`0/${nodeCount} nodes are available:`];
  if (why !== '') parts.push(`${why}.`);
  if (postFilterMessage !== '') parts.push(postFilterMessage);
  return parts.join(' ');
}

function countedReasons(nodeCount: number, statuses: NodeStatuses): string {
  const counts = new Map<string, number>();
  const count = ({ reasons }: Status, nodes: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  };
  for (const status of statuses.values()) count(status, 1);
  if (statuses.absent !== undefined && nodeCount > statuses.size) count(statuses.absent, nodeCount - statuses.size);
  return [...counts]
    .map(([reason, nodes]) => `${nodes} ${reason}`)
    .sort(compareText)
    .join(', ');
}
