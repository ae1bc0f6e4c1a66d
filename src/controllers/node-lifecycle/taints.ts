/**
 * The taints that follow from the conditions of a node.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition |
 *   Taint nodes by condition}
 */
import type { Node, NodeCondition, Taint } from '../../api/gen/types/core-v1.ts';
import { formatMs } from '../shared/times.ts';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** Condition → status → key of the taint. */
const taintKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const ownKeys: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(taintKeys).flatMap((byStatus) => Object.values(byStatus)),
]);

/** The taints of a node with those of effect NoSchedule that it should have. Undefined when it has them. */
export function withConditionTaints({ spec, status }: Node, nowMs: number): Taint[] | undefined {
  const wanted = new Set((status?.conditions ?? []).flatMap(keyOf));
  if (spec?.unschedulable === true) wanted.add(unschedulable);
  const before = spec?.taints ?? [];
  const isOwn = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && ownKeys.has(key!);
  const kept = before.filter((taint) => !isOwn(taint) || wanted.has(taint.key!));
  const missing = [...wanted].filter((key) => !before.some((taint) => isOwn(taint) && taint.key === key));
  if (missing.length === 0 && kept.length === before.length) return undefined;
  const timeAdded = formatMs(nowMs);
  return [...kept, ...missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded }))];
}

function keyOf({ type, status }: NodeCondition): string[] {
  const key = taintKeys[type ?? '']?.[status ?? ''];
  return key === undefined ? [] : [key];
}

/** The key of the taint that evicts pods, by the status of the condition Ready; none for `True`. */
export const evictingKey = (ready: string | undefined): string | undefined => taintKeys.Ready![ready ?? 'Unknown'];

const evictingKeys: ReadonlySet<string> = new Set([notReady, unreachable]);

const isEvicting = ({ key, effect }: Taint): boolean => effect === 'NoExecute' && evictingKeys.has(key!);

export const evictingTaint = ({ spec }: Node): Taint | undefined => spec?.taints?.find(isEvicting);

/** The taints of a node with only this one of those that evict pods. @param key undefined for none */
export function withEvictingTaint({ spec }: Node, key: string | undefined, nowMs: number): Taint[] {
  const others = (spec?.taints ?? []).filter((taint) => !isEvicting(taint));
  return key === undefined ? others : [...others, { key, effect: 'NoExecute', timeAdded: formatMs(nowMs) }];
}
