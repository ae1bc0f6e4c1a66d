/** What a CronJob knows of its Jobs, and whether it starts another one now. */
import type { CronJob, CronJobStatus, Job } from '../../api/gen/types/batch-v1.ts';
import type { ObjectReference } from '../../api/gen/types/core-v1.ts';
import type { EventType } from '../../client/index.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { finishedCondition, heldCondition } from '../jobs/conditions.ts';
import { dueOf, isProblem, nextLookMs, timetableOf } from './due.ts';
import { jobName } from './job-of.ts';

export interface CronJobEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

const event = (type: EventType, reason: string, message: string): CronJobEvent => ({ type, reason, message });

export interface Observed {
  readonly status: CronJobStatus;
  readonly events: readonly CronJobEvent[];
  /** Run, and are not in the status: the CronJob that is known may be an old one. */
  readonly unexpected: readonly Job[];
  /** Are in the status, and not known: the Jobs that are known may be old ones. */
  readonly missing: readonly ObjectReference[];
}

/** @param jobs all that the CronJob controls */
export function observe({ status }: CronJob, jobs: readonly Job[]): Observed {
  const events: CronJobEvent[] = [];
  const unexpected: Job[] = [];
  const known = new Map(jobs.map((job) => [job.metadata.uid, job]));
  const active = (status.active ?? []).filter(({ uid }) => {
    const job = known.get(uid);
    const end = job === undefined ? undefined : finishedCondition(job.status.conditions ?? []);
    if (end === undefined) return true;
    const message = `Saw completed job: ${job!.metadata.name}, condition: ${end.type}`;
    events.push(event('Normal', 'SawCompletedJob', message));
    return false;
  });
  let { lastSuccessfulTime } = status;
  for (const job of jobs) {
    const conditions = job.status.conditions ?? [];
    if (heldCondition(conditions, 'Complete') !== undefined)
      lastSuccessfulTime = later(lastSuccessfulTime, job.status.completionTime);
    else if (finishedCondition(conditions) === undefined && !active.some(({ uid }) => uid === job.metadata.uid))
      unexpected.push(job);
  }
  const missing = active.filter(({ uid }) => !known.has(uid));
  return { status: statusWith(status, active, lastSuccessfulTime), events, unexpected, missing };
}

const later = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || b === undefined ? (a ?? b) : timeMs(a) < timeMs(b) ? b : a;

function statusWith(
  status: CronJobStatus,
  active: ObjectReference[],
  lastSuccessfulTime: string | undefined,
): CronJobStatus {
  const { active: before = [], ...others } = status;
  const isSame = active.length === before.length && lastSuccessfulTime === status.lastSuccessfulTime;
  if (isSame) return status;
  return {
    ...others,
    ...(active.length === 0 ? {} : { active }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}

export const withoutActive = (status: CronJobStatus, uids: ReadonlySet<string | undefined>): CronJobStatus =>
  statusWith(
    status,
    (status.active ?? []).filter(({ uid }) => !uids.has(uid)),
    status.lastSuccessfulTime,
  );

export const unexpectedEvent = ({ metadata }: Job): CronJobEvent =>
  event('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${metadata.name}`);

export const missingEvent = ({ name }: ObjectReference): CronJobEvent =>
  event('Normal', 'MissingJob', `Active job went missing: ${name}`);

export interface Decision {
  readonly events: readonly CronJobEvent[];
  /** The time of the schedule to start a Job for, since 1970. */
  readonly startMs?: number;
  /** Jobs that the new one takes the place of. */
  readonly replaced?: readonly ObjectReference[];
  /** When the CronJob is to be looked at next, whether or not a Job is started. */
  readonly nextLookMs?: number;
}

/** @param cronJob with the Jobs that run as `status.active` @param nowMs since 1970 */
export function decide(cronJob: CronJob, nowMs: number): Decision {
  const { spec, metadata } = cronJob;
  if (metadata.deletionTimestamp !== undefined || spec.suspend === true) return { events: [] };
  const timetable = timetableOf(cronJob);
  if (isProblem(timetable)) return { events: [event('Warning', timetable.reason, timetable.message)] };
  const events = zoneEvents(cronJob);
  const due = dueOf(cronJob, timetable, nowMs);
  if (isProblem(due)) return { events: [...events, event('Warning', due.reason, due.message)] };
  if (due.isManyMissed) events.push(tooManyMissed);
  const next = nextLookMs(cronJob, timetable, nowMs);
  const nextLook = next === undefined ? {} : { nextLookMs: next };
  const obstacle = due.atMs === undefined ? [] : obstacleTo(cronJob, due.atMs);
  if (due.atMs === undefined || obstacle !== undefined)
    return { events: [...events, ...(obstacle ?? [])], ...nextLook };
  const replaced = spec.concurrencyPolicy === 'Replace' ? { replaced: cronJob.status.active ?? [] } : {};
  return { events, startMs: due.atMs, ...replaced, ...nextLook };
}

const tooManyMissed = event(
  'Warning',
  'TooManyMissedTimes',
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
);

function zoneEvents({ spec: { schedule = '' } }: CronJob): CronJobEvent[] {
  if (!schedule.includes('TZ')) return [];
  const message =
    `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, see ` +
    'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  return [event('Warning', 'UnsupportedSchedule', message)];
}

/** What is told of a time for which no Job is started; undefined when one is. */
function obstacleTo(cronJob: CronJob, atMs: number): CronJobEvent[] | undefined {
  const { spec, status } = cronJob;
  const { active = [], lastScheduleTime } = status;
  const name = jobName(cronJob, atMs);
  const isStarted = active.some((job) => job.name === name);
  if (isStarted || (lastScheduleTime !== undefined && timeMs(lastScheduleTime) === atMs)) return [];
  if (spec.concurrencyPolicy !== 'Forbid' || active.length === 0) return undefined;
  const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  return [event('Normal', 'JobAlreadyActive', message)];
}
