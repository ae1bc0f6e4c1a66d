/**
 * Starts Jobs by a schedule.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ | CronJob}
 */
import type { CronJob } from '../../api/gen/types/batch-v1.ts';
import { changesOf, type Controller, type Informer, type Trigger } from '../../client/index.ts';
import type { ControllerContext } from '../manager/context.ts';
import { keyOfController } from '../shared/claim.ts';
import { controllerIndex, controllerKeys } from '../shared/owner-references.ts';
import { isProblem, nextLookMs, timetableOf } from './due.ts';
import { CronJobSyncer } from './syncer.ts';

export function startCronJobs(context: ControllerContext): void {
  const { client, options } = context;
  const cronJobs = context.informer(client.batch.v1.cronjobs);
  const jobs = context.informer(client.batch.v1.jobs);
  const jobCache = context.mutationCache(jobs);
  jobCache.addIndex(controllerIndex, controllerKeys);
  const syncer = new CronJobSyncer(context, context.mutationCache(cronJobs), jobCache);
  const queue = context.work({
    queue: 'cronjob',
    workers: options.cronJob.concurrentSyncs,
    triggers: [schedulesOf(context, cronJobs, () => queue), changesOf(jobs, (job) => keyOfController(job, 'CronJob'))],
    sync: (key) => syncer.sync(key),
  });
}

/** A new schedule counts from its next time on; any other change is looked at at once. */
function schedulesOf(context: ControllerContext, cronJobs: Informer<CronJob>, queue: () => Controller): Trigger {
  const isNewSchedule = ({ spec: before }: CronJob, { spec: after }: CronJob): boolean =>
    before.schedule !== after.schedule || before.timeZone !== after.timeZone;
  return {
    attach(add) {
      const registration = cronJobs.addHandler({
        onAdd: (cronJob) => add(cronJobs.keyOf(cronJob)),
        onUpdate(before, after) {
          const key = cronJobs.keyOf(after);
          const timetable = isNewSchedule(before, after) ? timetableOf(after) : undefined;
          if (timetable === undefined || isProblem(timetable)) return add(key);
          const next = nextLookMs(after, timetable, context.wallTime());
          if (next === undefined) add(key);
          else queue().addAfter(key, next);
        },
        onDelete: (cronJob) => add(cronJobs.keyOf(cronJob)),
      });
      return () => registration.remove();
    },
    untilSynced: (signal) => cronJobs.untilSynced(signal),
  };
}
