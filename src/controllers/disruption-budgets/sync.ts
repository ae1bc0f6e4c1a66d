/** What a PodDisruptionBudget says of its pods. */
import type { Condition } from '../../api/gen/types/meta-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from '../../api/gen/types/policy-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { scaledAmount } from '../shared/fenceposts.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodReady, podCondition, timeMs } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';

/** How long a pod whose eviction was allowed may take until it is deleted. */
const deletionTimeoutMs = 2 * 60_000;
/** How long a pod that was to be disrupted says so when it is not deleted. */
const staleDisruptionMs = 2 * 60_000;
const conditionType = 'DisruptionAllowed';

/** Whether the scale of what controls the pods counts, in place of the pods that there are. */
export const needsScale = ({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === 'string';

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** @param scale of all that control the pods; only read where it is needed */
export function expectationOf(spec: PodDisruptionBudgetSpec, pods: number, scale: number): Expectation {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined)
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - scaledAmount(maxUnavailable, scale, 'up')) };
  if (typeof minAvailable === 'string')
    return { expectedPods: scale, desiredHealthy: scaledAmount(minAvailable, scale, 'up') };
  return minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: pods, desiredHealthy: minAvailable };
}

export interface BudgetView {
  /** Undefined when the budget says that already. */
  readonly status: PodDisruptionBudgetStatus | undefined;
  /** Until a disrupted pod should be gone. */
  readonly recheckAfterMs: number | undefined;
  /** Pods that were to be deleted and were not. */
  readonly notDeleted: readonly Pod[];
}

export function budgetView(
  { metadata, status: before = {} }: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: Expectation,
  nowMs: number,
): BudgetView {
  const { disruptedPods, recheckAfterMs, notDeleted } = disrupted(before, pods, nowMs);
  const isHealthy = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp === undefined && disruptedPods[pod.metadata.name!] === undefined && isPodReady(pod);
  const currentHealthy = pods.filter(isHealthy).length;
  // A budget without pods allows nothing: its first pods may come before this is looked at again.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = Number(metadata.generation ?? 0);
  const status: PodDisruptionBudgetStatus = {
    observedGeneration,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withCondition(before.conditions, {
      type: conditionType,
      status: disruptionsAllowed > 0 ? 'True' : 'False',
      reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration,
      lastTransitionTime: formatMs(nowMs),
    }),
  };
  return { status: isEqual(plain(before), plain(status)) ? undefined : status, recheckAfterMs, notDeleted };
}

/** Nothing may be evicted while the state is not known. */
export function failedStatus({ status = {} }: PodDisruptionBudget, message: string, nowMs: number) {
  const { observedGeneration } = status;
  const condition: Condition = {
    type: conditionType,
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: formatMs(nowMs),
  };
  const failed: PodDisruptionBudgetStatus = {
    ...status,
    disruptionsAllowed: 0,
    conditions: withCondition(status.conditions, condition),
  };
  return isEqual(plain(status), plain(failed)) ? undefined : failed;
}

/** Counts that are 0 and messages that are empty are left out by some encodings. */
const plain = (status: PodDisruptionBudgetStatus): object => ({
  ...status,
  observedGeneration: Number(status.observedGeneration ?? 0),
  disruptionsAllowed: status.disruptionsAllowed ?? 0,
  currentHealthy: status.currentHealthy ?? 0,
  desiredHealthy: status.desiredHealthy ?? 0,
  expectedPods: status.expectedPods ?? 0,
  conditions: (status.conditions ?? []).map((condition) => ({
    ...condition,
    message: condition.message ?? '',
    observedGeneration: Number(condition.observedGeneration ?? 0),
  })),
});

function withCondition(conditions: readonly Condition[] = [], wanted: Condition): Condition[] {
  const before = conditions.find(({ type }) => type === wanted.type);
  const since = before?.status === wanted.status ? before?.lastTransitionTime : undefined;
  const next = since === undefined ? wanted : { ...wanted, lastTransitionTime: since };
  return before === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === before ? next : condition));
}

function disrupted(
  { disruptedPods = {} }: PodDisruptionBudgetStatus,
  pods: readonly Pod[],
  nowMs: number,
): { disruptedPods: Record<string, string>; recheckAfterMs: number | undefined; notDeleted: Pod[] } {
  const kept: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let recheckAfterMs: number | undefined;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const time = Object.hasOwn(disruptedPods, name) ? disruptedPods[name] : undefined;
    if (deletionTimestamp !== undefined || time === undefined) continue;
    const leftMs = timeMs(time) + deletionTimeoutMs - nowMs;
    if (leftMs < 0) notDeleted.push(pod);
    else {
      kept[name] = time;
      recheckAfterMs = Math.min(recheckAfterMs ?? leftMs, leftMs);
    }
  }
  return { disruptedPods: kept, recheckAfterMs, notDeleted };
}

/**
 * How long the pod may still say that it is to be disrupted; undefined when it does not say so, or does so for good. A
 * kubelet that ends a pod may take as long as it wants.
 */
export function staleAfterMs(pod: Pod, nowMs: number): number | undefined {
  const condition = podCondition(pod, 'DisruptionTarget');
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  const since = condition.lastTransitionTime === undefined ? 0 : timeMs(condition.lastTransitionTime);
  return Math.max(0, since + staleDisruptionMs - nowMs);
}

/** The conditions of a pod that is not to be disrupted after all. */
export const undisrupted = ({ status }: Pod, nowMs: number) =>
  (status?.conditions ?? []).map((condition) => {
    if (condition.type !== 'DisruptionTarget') return condition;
    const { reason: _, message: __, ...rest } = condition;
    return { ...rest, status: 'False' as const, lastTransitionTime: formatMs(nowMs) };
  });
