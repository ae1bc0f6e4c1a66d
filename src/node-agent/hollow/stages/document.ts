/**
 * A `Stage` document: what an object of a kind goes through next, when, and with which of its alternatives.
 *
 * `kwok.x-k8s.io/v1alpha1` is kwok's. `orch.io/v1alpha1` has the same members, and `next.containers` and `next.node`,
 * which act on the simulated runtime and leave the status to the life cycle of the pod.
 * @see {@link https://kwok.sigs.k8s.io/docs/user/stages-configuration/ | kwok: Stages configuration}
 */
import type { ContainerRole } from '../../pod-lifecycle/containers.ts';

export interface StageDocument {
  readonly apiVersion: string;
  readonly kind: 'Stage';
  readonly metadata: { readonly name: string };
  readonly spec: StageSpec;
}

export const kwokVersion = 'kwok.x-k8s.io/v1alpha1';
export const orchVersion = 'orch.io/v1alpha1';

export interface StageSpec {
  readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
  /** Without a selector nothing matches. */
  readonly selector?: StageSelector;
  /** Of the stages that match one is taken at random, the more often the greater its weight is. */
  readonly weight?: number;
  readonly weightFrom?: ExpressionSource;
  readonly delay?: StageDelay;
  readonly next?: StageNext;
  /** kwok's later form: several in order. */
  readonly steps?: readonly StageStep[];
  /** The object is always looked at again at once. */
  readonly immediateNextStage?: boolean;
}

export interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly MatchExpression[];
}

export interface MatchExpression extends KeyRequirement {
  readonly jq?: KeyRequirement;
}

interface KeyRequirement {
  /** A program in jq. */
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** A program in jq whose first output is the value. */
export interface ExpressionSource {
  readonly expressionFrom?: string;
  readonly jq?: { readonly expression?: string };
}

export interface StageDelay {
  readonly durationMilliseconds?: number;
  /** A duration, or a time: the delay is what is left until then. `orch.io` takes plain seconds as well. */
  readonly durationFrom?: ExpressionSource;
  /** The delay is at random between the duration and this one. */
  readonly jitterDurationMilliseconds?: number;
  readonly jitterDurationFrom?: ExpressionSource;
}

export interface StageNext extends Omit<StageStep, 'patch'> {
  /** Of the status. */
  readonly statusTemplate?: string;
  readonly statusSubresource?: string;
  readonly patches?: readonly StagePatch[];
}

export interface StageStep {
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly patch?: StagePatch;
  readonly containers?: ContainerChange;
  readonly node?: NodeChange;
}

export interface StageEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface StageFinalizers {
  readonly add?: readonly { readonly value?: string }[];
  readonly remove?: readonly { readonly value?: string }[];
  readonly empty?: boolean;
}

export interface StagePatch {
  readonly subresource?: string;
  /** Member that the rendered template is the value of. */
  readonly root?: string;
  readonly template?: string;
  readonly type?: 'json' | 'merge' | 'strategic';
}

/** What the containers of a simulated pod do. */
export interface ContainerChange {
  /** `Running`: those that were begun run. `Terminated`: those that run end. `Stopped`: those that were told to. */
  readonly state: 'Running' | 'Terminated' | 'Stopped';
  /** Those of these roles; all but sidecars and ephemeral ones when absent. */
  readonly roles?: readonly ContainerRole[];
  /** Those of these names. */
  readonly names?: readonly string[];
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeChange {
  /** A node that is `Dead` renews no lease, reports no status, and its pods stay as they are. */
  readonly state: 'Alive' | 'Dead';
}
