/**
 * What a plugin can be: one interface per extension point. A pod passes them in this order; a plugin takes part where
 * it has the method.
 *
 * Objects that plugins get are shared and must not be changed. Everything up to Reserve runs without a break in
 * between, so that what a plugin reads from the cluster state belongs together.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/ | Scheduling framework}
 */
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { EventWithHint } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { NodeStatuses } from './node-statuses.ts';
import type { Status } from './status.ts';

/** The answer of most plugins; `undefined` is success. */
export type Answer = Status | undefined;

export interface QueuedOrder {
  readonly priority: number;
  /** When the pod came into the queue last, in milliseconds of the clock. */
  readonly timestamp: number;
}

export interface PreFilterResult {
  readonly status?: Answer;
  /** The only nodes that can be suitable; all when absent. */
  readonly nodeNames?: ReadonlySet<string>;
}

export interface PostFilterResult {
  readonly status: Answer;
  /** The node that the pod is to have: empty clears it, absent leaves it. */
  readonly nominatedNodeName?: string | undefined;
}

export interface PermitResult {
  readonly status: Answer;
  /** How long the pod waits with status Wait. */
  readonly timeoutMs?: number;
}

/** Whether the pod may enter the active queue. */
export interface PreEnqueuePlugin {
  preEnqueue(pod: PodInfo): Answer;
}

/** The order of the active queue. One plugin of a profile has it, and all profiles the same. */
export interface QueueSortPlugin {
  /** Whether `a` is scheduled before `b`. */
  isBefore(a: QueuedOrder, b: QueuedOrder): boolean;
}

/** Computes what Filter needs, once for the pod. Skip: no filter of this plugin for this pod. */
export interface PreFilterPlugin {
  preFilter(state: CycleState, pod: PodInfo): PreFilterResult | undefined;
  /** Brings the plugin's state to what it were with another pod on the node. */
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): void;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): void;
}

export interface FilterPlugin {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Answer;
}

/** When no node is suitable. */
export interface PostFilterPlugin {
  postFilter(state: CycleState, pod: PodInfo, statuses: NodeStatuses): Promise<PostFilterResult>;
}

export interface PreScorePlugin {
  /** Skip: no score of this plugin for this pod. */
  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Answer;
}

export interface ScorePlugin {
  /** Between 0 and 100, after `normalize` where there is one. Throws for a failure. */
  score(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores of all nodes in place. */
  normalize?(state: CycleState, pod: PodInfo, scores: Float64Array, nodes: readonly NodeInfo[]): void;
}

/** Takes what the pod needs on the node, and gives it back when a later step fails. */
export interface ReservePlugin {
  reserve(state: CycleState, pod: PodInfo, nodeName: string): Answer;
  /** Called also when `reserve` was not. */
  unreserve(state: CycleState, pod: PodInfo, nodeName: string): void;
}

export interface PermitPlugin {
  permit(state: CycleState, pod: PodInfo, nodeName: string): PermitResult | undefined;
}

export interface PreBindPlugin {
  preBind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Answer>;
}

export interface BindPlugin {
  /** Skip: another plugin binds. */
  bind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Answer>;
}

export interface PostBindPlugin {
  postBind(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** Which changes of the cluster may make pods schedulable that the plugin refused. Every change when absent. */
export interface EnqueuePlugin {
  readonly events: readonly EventWithHint[];
}

export type Plugin = { readonly name: string } & Partial<
  PreEnqueuePlugin &
    QueueSortPlugin &
    PreFilterPlugin &
    FilterPlugin &
    PostFilterPlugin &
    PreScorePlugin &
    ScorePlugin &
    ReservePlugin &
    PermitPlugin &
    PreBindPlugin &
    BindPlugin &
    PostBindPlugin &
    EnqueuePlugin
>;

/** A plugin that has the methods of an extension point. */
export type Has<P> = { readonly name: string } & P;

export const maxNodeScore = 100;
