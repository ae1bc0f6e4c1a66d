/** A case of the recordings of admission and of fairness: its requests, and what the original answered. */
import type { Behaviour, PlayedReview } from './webhook-play.ts';

export interface AdmissionRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly body?: unknown;
  readonly onlyLines?: string;
  /** It is sent and not waited for; a step `(join)` of this name has its answer. */
  readonly inBackground?: string;
  readonly name?: string;
  /** While a watch is open. */
  readonly during?: readonly AdmissionStep[];
  readonly count?: number;
  readonly repeatedUntil?: { readonly path: string; readonly is: unknown };
}

export interface AdmissionStep {
  readonly request: AdmissionRequest;
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly body?: unknown;
    readonly lines?: readonly string[];
    readonly events?: readonly unknown[];
    readonly flowSchema?: string;
    readonly priorityLevel?: string;
    readonly auditAnnotations?: Readonly<Record<string, string>>;
  };
  readonly reviews?: readonly PlayedReview[];
}

export interface AdmissionCase {
  readonly id: string;
  readonly namespaces?: readonly string[];
  readonly hooks?: Readonly<Record<string, Behaviour>>;
  /** By whole paths, which a configuration of the server names. */
  readonly fixedHooks?: Readonly<Record<string, Behaviour>>;
  readonly steps: readonly AdmissionStep[];
}
