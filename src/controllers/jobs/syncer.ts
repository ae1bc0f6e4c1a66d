/** Brings one Job from where it stands to where it should: makes and deletes pods, counts them, writes the status. */
import type { Job, JobStatus } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Patch } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim } from '../shared/claim.ts';
import { isPodReady } from '../shared/pod-conditions.ts';
import { isNamespaceTerminating, PodControl } from '../shared/pod-control.ts';
import { slowStart } from '../shared/slow-start.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { selectorProblem } from '../shared/selector-problem.ts';
import { type Backoff, noBackoff } from './backoff.ts';
import { finishedCondition } from './conditions.ts';
import { isTracked, trackingFinalizer } from './job-pods.ts';
import type { JobMetrics } from './metrics.ts';
import { namePrefixOfIndex, templateOf, templateOfIndex } from './pod-template.ts';
import { type JobState, nextStep, stateOf, type Step } from './sync.ts';
import {
  concludedStatus,
  endEvents,
  type JobEvent,
  type Outcome,
  type Progress,
  progressOf,
  type Tracking,
  trackingOf,
} from './tracking.ts';

/** Changes of pods come in numbers: they are looked at together, this long after the first of them. */
export const batchMs = 1000;

interface KnownBackoff {
  readonly uid: string;
  readonly backoff: Backoff;
}

export interface JobSyncerOptions {
  readonly context: ControllerContext;
  readonly jobs: MutationCache<Job>;
  /** Has the index `controllerIndex`. */
  readonly pods: MutationCache<Pod>;
  readonly metrics: JobMetrics | undefined;
}

export class JobSyncer {
  readonly #context: ControllerContext;
  readonly #jobs: MutationCache<Job>;
  readonly #pods: MutationCache<Pod>;
  readonly #podControl: PodControl;
  readonly #metrics: JobMetrics | undefined;
  readonly #backoffs = new Map<string, KnownBackoff>();
  readonly #hasReplacementPolicy: boolean;

  constructor({ context, jobs, pods, metrics }: JobSyncerOptions) {
    this.#context = context;
    this.#jobs = jobs;
    this.#pods = pods;
    this.#podControl = new PodControl(context, pods);
    this.#metrics = metrics;
    this.#hasReplacementPolicy = context.isGateOn('JobPodReplacementPolicy');
  }

  async sync(key: string): Promise<SyncResult> {
    const job = this.#jobs.get(key);
    if (job === undefined || isManagedElsewhere(job) || finishedCondition(job.status.conditions ?? []) !== undefined) {
      this.#backoffs.delete(key);
      return undefined;
    }
    const { completionMode = 'NonIndexed' } = job.spec;
    if (completionMode !== 'Indexed' && completionMode !== 'NonIndexed') {
      const message = 'Skipped Job sync because completion mode is unknown';
      this.#context.events.event(job, 'Warning', 'UnknownCompletionMode', message);
      return undefined;
    }
    const problem = selectorProblem('job', () => requirementsOf(job.spec.selector), job.spec.template);
    if (problem !== undefined) {
      this.#context.events.event(job, 'Warning', problem.reason, problem.message);
      return undefined;
    }
    const { clock } = this.#context;
    const begun = clock.now();
    const done: { step?: Step['type'] } = {};
    let isOk = false;
    try {
      const result = await this.#syncUnfinished(key, this.#withGates(job), done);
      isOk = true;
      return result;
    } finally {
      this.#metrics?.synced(job, done.step, isOk, (clock.now() - begun) / 1000);
    }
  }

  #withGates(job: Job): Job {
    if (this.#hasReplacementPolicy || job.spec.podReplacementPolicy === undefined) return job;
    const { podReplacementPolicy: _, ...spec } = job.spec;
    return { ...job, spec };
  }

  async #syncUnfinished(key: string, job: Job, done: { step?: Step['type'] }): Promise<SyncResult> {
    const pods = await this.#claimPods(job);
    const now = this.#context.wallTime();
    const state = stateOf(job, pods, this.#backoffOf(key, job), now);
    const step = nextStep(state, now);
    done.step = step.type;
    const outcome = await this.#take(state, step);
    // The server refuses a status with more ready pods than active ones: it is written when pods can be made again.
    // @NOTE differs from upstream: there the status is sent and refused until then.
    const isUnwritable = step.type === 'wait' && outcome.ready > outcome.active;
    if (!isUnwritable) await this.#track(key, state, progressOf(state, step, outcome, now));
    if (outcome.failure !== undefined) throw outcome.failure;
    return nextLook(state, step);
  }

