/** Brings one CronJob up to date: its status, the history of its Jobs, and the Job that is due. */
import type { CronJob, CronJobStatus, Job } from '../../api/gen/types/batch-v1.ts';
import type { ObjectReference } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { referenceTo } from '../../client/events/reference.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { finishedCondition } from '../jobs/conditions.ts';
import { controllerIndex, isControlledBy } from '../shared/owner-references.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { formatMs } from '../shared/times.ts';
import { jobsToForget } from './history.ts';
import { jobOf } from './job-of.ts';
import { creationSkew } from './metrics.ts';
import { type CronJobEvent, decide, missingEvent, observe, unexpectedEvent, withoutActive } from './sync.ts';

export class CronJobSyncer {
  readonly #context: ControllerContext;
  readonly #cronJobs: MutationCache<CronJob>;
  readonly #jobs: MutationCache<Job>;

  /** @param jobs have the index `controllerIndex` */
  constructor(context: ControllerContext, cronJobs: MutationCache<CronJob>, jobs: MutationCache<Job>) {
    this.#context = context;
    this.#cronJobs = cronJobs;
    this.#jobs = jobs;
  }

  async sync(key: string): Promise<SyncResult> {
    const cronJob = this.#cronJobs.get(key);
    if (cronJob === undefined) return undefined;
    const current = new Current(cronJob);
    try {
      return await this.#bringUpToDate(current);
    } finally {
      // What has been done is told, even when the rest failed.
      await this.#writeStatus(cronJob, current.status);
    }
  }

  async #bringUpToDate(current: Current): Promise<SyncResult> {
    const jobs = this.#jobs.byIndex(controllerIndex, current.cronJob.metadata.uid!);
    const newer = await this.#observe(current, jobs);
    if (newer !== undefined) {
      this.#cronJobs.wrote(newer);
      current.forget();
      return 'retry';
    }
    await this.#forgetJobs(current, jobs);
    const decision = decide(current.cronJob, this.#context.wallTime());
    this.#tell(current.cronJob, decision.events);
    if (decision.startMs !== undefined) {
      for (const reference of decision.replaced ?? []) await this.#replace(current, reference);
      await this.#start(current, decision.startMs);
    }
    return decision.nextLookMs === undefined ? undefined : { requeueAfterMs: decision.nextLookMs };
  }

