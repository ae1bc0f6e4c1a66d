/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { Counter, Histogram } from 'prom-client';
import type { Job, JobCondition, JobStatus, PodFailurePolicyAction } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { perRegistry } from '../shared/per-registry.ts';
import { IndexSet } from './index-set.ts';
import { isIndexed, isTracked } from './job-pods.ts';
import type { JobState, Step } from './sync.ts';

type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

const actionOfStep: Readonly<Record<Step['type'], SyncAction>> = {
  end: 'reconciling',
  none: 'tracking',
  create: 'pods_created',
  wait: 'pods_created',
  remove: 'pods_deleted',
};

const modeOf = ({ spec }: Job): string => (isIndexed(spec) ? 'Indexed' : 'NonIndexed');

export const jobMetrics = perRegistry((registry) => new JobMetrics(registry));

/** 4 ms to a minute. */
const syncBuckets = Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i);

/**
 * Users choose the names: series for more of them would have no end.
 * @NOTE differs from upstream: there is no such limit.
 */
const maxExternalNames = 100;

export class JobMetrics {
  readonly #syncs;
  readonly #syncSeconds;
  readonly #jobsFinished;
  readonly #podsFinished;
  readonly #podsCreated;
  readonly #indexesFinished;
  readonly #policyFailures;
  readonly #external;
  readonly #externalNames = new Set<string>();
  readonly #trackedTerminated;

  constructor(registry: MetricRegistry) {
    const registers = [registry];
    const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
      new Counter({ name: `job_controller_${name}`, help, labelNames, registers });
    const sync = ['completion_mode', 'result', 'action'];
    this.#syncs = counter('job_syncs_total', 'Syncs of Jobs.', sync);
    this.#syncSeconds = new Histogram({
      name: 'job_controller_job_sync_duration_seconds',
      help: 'Seconds that the sync of a Job took.',
      labelNames: sync,
      buckets: syncBuckets,
      registers,
    });
    this.#jobsFinished = counter('jobs_finished_total', 'Jobs that are over.', ['completion_mode', 'result', 'reason']);
    this.#podsFinished = counter('job_pods_finished_total', 'Pods that are over and were counted in their Job.', [
      'completion_mode',
      'result',
    ]);
    this.#podsCreated = counter('job_pods_creation_total', 'Pods that were created, by the reason for them.', [
      'reason',
      'status',
    ]);
    this.#indexesFinished = counter('job_finished_indexes_total', 'Indexes that have succeeded, or failed for good.', [
      'status',
      'backoffLimit',
    ]);
    this.#policyFailures = counter(
      'pod_failures_handled_by_failure_policy_total',
      'Pods that failed and matched a rule of the pod failure policy.',
      ['action'],
    );
    this.#external = counter('jobs_by_external_controller_total', 'Jobs that another controller manages.', [
      'controller_name',
    ]);
    this.#trackedTerminated = counter(
      'terminated_pods_tracking_finalizer_total',
      'Pods with the tracking finalizer that came to their end, and those of them that lost it.',
      ['event'],
    );
  }

  synced(job: Job, step: Step['type'] | undefined, isOk: boolean, seconds: number): void {
    const action = step === undefined ? 'reconciling' : actionOfStep[step];
    const labels = { completion_mode: modeOf(job), result: isOk ? 'success' : 'error', action };
    this.#syncs.inc(labels);
    this.#syncSeconds.observe(labels, seconds);
  }

  created({ job, failed, terminating }: JobState, succeeded: number, notCreated: number): void {
    const replaces = job.spec.podReplacementPolicy === 'Failed' ? 'recreate_failed' : 'recreate_terminating_or_failed';
    const isNew = failed === 0 && (job.spec.podReplacementPolicy === 'Failed' || terminating === 0);
    const reason = isNew ? 'new' : replaces;
    if (succeeded > 0) this.#podsCreated.inc({ reason, status: 'succeeded' }, succeeded);
    if (notCreated > 0) this.#podsCreated.inc({ reason, status: 'failed' }, notCreated);
  }

  judged(actions: readonly PodFailurePolicyAction[]): void {
    for (const action of actions) this.#policyFailures.inc({ action });
  }

  /** A status was written. */
  counted(job: Job, before: JobStatus, after: JobStatus): void {
    const completion_mode = modeOf(job);
    const failed = (after.failed ?? 0) - (before.failed ?? 0);
    if (failed > 0) this.#podsFinished.inc({ completion_mode, result: 'failed' }, failed);
    const succeeded = isIndexed(job.spec)
      ? this.#countedIndexes(job, before, after)
      : (after.succeeded ?? 0) - (before.succeeded ?? 0);
    if (succeeded > 0) this.#podsFinished.inc({ completion_mode, result: 'succeeded' }, succeeded);
  }

  #countedIndexes({ spec }: Job, before: JobStatus, after: JobStatus): number {
    const { completions = 0 } = spec;
    const more = (member: 'completedIndexes' | 'failedIndexes'): number =>
      IndexSet.parse(after[member] ?? '', completions).size - IndexSet.parse(before[member] ?? '', completions).size;
    const backoffLimit = spec.backoffLimitPerIndex === undefined ? 'global' : 'perIndex';
    const succeeded = more('completedIndexes');
    const failed = more('failedIndexes');
    if (succeeded > 0) this.#indexesFinished.inc({ status: 'succeeded', backoffLimit }, succeeded);
    if (failed > 0) this.#indexesFinished.inc({ status: 'failed', backoffLimit }, failed);
    return succeeded;
  }

  finished(job: Job, { type, reason = '' }: JobCondition): void {
    const isComplete = type === 'Complete';
    this.#jobsFinished.inc({
      completion_mode: modeOf(job),
      result: isComplete ? 'succeeded' : 'failed',
      reason: isComplete ? '' : reason,
    });
  }

  external(controller: string): void {
    if (this.#externalNames.size < maxExternalNames) this.#externalNames.add(controller);
    this.#external.inc({ controller_name: this.#externalNames.has(controller) ? controller : 'other' });
  }

  /** @param after undefined for a pod that is gone */
  podChanged(before: Pod | undefined, after: Pod | undefined): void {
    const [was, is] = [before, after].map((pod) => pod !== undefined && isPodTerminal(pod) && isTracked(pod));
    if (was !== is) this.#trackedTerminated.inc({ event: is ? 'add' : 'delete' });
  }
}
