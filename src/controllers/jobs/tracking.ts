/**
 * How pods that are over are counted exactly once (KEP-2307):
 *
 * 1. The identities of pods that are over go into the status, as not counted yet.
 * 2. The finalizers of these pods are removed; from then on they can be deleted.
 * 3. Identities of pods without the finalizer leave the status, and the counters go up by as many.
 *
 * Whatever fails in between, the next sync goes on where this one stopped. The Job is over when nothing is left to be
 * counted.
 *
 * @see {@link https://kep.k8s.io/2307 | KEP-2307}
 */
import type { Job, JobCondition, JobStatus, PodFailurePolicyAction } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { EventType } from '../../client/index.ts';
import { formatMs } from '../shared/times.ts';
import * as conditions from './conditions.ts';
import { judgeFailure } from './failure-policy.ts';
import { indexOf, isPodFailed, isTracked } from './job-pods.ts';
import { hasIndex, type JobState, type Step } from './sync.ts';

/** Identities in the status at most, and with that the finalizers that are removed in one sync. */
export const maxUncounted = 500;

/** What a step has led to. */
export interface Outcome {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** The step was done in part only. */
  readonly failure: unknown;
}

export interface JobEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** The status after a step, before pods that are over are looked at. */
export interface Progress {
  readonly status: JobStatus;
  readonly verdict: JobCondition | undefined;
  readonly events: readonly JobEvent[];
}

/** @param nowMs since 1970 */
export function progressOf(state: JobState, step: Step, outcome: Outcome, nowMs: number): Progress {
  const { job, startTime } = state;
  const { active, ready, terminating, failure } = outcome;
  const status: JobStatus = {
    ...job.status,
    uncountedTerminatedPods: job.status.uncountedTerminatedPods ?? {},
    active,
    ready,
    terminating,
    ...(startTime === undefined ? {} : { startTime }),
  };
  // A Job whose pods could not be deleted is not over yet.
  if (step.type === 'end') return { status, verdict: failure === undefined ? state.verdict : undefined, events: [] };
  if (isComplete(state, active)) {
    const verdict = conditions.newCondition('SuccessCriteriaMet', conditions.completionsReached, nowMs);
    return { status, verdict, events: [] };
  }
  if (job.metadata.deletionTimestamp !== undefined) return { status, verdict: undefined, events: [] };
  return withSuspension(job, status, nowMs);
}

function isComplete({ job, succeeded }: JobState, active: number): boolean {
  const { completions } = job.spec;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

function withSuspension({ spec }: Job, status: JobStatus, nowMs: number): Progress {
  const isSuspended = spec.suspend === true;
  const what = isSuspended ? 'Suspended' : 'Resumed';
  const finding = { reason: `Job${what}`, message: `Job ${what.toLowerCase()}` };
  const condition = conditions.newCondition('Suspended', finding, nowMs, isSuspended ? 'True' : 'False');
  const before = status.conditions ?? [];
  const after = conditions.withCondition(before, condition);
  if (after === before) return { status, verdict: undefined, events: [] };
  return {
    status: {
      ...status,
      conditions: [...after],
      // The deadline counts from when the Job was resumed.
      ...(isSuspended ? {} : { startTime: formatMs(nowMs) }),
    },
    verdict: undefined,
    events: [{ type: 'Normal', reason: what, message: finding.message }],
  };
}

export interface Tracking {
  /** To be written before finalizers are removed. */
  readonly status: JobStatus;
  /** Pods that are counted then. */
  readonly pods: readonly Pod[];
  /** There are more pods to be counted, in the next sync. */
  readonly isPartial: boolean;
  /** Complete or Failed, once all is counted. */
  readonly end: JobCondition | undefined;
  /** What the failure policy said of each pod that it matched. */
  readonly actions: readonly PodFailurePolicyAction[];
}

/** @param nowMs since 1970 */
export function trackingOf(state: JobState, { status, verdict }: Progress, nowMs: number): Tracking {
  const { job } = state;
  const settled = settledStatus(status, new Set(state.pods.filter(isTracked).map(({ metadata }) => metadata.uid!)));
  const gathered = gather(state, verdict, settled);
  const after: JobStatus = {
    ...settled,
    uncountedTerminatedPods: {
      ...(gathered.succeeded.length === 0 ? {} : { succeeded: gathered.succeeded }),
      ...(gathered.failed.length === 0 ? {} : { failed: gathered.failed }),
    },
    ...indexStatus(state),
  };
  const { pods, isPartial, actions } = gathered;
  return { ...verdictIn(after, job, verdict, nowMs), pods, isPartial, actions };
}

/** Identities of pods without the finalizer become counts. @param tracked identities of pods with the finalizer */
export function settledStatus(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const stillSucceeded = succeeded.filter((uid) => tracked.has(uid));
  const stillFailed = failed.filter((uid) => tracked.has(uid));
  if (stillSucceeded.length === succeeded.length && stillFailed.length === failed.length) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stillSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - stillFailed.length,
    uncountedTerminatedPods: {
      ...(stillSucceeded.length === 0 ? {} : { succeeded: stillSucceeded }),
      ...(stillFailed.length === 0 ? {} : { failed: stillFailed }),
    },
  };
}

interface Gathered {
  readonly succeeded: string[];
  readonly failed: string[];
  readonly pods: Pod[];
  readonly actions: PodFailurePolicyAction[];
  isPartial: boolean;
}

