/** What this process remembers of a pod beside the state of its runtime. */
import type { Pod, PodCondition } from '../../../api/gen/types/core-v1.ts';
import type { PodEnd } from '../../pod-lifecycle/pod-status.ts';
import type { DueStage, LaneName } from '../stages/lifecycle.ts';
import type { HollowNode } from '../nodes/hollow-node.ts';

export interface HollowPod {
  readonly uid: string;
  readonly node: HollowNode;
  readonly startTimeMs: number;
  /** What the conditions that its readiness gates name said when its status was computed last. */
  gates: string;
  /** As they were computed last. */
  conditions: readonly PodCondition[];
  /** The status that follows from the state of the runtime was not written yet. */
  isDirty: boolean;
  /** It is being stopped: by its deletion, its deadline, or because all of it has ended. */
  isEnding: boolean;
  /** Nothing of it runs any more. */
  hasEnded: boolean;
  /** Its deletion was sent; it may stay for its finalizers. */
  isRemoved: boolean;
  end: PodEnd | undefined;
  /** By lane. */
  due: Map<LaneName, DueStage> | undefined;
  /** As the API server had it after the last write, where stages of a file look at it. */
  latest: Pod | undefined;
  /** The version that a stage left as it was: none is applied to it again. */
  idleAt: string | undefined;
  /** How often the same stage was applied in a row. */
  repeated: { readonly stage: string; readonly times: number } | undefined;
}

export const createHollowPod = ({ metadata, status }: Pod, node: HollowNode, startTimeMs: number): HollowPod => ({
  uid: metadata.uid!,
  node,
  startTimeMs,
  gates: '',
  conditions: status.conditions ?? [],
  isDirty: false,
  isEnding: false,
  hasEnded: false,
  isRemoved: false,
  end: undefined,
  due: undefined,
  latest: undefined,
  idleAt: undefined,
  repeated: undefined,
});