  #backoffOf(key: string, { metadata }: Job): Backoff {
    const known = this.#backoffs.get(key);
    return known?.uid === metadata.uid ? known!.backoff : noBackoff;
  }

  #claimPods(job: Job): Promise<Pod[]> {
    const { namespace, name } = job.metadata;
    return claim({
      owner: job,
      selector: requirementsOf(job.spec.selector),
      objects: this.#pods,
      finalizer: trackingFinalizer,
      patch: (pod, patch) => this.#patch(pod, patch),
      freshOwner: () => this.#context.client.batch.v1.jobs.namespace(namespace!).get(name!).catch(undefinedWhenGone),
    });
  }

  /** Does the step, and tells how many pods there are then. */
  async #take(state: JobState, step: Step): Promise<Outcome> {
    const { active, ready, terminating } = state;
    const before = { active: active.length, ready, terminating, failure: undefined };
    switch (step.type) {
      case 'none':
        return before;
      case 'wait':
        return { ...before, active: 0 };
      case 'create': {
        const { succeeded, failure } = await this.#create(state, step);
        return { ...before, active: active.length + succeeded, failure };
      }
      case 'end':
        return this.#delete(before, step.pods, (pod) => this.#podControl.delete(pod, state.job));
      case 'remove':
        return this.#delete(before, step.pods, async (pod) => {
          await this.#untrack(pod);
          await this.#podControl.delete(pod, state.job);
        });
    }
  }

  async #create(
    state: JobState,
    { count, indexes }: Step & { type: 'create' },
  ): Promise<{ readonly succeeded: number; readonly failure: unknown }> {
    const { job } = state;
    const template = templateOf(job);
    let created = 0;
    const { succeeded, failure } = await slowStart(count, async (i) => {
      const index = indexes?.[i];
      const pod =
        index === undefined
          ? { template }
          : {
              template: templateOfIndex(template, job, index, state.indexes?.lastFailures.get(index)),
              namePrefix: namePrefixOfIndex(job.metadata.name!, index),
            };
      await this.#podControl.create({ ...pod, owner: job });
      created++;
    });
    this.#metrics?.created(state, created, failure === undefined ? 0 : 1);
    // In a namespace that ends no pod can be made: trying again leads to nothing.
    return { succeeded, failure: isNamespaceTerminating(failure) ? undefined : failure };
  }

  async #delete(before: Outcome, pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<Outcome> {
    const results = await Promise.allSettled(pods.map(remove));
    const deleted = pods.filter((_, i) => results[i]!.status === 'fulfilled');
    return {
      active: before.active - deleted.length,
      ready: before.ready - deleted.filter(isPodReady).length,
      terminating: before.terminating + deleted.length,
      failure: results.find((result) => result.status === 'rejected')?.reason as unknown,
    };
  }

  async #track(key: string, state: JobState, progress: Progress): Promise<void> {
    this.#tell(state.job, progress.events);
    const tracking = trackingOf(state, progress, this.#context.wallTime());
    const job = await this.#write(state.job, tracking.status);
    this.#backoffs.set(key, { uid: job.metadata.uid!, backoff: state.backoff });
    this.#metrics?.judged(tracking.actions);
    const tracked = new Set(state.pods.filter(isTracked).map(({ metadata }) => metadata.uid!));
    const failure = await this.#untrackAll(tracking.pods, tracked);
    await this.#conclude(job, tracking, tracked);
    if (failure !== undefined) throw failure;
  }

  /** @param tracked loses the identities of pods that are no longer tracked */
  async #untrackAll(pods: readonly Pod[], tracked: Set<string>): Promise<unknown> {
    const results = await Promise.allSettled(pods.map((pod) => this.#untrack(pod)));
    pods.forEach(({ metadata }, i) => {
      if (results[i]!.status === 'fulfilled') tracked.delete(metadata.uid!);
    });
    return results.find((result) => result.status === 'rejected')?.reason;
  }

  async #conclude(job: Job, tracking: Tracking, tracked: ReadonlySet<string>): Promise<void> {
    const { status, isOver } = concludedStatus(tracking.status, tracking, tracked);
    const after = await this.#write(job, status);
    if (!isOver) return;
    this.#tell(after, endEvents(after, tracking.end!));
    this.#metrics?.finished(after, tracking.end!);
  }

  /** @returns the Job as it is then; the same when the status says nothing new */
  async #write(job: Job, wanted: JobStatus): Promise<Job> {
    const { terminating: _, ...others } = wanted;
    const status = this.#hasReplacementPolicy ? wanted : others;
    if (!isStatusChanged(job.status, status)) return job;
    const written = await this.#context.client.batch.v1.jobs
      .namespace(job.metadata.namespace!)
      .status.update({ ...job, status });
    this.#jobs.wrote(written);
    this.#metrics?.counted(job, job.status, status);
    return written;
  }

  #tell(job: Job, events: readonly JobEvent[]): void {
    for (const { type, reason, message } of events) this.#context.events.event(job, type, reason, message);
  }

  /** Removes the finalizer of a pod, which may be gone. */
  async #untrack(pod: Pod): Promise<void> {
    if (!isTracked(pod)) return;
    try {
      const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
      await this.#patch(pod, { strategic: patch } as unknown as Patch);
    } catch (error) {
      undefinedWhenGone(error);
    }
  }

  async #patch({ metadata }: Pod, patch: Patch): Promise<Pod> {
    const { pods } = this.#context.client.core.v1;
    const patched = await pods.namespace(metadata.namespace!).patch(metadata.name!, patch);
    this.#podControl.wrote(patched);
    return patched;
  }
}

/** Another controller does what this one would. */
export const isManagedElsewhere = ({ spec: { managedBy } }: Job): boolean =>
  managedBy !== undefined && managedBy !== 'kubernetes.io/job-controller';

function nextLook({ deadlineInMs = 0 }: JobState, step: Step): SyncResult {
  const times = [deadlineInMs, step.type === 'wait' ? Math.max(step.remainingMs, batchMs) : 0].filter((ms) => ms > 0);
  return times.length === 0 ? undefined : { requeueAfterMs: Math.min(...times) };
}

/** Counts that are 0 and indexes that are none are left out by the server. */
function isStatusChanged(before: JobStatus, after: JobStatus): boolean {
  return !isEqual(withDefaults(before), withDefaults(after));
}

const withDefaults = (status: JobStatus): JobStatus => ({
  ...status,
  active: status.active ?? 0,
  succeeded: status.succeeded ?? 0,
  failed: status.failed ?? 0,
  completedIndexes: status.completedIndexes ?? '',
});