function gather(state: JobState, verdict: JobCondition | undefined, settled: JobStatus): Gathered {
  const { job, uncounted, indexes } = state;
  const { succeeded = [], failed = [] } = settled.uncountedTerminatedPods ?? {};
  const gathered: Gathered = {
    succeeded: [...succeeded],
    failed: [...failed],
    pods: [],
    actions: [],
    isPartial: false,
  };
  // A Job that fails takes its active pods with it; one that has succeeded does not hold them against itself.
  const countsActive = verdict !== undefined && verdict.type !== 'SuccessCriteriaMet';
  let newIndexes = 0;
  for (const pod of inOrderOfIndex(state)) {
    if (!isTracked(pod) || !mayBeReleased(state, verdict, pod)) continue;
    const uid = pod.metadata.uid!;
    gathered.pods.push(pod);
    if (pod.status?.phase === 'Succeeded' && !uncounted.failed.has(uid)) {
      const index = indexOf(pod, job.spec.completions ?? 0);
      if (indexes === undefined) {
        if (!uncounted.succeeded.has(uid)) gathered.succeeded.push(uid);
      } else if (index !== undefined && !indexes.counted.has(index)) newIndexes++;
    } else if ((countsActive || isPodFailed(pod, job)) && !uncounted.failed.has(uid)) {
      if (indexes === undefined || hasIndex(job, pod)) gatherFailed(job, pod, gathered);
    }
    if (newIndexes + gathered.succeeded.length + gathered.failed.length >= maxUncounted) {
      gathered.isPartial = true;
      break;
    }
  }
  return gathered;
}

function inOrderOfIndex({ job, pods, indexes }: JobState): readonly Pod[] {
  if (indexes === undefined) return pods;
  const order = (pod: Pod): number => indexOf(pod, job.spec.completions ?? 0) ?? -1;
  return pods.toSorted((a, b) => order(a) - order(b));
}

function mayBeReleased({ job, indexes }: JobState, verdict: JobCondition | undefined, pod: Pod): boolean {
  if (job.metadata.deletionTimestamp !== undefined || verdict !== undefined) return true;
  if (pod.status?.phase === 'Succeeded') return true;
  if (!isPodFailed(pod, job)) return false;
  const index = indexOf(pod, job.spec.completions ?? 0);
  return index === undefined || indexes?.lastFailures.get(index) !== pod;
}

function gatherFailed({ spec }: Job, pod: Pod, { failed, actions }: Gathered): void {
  const { action, counts } = judgeFailure(spec, pod);
  if (action !== undefined) actions.push(action);
  if (counts) failed.push(pod.metadata.uid!);
}

function indexStatus({ indexes }: JobState): Partial<JobStatus> {
  if (indexes === undefined) return {};
  return {
    succeeded: indexes.succeeded.size,
    completedIndexes: indexes.succeeded.toString(),
    ...(indexes.failed === undefined ? {} : { failedIndexes: indexes.failed.toString() }),
  };
}

function verdictIn(
  status: JobStatus,
  job: Job,
  verdict: JobCondition | undefined,
  nowMs: number,
): Pick<Tracking, 'status' | 'end'> {
  if (verdict === undefined || verdict.type === 'Failed') return { status, end: verdict };
  const known = status.conditions ?? [];
  const isKnown = conditions.heldCondition(job.status.conditions ?? [], verdict.type!) !== undefined;
  const finding = { reason: verdict.reason!, message: verdict.message! };
  return {
    status: isKnown ? status : { ...status, conditions: [...known, verdict] },
    end: conditions.newCondition(verdict.type === 'FailureTarget' ? 'Failed' : 'Complete', finding, nowMs),
  };
}

/**
 * The status once finalizers are removed.
 * @param status as written before
 * @param tracked identities of pods that still have the finalizer
 */
export function concludedStatus(
  status: JobStatus,
  { isPartial, end }: Pick<Tracking, 'isPartial' | 'end'>,
  tracked: ReadonlySet<string>,
): { readonly status: JobStatus; readonly isOver: boolean } {
  const settled = settledStatus(status, tracked);
  const { succeeded = [], failed = [] } = settled.uncountedTerminatedPods ?? {};
  const isOpen = succeeded.length + failed.length > 0 || (settled.terminating ?? 0) > 0;
  if (end === undefined || isPartial || isOpen) return { status: settled, isOver: false };
  return {
    status: {
      ...settled,
      conditions: [...conditions.withCondition(settled.conditions ?? [], end)],
      ...(end.type === 'Complete' ? { completionTime: end.lastTransitionTime! } : {}),
    },
    isOver: true,
  };
}

/** What is told of a Job that is over. */
export function endEvents({ spec, status }: Job, end: JobCondition): JobEvent[] {
  if (end.type !== 'Complete') return [{ type: 'Warning', reason: end.reason!, message: end.message! }];
  const message = 'Too many succeeded pods running after completion count reached';
  const isTooMany = spec.completions !== undefined && (status.succeeded ?? 0) > spec.completions;
  return [
    ...(isTooMany ? [{ type: 'Warning', reason: 'TooManySucceededPods', message } as const] : []),
    { type: 'Normal', reason: 'Completed', message: 'Job completed' },
  ];
}
