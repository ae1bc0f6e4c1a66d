/**
 * The next step of a rolling update: old pods are deleted, or get a new one beside them.
 * @see {@link https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/ | Rolling update of a DaemonSet}
 */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { isPodAvailable, isPodTerminating } from '../shared/pod-conditions.ts';
import { isUpdated } from './daemon-pod.ts';
import { maxSurgeOf, maxUnavailableOf } from './limits.ts';
import type { Actions, DaemonInput } from './sync.ts';

/** The pods of a node that stay. Undefined when it has several of a kind, which are put in order first. */
interface NodePods {
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
}

export function updateActions(input: DaemonInput): Actions {
  const { nodes, placements, set } = input;
  const wanted = nodes.filter((node) => placements(node) === 'run');
  const maxSurge = maxSurgeOf(set, wanted.length);
  return maxSurge === 0 ? replaced(input, wanted) : surged(input, wanted.length, maxSurge);
}

/** Old pods that are not available are deleted in any case, others as long as enough are available. */
function replaced(input: DaemonInput, wanted: readonly Node[]): Actions {
  const { pods, set } = input;
  const isAvailable = availability(input);
  const remove: Pod[] = [];
  const candidates: Pod[] = [];
  // Nodes whose pod is still to be made count as well.
  let unavailable = wanted.filter(({ metadata }) => !pods.has(metadata.name!)).length;
  for (const list of pods.values()) {
    const found = podsOfNode(input, list);
    if (found === undefined || (found.newPod === undefined) === (found.oldPod === undefined)) unavailable++;
    else if (found.newPod !== undefined) unavailable += isAvailable(found.newPod) ? 0 : 1;
    else if (isAvailable(found.oldPod!)) candidates.push(found.oldPod!);
    else remove.push(found.oldPod!);
  }
  const left = Math.max(0, maxUnavailableOf(set, wanted.length) - unavailable);
  return { create: [], delete: [...remove, ...candidates.slice(0, left)] };
}

/** Nodes get a new pod beside the old one, which goes when the new one is available. */
function surged(input: DaemonInput, wanted: number, maxSurge: number): Actions {
  const { pods, nodes, placements } = input;
  const isAvailable = availability(input);
  const mayRun = new Set(nodes.filter((node) => placements(node) === 'run').map(({ metadata }) => metadata.name!));
  const remove: Pod[] = [];
  const create: string[] = [];
  const candidates: string[] = [];
  /** Available pods of nodes that no longer run one: they go when there are enough others. */
  const leaving: Pod[] = [];
  let surging = 0;
  let available = 0;
  for (const [node, list] of pods) {
    const found = podsOfNode(input, list);
    if (found === undefined) {
      surging++;
      continue;
    }
    const { newPod, oldPod } = found;
    const first = oldPod ?? newPod;
    if (first !== undefined && isAvailable(first)) available++;
    if (oldPod === undefined) continue;
    if (newPod !== undefined) {
      if (isAvailable(newPod)) remove.push(oldPod);
      else surging++;
    } else if (!mayRun.has(node)) (isAvailable(oldPod) ? leaving : remove).push(oldPod);
    else (isAvailable(oldPod) ? candidates : create).push(node);
  }
  return {
    create: [...create, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    delete: [...remove, ...leaving.slice(0, Math.max(0, available - wanted))],
  };
}

const availability =
  ({ set, nowMs }: DaemonInput) =>
  (pod: Pod): boolean =>
    isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);

function podsOfNode({ hash, generation }: DaemonInput, pods: readonly Pod[]): NodePods | undefined {
  let newPod: Pod | undefined;
  let oldPod: Pod | undefined;
  for (const pod of pods) {
    if (isPodTerminating(pod)) continue;
    const isNew = isUpdated(pod, hash, generation);
    if ((isNew ? newPod : oldPod) !== undefined) return undefined;
    if (isNew) newPod = pod;
    else oldPod = pod;
  }
  return { newPod, oldPod };
}
