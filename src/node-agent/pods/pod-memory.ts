/** What only this process knows of a pod: why containers wait, and what their next failure costs. */
import type { Pod, PodCondition } from '../../api/gen/types/core-v1.ts';
import type { PodEnd } from '../pod-lifecycle/pod-status.ts';
import type { UserNamespace } from '../runtime/gen/cri.ts';
import type { BackOff, WaitingReason } from '../pod-lifecycle/state.ts';
import type { MountedVolumes } from '../volumes/volumes.ts';

export interface Eviction extends Partial<PodEnd> {
  /** Told to who watches over the pod. */
  readonly condition?: PodCondition | undefined;
  /** In place of what the pod says. */
  readonly graceSeconds?: number | undefined;
}

/** What was made for a pod on the node. */
export interface PreparedPod {
  readonly pod: Pod;
  readonly podIPs: readonly string[];
  /** Milliseconds of the clock. */
  readonly at: number;
  readonly volumes: MountedVolumes;
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
  /** Of the pod, once it has a sandbox; undefined for those of the node. */
  users?: UserNamespace | undefined;
  /** Something was begun since the runtime was read: it is read again. */
  isStale: boolean;
  /** Undefined: it is looked at anew. */
  prepared?: PreparedPod | undefined;
  /** How often what the pod refers to has changed. */
  changes: number;
}

export const createPodMemory = (startTimeMs: number, conditions: readonly PodCondition[]): PodMemory => ({
  waiting: new Map(),
  backOff: new Map(),
  startTimeMs,
  conditions,
  isStale: false,
  changes: 0,
});
