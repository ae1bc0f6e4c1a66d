/** What only this process knows of a pod: why containers wait, and what their next failure costs. */
import type { PodCondition } from '../../api/gen/types/core-v1.ts';
import type { PodEnd } from '../pod-lifecycle/pod-status.ts';
import type { BackOff, WaitingReason } from '../pod-lifecycle/state.ts';

export interface Eviction extends Partial<PodEnd> {
  /** Told to who watches over the pod. */
  readonly condition?: PodCondition | undefined;
  /** In place of what the pod says. */
  readonly graceSeconds?: number | undefined;
}

export interface PodMemory {
  /** By name of the container. */
  readonly waiting: Map<string, WaitingReason>;
  readonly backOff: Map<string, BackOff>;
  /** When the node accepted the pod, in milliseconds since 1970. */
  startTimeMs: number;
  /** As they were last. */
  conditions: readonly PodCondition[];
  /** Why the pod was ended other than by its containers. */
  end?: PodEnd | undefined;
  /** Why the node ends it. It has failed then, unless its containers end well. */
  eviction?: Eviction | undefined;
  /** Seconds for the end that a probe or an eviction says. */
  graceSeconds?: number | undefined;
  /** Something was begun since the runtime was read: it is read again. */
  isStale: boolean;
}

export const createPodMemory = (startTimeMs: number, conditions: readonly PodCondition[]): PodMemory => ({
  waiting: new Map(),
  backOff: new Map(),
  startTimeMs,
  conditions,
  isStale: true,
});
