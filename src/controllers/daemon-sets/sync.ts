/** Which pods a DaemonSet makes and deletes: one on each of its nodes. */
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodAvailable, isPodReady, isPodTerminating } from '../shared/pod-conditions.ts';
import { isUpdated, targetNodeOf } from './daemon-pod.ts';
import { maxSurgeOf } from './limits.ts';
import type { Placements } from './placement.ts';

export interface DaemonInput {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: PodsByNode;
  readonly placements: Placements;
  /** Of the revision with the template of now. */
  readonly hash: string;
  readonly generation: string | undefined;
  /** Milliseconds for which a failed pod of the node is to stay. */
  readonly backoffMs: (node: string) => number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** By the node that they were made for, each list in the order in which pods stay. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** A pod that ended, and is replaced. */
export interface Ended {
  readonly pod: Pod;
  readonly node: string;
}

export interface Actions {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

export interface NodeActions extends Actions {
  /** Those of `delete` that ended. */
  readonly ended: readonly Ended[];
  /** Milliseconds until a failed pod that stays can be replaced. */
  readonly waitMs: number | undefined;
}

/** Pods that are over and go already are left out: nothing more is to be done about them. */
export function podsByNode(pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === undefined || (isPodTerminal(pod) && isPodTerminating(pod))) continue;
    const known = byNode.get(node);
    if (known === undefined) byNode.set(node, [pod]);
    else known.push(pod);
  }
  for (const list of byNode.values()) if (list.length > 1) list.sort(byScheduledAndAge);
  return byNode;
}

const isScheduled = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

function byScheduledAndAge(a: Pod, b: Pod): number {
  if (isScheduled(a) !== isScheduled(b)) return isScheduled(a) ? -1 : 1;
  const [first, second] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return first! < second! ? -1 : 1;
}

/** Puts a pod where one is missing, and deletes those that ended, are too many, or should not be there. */
export function nodeActions(input: DaemonInput): NodeActions {
  const { nodes, pods, placements } = input;
  const create: string[] = [];
  const remove: Pod[] = [];
  const ended: Ended[] = [];
  let waitMs: number | undefined;
  const names = new Set<string>();
  for (const node of nodes) {
    const name = node.metadata.name!;
    names.add(name);
    const placement = placements(node);
    const known = pods.get(name);
    if (known === undefined) {
      if (placement === 'run') create.push(name);
      continue;
    }
    const staying = known.filter((pod) => !isPodTerminating(pod));
    if (placement === 'none') {
      remove.push(...staying);
      continue;
    }
    const running = staying.filter((pod) => !isPodTerminal(pod));
    for (const pod of staying) {
      if (!isPodTerminal(pod)) continue;
      const left = pod.status.phase === 'Failed' ? input.backoffMs(name) : 0;
      if (left > 0) waitMs = Math.min(left, waitMs ?? left);
      else ended.push({ pod, node: name });
    }
    if (allowsSurge(input.set) && running.length === 0 && placement === 'run') create.push(name);
    remove.push(...surplus(input, running));
  }
  remove.push(...ended.map(({ pod }) => pod), ...unscheduledWithoutNode(pods, names));
  return { create, delete: remove, ended, waitMs };
}

const allowsSurge = (set: DaemonSet): boolean => maxSurgeOf(set, 1) > 0;

/** A surge lets the old pod of a node stay as long as it is ready, until the new one is available. */
function surplus(input: DaemonInput, running: readonly Pod[]): readonly Pod[] {
  const { set, hash, nowMs } = input;
  if (!allowsSurge(set) || running.length <= 1) return running.slice(1);
  const isNew = (pod: Pod): boolean => isUpdated(pod, hash, undefined);
  const [newPod, ...moreNew] = running.filter(isNew);
  const [oldPod, ...moreOld] = running.filter((pod) => !isNew(pod));
  const isReplaced =
    newPod !== undefined &&
    oldPod !== undefined &&
    (!isPodReady(oldPod) || isPodAvailable(newPod, set.spec.minReadySeconds ?? 0, nowMs));
  return [...moreNew, ...moreOld, ...(isReplaced ? [oldPod] : [])];
}

/** Pods for nodes that are gone are never bound, and no one else deletes them. */
const unscheduledWithoutNode = (pods: PodsByNode, nodes: ReadonlySet<string>): Pod[] =>
  [...pods].flatMap(([node, list]) =>
    nodes.has(node) ? [] : list.filter((pod) => !isScheduled(pod) && !isPodTerminating(pod)),
  );
