/**
 * The status of a pod as its node writes it: phase, conditions, addresses and the statuses of its containers.
 */
import type { PodCondition, PodStatus } from '../../api/gen/types/core-v1.ts';
import { conditionsOf } from './conditions.ts';
import { containerStatuses, timeText } from './container-status.ts';
import { finalStatuses } from './final-status.ts';
import { phaseOf } from './phase.ts';
import type { PodLike, PodState } from './state.ts';

/** Why a pod was ended other than by its containers: its deadline, an eviction. It has failed then. */
export interface PodEnd {
  readonly reason: string;
  readonly message: string;
}

export interface PodStatusInput {
  readonly pod: PodLike;
  readonly state: PodState;
  /**
   * - `alive`: what ends may be started again.
   * - `ending`: it is being stopped, and containers may still run.
   * - `ended`: nothing runs any more.
   */
  readonly stage: 'alive' | 'ending' | 'ended';
  readonly nowMs: number;
  /** When the node accepted the pod. */
  readonly startTimeMs: number;
  /** Addresses of the node. */
  readonly hostIPs: readonly string[];
  /** As they were last. */
  readonly conditions: readonly PodCondition[];
  readonly end?: PodEnd | undefined;
}

/** Without what the API server keeps itself (`qosClass`). */
export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, state, stage, nowMs, hostIPs, end } = input;
  const known = containerStatuses(pod.spec, state);
  const statuses = stage === 'ended' ? finalStatuses(known) : known;
  const phase = end === undefined ? phaseOf(pod.spec, known, stage !== 'alive') : 'Failed';
  const conditions = conditionsOf({
    spec: pod.spec,
    statuses: known,
    phase,
    hasSandbox: state.sandbox === 'ready',
    before: input.conditions,
    now: timeText(nowMs),
  });
  const podIPs = pod.spec.hostNetwork === true ? hostIPs : state.podIPs;
  return {
    phase: stage === 'ended' && (phase === 'Pending' || phase === 'Running') ? 'Failed' : phase,
    conditions,
    ...(end === undefined ? {} : { reason: end.reason, message: end.message }),
    hostIP: hostIPs[0] ?? '',
    hostIPs: hostIPs.map((ip) => ({ ip })),
    ...(podIPs.length === 0 ? {} : { podIP: podIPs[0]!, podIPs: podIPs.map((ip) => ({ ip })) }),
    startTime: timeText(input.startTimeMs),
    ...(statuses.init.length === 0 ? {} : { initContainerStatuses: [...statuses.init] }),
    containerStatuses: [...statuses.main],
    ...(statuses.ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: [...statuses.ephemeral] }),
  };
}
