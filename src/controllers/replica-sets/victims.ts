/**
 * Which pods a ReplicaSet that has too many deletes first.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset | Scaling a
 *   ReplicaSet}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodReady, readySinceMs, timeMs } from '../shared/pod-conditions.ts';

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/** Negative: the first pod goes before the second. */
type Order = (a: Pod, b: Pod) => number;

/**
 * @param related pods of the same controller and of its siblings: nodes with many of them lose pods first
 * @param nowMs since 1970
 */
export function victimsOf(pods: readonly Pod[], count: number, related: readonly Pod[], nowMs: number): Pod[] {
  if (count >= pods.length) return [...pods];
  const onNode = countByNode(related);
  const rank = ({ spec }: Pod): number => onNode.get(spec?.nodeName ?? '') ?? 0;
  const order: readonly Order[] = [
    by((pod) => ((pod.spec?.nodeName ?? '') === '' ? 0 : 1)),
    by(({ status }) => phaseOrder[status?.phase ?? ''] ?? 1),
    by((pod) => (isPodReady(pod) ? 1 : 0)),
    by(deletionCost),
    by((pod) => -rank(pod)),
    (a, b) => byReadyTime(a, b, nowMs),
    by((pod) => -restarts(pod, 'containerStatuses')),
    by((pod) => -restarts(pod, 'initContainerStatuses')),
    (a, b) => byAge(timeMs(a.metadata.creationTimestamp!), timeMs(b.metadata.creationTimestamp!), a, b, nowMs),
  ];
  return pods.toSorted((a, b) => firstDifference(order, a, b)).slice(0, count);
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

const by =
  (key: (pod: Pod) => number): Order =>
  (a, b) =>
    key(a) - key(b);

function firstDifference(orders: readonly Order[], a: Pod, b: Pod): number {
  for (const order of orders) {
    const difference = order(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

function countByNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { spec } of pods) {
    const node = spec?.nodeName ?? '';
    if (node !== '') counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCostAnnotation] ?? '';
  return /^(0|-?[1-9]\d{0,9})$/.test(text) && Math.abs(Number(text)) <= 2 ** 31 ? Number(text) : 0;
}

/** Only of pods that are both ready. */
function byReadyTime(a: Pod, b: Pod, nowMs: number): number {
  if (!isPodReady(a)) return 0;
  const [first, second] = [readySinceMs(a), readySinceMs(b)];
  if (first === second) return 0;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  return byAge(first, second, a, b, nowMs);
}

/**
 * The younger goes first. Ages are compared by their magnitude, and pods of about the same age by what is random (the
 * uid), so that a zone or node that was filled last is not emptied first (KEP-2185).
 */
function byAge(first: number, second: number, a: Pod, b: Pod, nowMs: number): number {
  if (first === second) return 0;
  const difference = magnitude(nowMs - first) - magnitude(nowMs - second);
  return difference !== 0 ? difference : a.metadata.uid! < b.metadata.uid! ? -1 : 1;
}

/** Of an age in nanoseconds, as a power of two. */
const magnitude = (ageMs: number): number => (ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6)));

const restarts = ({ status }: Pod, of: 'containerStatuses' | 'initContainerStatuses'): number =>
  Math.max(0, ...(status?.[of] ?? []).map(({ restartCount }) => restartCount ?? 0));