  async #forgetJobs(current: Current, jobs: readonly Job[]): Promise<void> {
    for (const job of jobsToForget(current.cronJob, jobs)) {
      // Told by an event. The schedule is not held up by that.
      await this.#delete(current, job).catch(() => undefined);
    }
  }

  /** @returns the CronJob as the server has it, where what is known is older than its Jobs */
  async #observe(current: Current, jobs: readonly Job[]): Promise<CronJob | undefined> {
    const { cronJob } = current;
    const { status, events, unexpected, missing } = observe(cronJob, jobs);
    if (unexpected.length > 0) {
      const fresh = await this.#namespace(cronJob).cronjobs.get(cronJob.metadata.name!);
      const known = new Set(fresh.status.active?.map(({ uid }) => uid));
      if (unexpected.some(({ metadata }) => known.has(metadata.uid))) return fresh;
    }
    current.status = status;
    this.#tell(cronJob, [...events, ...unexpected.map(unexpectedEvent)]);
    for (const reference of missing) {
      if ((await this.#get(reference)) !== undefined) continue;
      this.#tell(cronJob, [missingEvent(reference)]);
      current.remove(reference.uid);
    }
    return undefined;
  }

  async #get({ namespace, name }: ObjectReference): Promise<Job | undefined> {
    return await this.#context.client.batch.v1.jobs.namespace(namespace!).get(name!).catch(undefinedWhenGone);
  }

  async #replace(current: Current, { namespace, name }: ObjectReference): Promise<void> {
    const { jobs } = this.#context.client.batch.v1;
    let job: Job;
    try {
      job = await jobs.namespace(namespace!).get(name!);
    } catch (error) {
      const message = `Get job: ${(error as Error).message}`;
      this.#tell(current.cronJob, [{ type: 'Warning', reason: 'FailedGet', message }]);
      throw error;
    }
    await this.#delete(current, job);
  }

  async #delete(current: Current, job: Job): Promise<void> {
    const { cronJob } = current;
    const { namespace, name, uid } = job.metadata;
    try {
      await this.#context.client.batch.v1.jobs
        .namespace(namespace!)
        .delete(name!, { propagationPolicy: 'Background', preconditions: { uid: uid! } });
    } catch (error) {
      if (!isNotFound(error)) {
        const message = `Deleted job: ${(error as Error).message}`;
        this.#tell(cronJob, [{ type: 'Warning', reason: 'FailedDelete', message }]);
        throw error;
      }
    }
    this.#jobs.deleted(job);
    current.remove(uid);
    this.#tell(cronJob, [{ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` }]);
  }

  async #start(current: Current, atMs: number): Promise<void> {
    const { cronJob } = current;
    const job = await this.#create(cronJob, atMs);
    if (job === undefined) return;
    current.started(job, atMs);
  }

  /** @returns undefined when the Job is another's, or is known already */
  async #create(cronJob: CronJob, atMs: number): Promise<Job | undefined> {
    const { jobs } = this.#namespace(cronJob);
    const wanted = jobOf(cronJob, atMs);
    try {
      const job = await jobs.create(wanted);
      this.#jobs.wrote(job);
      const skewMs = timeMs(job.metadata.creationTimestamp!) - atMs;
      creationSkew(this.#context.metrics)?.observe(skewMs / 1000);
      this.#tell(cronJob, [
        { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` },
      ]);
      return job;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (isAlreadyExists(error)) return this.#existing(cronJob, wanted.metadata!.name!);
      const message = `Error creating job: ${(error as Error).message}`;
      this.#tell(cronJob, [{ type: 'Warning', reason: 'FailedCreate', message }]);
      throw error;
    }
  }

  /** The Job was made by a run that could not tell of it any more. */
  async #existing(cronJob: CronJob, name: string): Promise<Job | undefined> {
    const job = await this.#namespace(cronJob).jobs.get(name);
    const isRunning = finishedCondition(job.status.conditions ?? []) === undefined;
    const isKnown = cronJob.status.active?.some(({ uid }) => uid === job.metadata.uid) ?? false;
    return isControlledBy(job, cronJob) && isRunning && !isKnown ? job : undefined;
  }

  async #writeStatus(cronJob: CronJob, status: CronJobStatus): Promise<void> {
    if (isEqual(cronJob.status, status)) return;
    this.#cronJobs.wrote(await this.#namespace(cronJob).cronjobs.status.update({ ...cronJob, status }));
  }

  #namespace({ metadata }: CronJob) {
    const { cronjobs, jobs } = this.#context.client.batch.v1;
    const namespace = metadata.namespace!;
    return { cronjobs: cronjobs.namespace(namespace), jobs: jobs.namespace(namespace) };
  }

  #tell(cronJob: CronJob, events: readonly CronJobEvent[]): void {
    for (const { type, reason, message } of events) this.#context.events.event(cronJob, type, reason, message);
  }
}

/** A CronJob with the status that it is about to have. */
class Current {
  readonly #cronJob: CronJob;
  status: CronJobStatus;

  constructor(cronJob: CronJob) {
    this.#cronJob = cronJob;
    this.status = cronJob.status;
  }

  get cronJob(): CronJob {
    return this.status === this.#cronJob.status ? this.#cronJob : { ...this.#cronJob, status: this.status };
  }

  forget(): void {
    this.status = this.#cronJob.status;
  }

  remove(uid: string | undefined): void {
    this.status = withoutActive(this.status, new Set([uid]));
  }

  started(job: Job, atMs: number): void {
    const active = [...(this.status.active ?? []), referenceTo(job)];
    this.status = { ...this.status, active, lastScheduleTime: formatMs(atMs) };
  }
}
