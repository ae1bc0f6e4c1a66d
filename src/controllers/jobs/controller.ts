/**
 * Runs Jobs: pods until enough of them have succeeded, or too many have failed.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/ | Jobs}
 */
import type { Job } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Controller, Informer, Trigger } from '../../client/index.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { isEqual } from '../../machinery/equal.ts';
import { matchesLabels, requirementsOf } from '../../machinery/label-selector.ts';
import type { ControllerContext } from '../manager/context.ts';
import { controllerIndex, controllerKeys, controllerOf } from '../shared/owner-references.ts';
import { usableRequirements } from '../shared/claim.ts';
import { isPodTerminating } from '../shared/pod-conditions.ts';
import { finishedCondition } from './conditions.ts';
import { isTracked, trackingFinalizer } from './job-pods.ts';
import { type JobMetrics, jobMetrics } from './metrics.ts';
import { batchMs, isManagedElsewhere, JobSyncer } from './syncer.ts';

export function startJobs(context: ControllerContext): void {
  const jobs = context.informer(context.client.batch.v1.jobs);
  const pods = context.informer(context.client.core.v1.pods);
  const metrics = jobMetrics(context.metrics);
  const podCache = context.mutationCache(pods);
  podCache.addIndex(controllerIndex, controllerKeys);
  const syncer = new JobSyncer({ context, jobs: context.mutationCache(jobs), pods: podCache, metrics });
  const triggers = [readiness(jobs), readiness(pods)];
  const queue = context.work({
    queue: 'job',
    workers: context.options.job.concurrentSyncs,
    triggers,
    sync: (key) => syncer.sync(key),
  });
  const orphans = context.work({
    queue: 'job_orphan_pod',
    workers: 1,
    triggers,
    sync: async (key) => untrackOrphan(context, jobs, pods.objects.get(key)),
  });
  const wakers = new Wakers(jobs, pods, queue, orphans, metrics);
  context.handle(jobs, {
    onAdd: (job) => wakers.jobAdded(job),
    onUpdate: (before, after) => wakers.jobChanged(before, after),
    onDelete: (job) => wakers.jobDeleted(job),
  });
  context.handle(pods, {
    onAdd: (pod) => wakers.podAdded(pod),
    onUpdate: (before, after) => wakers.podChanged(before, after),
    onDelete: (pod) => wakers.podDeleted(pod),
  });
}

/** No key is worked on before the informer is synced; the handlers say which. */
const readiness = (informer: Pick<Informer<unknown>, 'untilSynced'>): Trigger => ({
  attach: () => () => undefined,
  untilSynced: (signal) => informer.untilSynced(signal),
});

/** Which changes lead to a look at which Job or pod, and how soon. */
class Wakers {
  readonly #jobs: Informer<Job>;
  readonly #pods: Informer<Pod>;
  readonly #queue: Controller;
  readonly #orphans: Controller;
  readonly #metrics: JobMetrics | undefined;

  constructor(
    jobs: Informer<Job>,
    pods: Informer<Pod>,
    queue: Controller,
    orphans: Controller,
    metrics: JobMetrics | undefined,
  ) {
    this.#jobs = jobs;
    this.#pods = pods;
    this.#queue = queue;
    this.#orphans = orphans;
    this.#metrics = metrics;
  }

  jobAdded(job: Job): void {
    this.#queue.add(this.#jobs.keyOf(job));
    if (isManagedElsewhere(job)) this.#metrics?.external(job.spec.managedBy!);
  }

  jobChanged(before: Job, after: Job): void {
    const key = this.#jobs.keyOf(after);
    // A status comes from pods, of which more may follow.
    if (after.metadata.generation === before.metadata.generation) this.#queue.addAfter(key, batchMs);
    else this.#queue.add(key);
    if (isFinished(after)) this.#untrackPods(after);
  }

  jobDeleted(job: Job): void {
    this.#queue.add(this.#jobs.keyOf(job));
    this.#untrackPods(job);
  }

  podAdded(pod: Pod): void {
    this.#metrics?.podChanged(undefined, pod);
    this.#podIsThere(pod);
    if (controllerOf(pod) === undefined) this.#wakeAdopters(pod);
  }

  podChanged(before: Pod, after: Pod): void {
    this.#metrics?.podChanged(before, after);
    const [was, is] = [controllerOf(before)?.uid, controllerOf(after)?.uid];
    if (was !== undefined && was !== is) this.#wakeOwner(before);
    this.#podIsThere(after);
    if (is === undefined && (was !== undefined || !isEqual(before.metadata.labels, after.metadata.labels)))
      this.#wakeAdopters(after);
  }

  podDeleted(pod: Pod): void {
    this.#metrics?.podChanged(pod, undefined);
    this.#wakeOwner(pod);
  }

  #podIsThere(pod: Pod): void {
    const owner = this.#wakeOwner(pod);
    const isLeft = owner === undefined ? isTerminatingOrFree(pod) : isFinished(owner) && isPodTerminating(pod);
    if (isLeft && isTracked(pod)) this.#orphans.add(this.#pods.keyOf(pod));
  }

  /** @returns the Job that controls the pod */
  #wakeOwner(pod: Pod): Job | undefined {
    const owner = ownerOf(pod, this.#jobs);
    if (owner !== undefined) this.#queue.addAfter(this.#jobs.keyOf(owner), batchMs);
    return owner;
  }

  #wakeAdopters({ metadata }: Pod): void {
    if (metadata.deletionTimestamp !== undefined || metadata.labels === undefined) return;
    for (const job of this.#jobs.lister.listIn(metadata.namespace!)) {
      const requirements = usableRequirements(() => requirementsOf(job.spec.selector));
      if (requirements.length > 0 && matchesLabels(requirements, metadata.labels))
        this.#queue.addAfter(this.#jobs.keyOf(job), batchMs);
    }
  }

  #untrackPods({ metadata }: Job): void {
    for (const pod of this.#pods.objects.byIndex(controllerIndex, metadata.uid!))
      if (isTracked(pod)) this.#orphans.add(this.#pods.keyOf(pod));
  }
}

const isFinished = (job: Job): boolean => finishedCondition(job.status.conditions ?? []) !== undefined;

/** A pod whose Job is not known may be one of a Job that is still to be told. */
const isTerminatingOrFree = (pod: Pod): boolean => isPodTerminating(pod) || controllerOf(pod) === undefined;

const isJobReference = (controller: ReturnType<typeof controllerOf>): boolean =>
  controller?.kind === 'Job' && controller.apiVersion === 'batch/v1';

function ownerOf(pod: Pod, jobs: Informer<Job>): Job | undefined {
  const controller = controllerOf(pod);
  if (controller === undefined || !isJobReference(controller)) return undefined;
  const job = jobs.objects.get(`${pod.metadata.namespace}/${controller.name}`);
  return job?.metadata.uid === controller.uid ? job : undefined;
}

/** A pod that no Job counts any more could never be deleted with the finalizer. */
async function untrackOrphan(
  context: ControllerContext,
  jobs: Informer<Job>,
  pod: Pod | undefined,
): Promise<undefined> {
  if (pod === undefined || !isTracked(pod)) return;
  const controller = controllerOf(pod);
  if (controller !== undefined && !isJobReference(controller)) return;
  const owner = ownerOf(pod, jobs);
  if (owner !== undefined && (isManagedElsewhere(owner) || !isFinished(owner))) return;
  const patch = { strategic: { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } } };
  const { name, namespace } = pod.metadata;
  await context.client.core.v1.pods.namespace(namespace!).patch(name!, patch).catch(undefinedWhenGone);
}
