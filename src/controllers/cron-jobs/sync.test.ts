import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobSpec, CronJobStatus, Job } from '../../api/gen/types/batch-v1.ts';
import { jobsToForget } from './history.ts';
import { jobOf } from './job-of.ts';
import { decide, observe } from './sync.ts';

const at = (time: string): string => `2026-03-01T${time}Z`;
const ms = (time: string): number => Date.parse(at(time));

const cronJob = (spec: Partial<CronJobSpec> = {}, status: CronJobStatus = {}, created = '09:59:30'): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tick', namespace: 'default', uid: 'cron', creationTimestamp: at(created) },
  spec: {
    schedule: '*/10 * * * *',
    jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: {} } } } as CronJobSpec['jobTemplate'],
    ...spec,
  },
  status,
});

const reference = (uid: string): NonNullable<CronJobStatus['active']>[number] => ({
  uid,
  name: uid,
  namespace: 'default',
});

interface Row {
  readonly name: string;
  readonly now: string;
  readonly spec?: Partial<CronJobSpec>;
  readonly status?: CronJobStatus;
  readonly start?: string;
  readonly replaced?: readonly string[];
  /** Seconds until the next look; undefined when there is none. */
  readonly nextS: number | undefined;
  readonly events?: readonly string[];
}

const tooMany =
  'Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check ' +
  'clock skew';

const rows: readonly Row[] = [
  { name: 'nothing is due yet', now: '09:59:50', nextS: 10.1 },
  { name: 'a Job is due at its time', now: '10:00:00.1', start: '10:00:00', nextS: 600 },
  {
    name: 'of several missed times the last one counts',
    now: '10:35:00',
    start: '10:30:00',
    nextS: 300.1,
  },
  {
    name: 'times count from the last start',
    now: '10:10:30',
    status: { lastScheduleTime: at('10:10:00') },
    nextS: 570.1,
  },
  {
    name: 'a start in the future, after the clock was set back, is not repeated',
    now: '10:05:00',
    status: { lastScheduleTime: at('10:10:00') },
    nextS: 900.1,
  },
  { name: 'a suspended CronJob starts nothing', now: '10:35:00', spec: { suspend: true }, nextS: undefined },
  {
    name: 'a time at the end of the starting deadline is no start',
    now: '10:10:20',
    spec: { startingDeadlineSeconds: 20 },
    status: { lastScheduleTime: at('10:00:00') },
    nextS: 580.1,
  },
  {
    name: 'a time within the starting deadline',
    now: '10:10:19',
    spec: { startingDeadlineSeconds: 20 },
    status: { lastScheduleTime: at('10:00:00') },
    start: '10:10:00',
    nextS: 581.1,
  },
  {
    name: 'a time past the starting deadline is no start',
    now: '10:15:00',
    spec: { startingDeadlineSeconds: 20 },
    status: { lastScheduleTime: at('10:00:00') },
    nextS: 300.1,
  },
  {
    name: 'a hundred missed times are told as none',
    now: '11:39:30',
    spec: { schedule: '* * * * *' },
    start: '11:39:00',
    nextS: 30.1,
  },
  {
    name: 'more than a hundred missed times are told',
    now: '11:40:30',
    spec: { schedule: '* * * * *' },
    start: '11:40:00',
    nextS: 30.1,
    events: [tooMany],
  },
  {
    name: 'times before the starting deadline are not missed',
    now: '11:40:30',
    spec: { schedule: '* * * * *', startingDeadlineSeconds: 200 },
    start: '11:40:00',
    nextS: 30.1,
  },
  {
    name: 'Allow starts one beside those that run',
    now: '10:10:00.5',
    spec: { concurrencyPolicy: 'Allow' },
    status: { lastScheduleTime: at('10:00:00'), active: [reference('a')] },
    start: '10:10:00',
    nextS: 599.6,
  },
  {
    name: 'Forbid starts none beside one that runs',
    now: '10:10:00.5',
    spec: { concurrencyPolicy: 'Forbid' },
    status: { lastScheduleTime: at('10:00:00'), active: [reference('a')] },
    nextS: 599.6,
    events: [
      'Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid',
    ],
  },
  {
    name: 'Forbid starts one when none runs',
    now: '10:10:00.5',
    spec: { concurrencyPolicy: 'Forbid' },
    start: '10:10:00',
    nextS: 599.6,
  },
  {
    name: 'Replace takes the place of those that run',
    now: '10:10:00.5',
    spec: { concurrencyPolicy: 'Replace' },
    status: { lastScheduleTime: at('10:00:00'), active: [reference('a'), reference('b')] },
    start: '10:10:00',
    replaced: ['a', 'b'],
    nextS: 599.6,
  },
  {
    name: 'a Job of this time runs already',
    now: '10:10:00.5',
    status: { active: [{ name: `tick-${ms('10:10:00') / 60_000}`, uid: 'a' }] },
    nextS: 599.6,
  },
  {
    name: 'the time of a zone',
    now: '15:00:00.5',
    spec: { schedule: '0 0 2 3 *', timeZone: 'Asia/Tokyo' },
    start: '15:00:00',
    nextS: 365 * 86_400 - 0.4,
  },
  {
    name: 'a zone that is not known',
    now: '10:10:00',
    spec: { timeZone: 'Mars/Olympus' },
    nextS: undefined,
    events: ['Warning UnknownTimeZone invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus'],
  },
  {
    name: 'a zone in the schedule is told',
    now: '09:59:50',
    spec: { schedule: 'TZ=UTC 0 10 * * *' },
    nextS: 10.1,
    events: [
      'Warning UnsupportedSchedule CRON_TZ or TZ used in schedule "TZ=UTC 0 10 * * *" is not officially supported, ' +
        'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ],
  },
  {
    name: 'a schedule that cannot be read',
    now: '10:10:00',
    spec: { schedule: '* * *' },
    nextS: undefined,
    events: ['Warning UnparseableSchedule unparseable schedule: "* * *" : expected exactly 5 fields, found 3: [* * *]'],
  },
  {
    name: 'a schedule that is never due',
    now: '10:10:00',
    spec: { schedule: '0 0 31 2 *' },
    nextS: undefined,
    events: [
      'Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 ' +
        'second',
    ],
  },
  {
    name: 'an interval counts from the last start',
    now: '10:10:00',
    spec: { schedule: '@every 7m' },
    status: { lastScheduleTime: at('10:02:05') },
    start: '10:09:05',
    nextS: 365.1,
  },
];

test.each(rows)('A CronJob that is looked at: $name', ({ now, spec, status, start, replaced, nextS, events = [] }) => {
  const decision = decide(cronJob(spec, status), ms(now));
  expect(decision.startMs).toBe(start === undefined ? undefined : ms(start));
  expect(decision.replaced?.map(({ uid }) => uid)).toEqual(replaced);
  expect(decision.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(events);
  if (nextS === undefined) expect(decision.nextLookMs).toBeUndefined();
  else expect(decision.nextLookMs! / 1000).toBeCloseTo(nextS, 3);
});

test('A CronJob that is deleted starts nothing', () => {
  const deleted = cronJob();
  deleted.metadata.deletionTimestamp = at('10:00:00');
  expect(decide(deleted, ms('10:10:00'))).toEqual({ events: [] });
});

const job = (name: string, end?: 'Complete' | 'Failed', time = '10:00:00', started: string | null = time): Job => ({
  metadata: { name, namespace: 'default', uid: name },
  spec: { template: { metadata: {}, spec: {} } } as Job['spec'],
  status: {
    ...(started === null ? {} : { startTime: at(started) }),
    ...(end === 'Complete' ? { completionTime: at(time) } : {}),
    ...(end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] }),
  },
});

describe('the active Jobs of a CronJob', () => {
  const active = [reference('a'), reference('b')];
  const events = (jobs: Job[], status: CronJobStatus): string[] =>
    observe(cronJob({}, status), jobs).events.map(({ reason, message }) => `${reason} ${message}`);

  test('Finished Jobs are no longer active in the status of a CronJob', () => {
    const jobs = [job('a', 'Complete'), job('b')];
    expect(observe(cronJob({}, { active }), jobs).status).toEqual({
      active: [active[1]],
      lastSuccessfulTime: at('10:00:00'),
    });
    expect(events(jobs, { active })).toEqual(['SawCompletedJob Saw completed job: a, condition: Complete']);
  });

  test('A failed Job does not change lastSuccessfulTime', () => {
    const jobs = [job('a', 'Failed'), job('b')];
    expect(observe(cronJob({}, { active }), jobs).status).toEqual({ active: [active[1]] });
    expect(events(jobs, { active })).toEqual(['SawCompletedJob Saw completed job: a, condition: Failed']);
  });

  test('lastSuccessfulTime is that of the last success', () => {
    const jobs = [job('a', 'Complete', '10:20:00'), job('b', 'Complete', '10:10:00'), job('c', 'Failed', '10:30:00')];
    expect(observe(cronJob(), jobs).status).toEqual({ lastSuccessfulTime: at('10:20:00') });
    const status = { lastSuccessfulTime: at('10:40:00') };
    expect(observe(cronJob({}, status), jobs).status).toBe(status);
  });

  test('A running Job that is not in the status of its CronJob is unexpected', () => {
    const { unexpected, status } = observe(cronJob({}, { active }), [job('a'), job('b'), job('c'), job('d', 'Failed')]);
    expect(unexpected.map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(status.active).toBe(active);
  });

  test('A Job that is in the status of a CronJob and does not exist is missing', () => {
    const { missing, status } = observe(cronJob({}, { active }), [job('a')]);
    expect(missing).toEqual([active[1]]);
    expect(status.active).toBe(active);
  });
});

describe('the history of a CronJob', () => {
  const jobs = [
    job('third', 'Complete', '10:30:00'),
    job('first', 'Complete', '10:10:00'),
    job('second', 'Complete', '10:20:00'),
    job('never', 'Complete', '10:00:00', null),
    job('failed', 'Failed', '10:05:00'),
    job('failed-later', 'Failed', '10:15:00'),
    job('running'),
  ];
  test.each([
    { name: 'the oldest', limits: [2, 1], forgotten: ['first', 'second', 'failed'] },
    { name: 'none without limits', limits: [undefined, undefined], forgotten: [] },
    { name: 'none below the limits', limits: [4, 2], forgotten: [] },
    {
      name: 'all with limits of 0',
      limits: [0, 0],
      forgotten: ['first', 'second', 'third', 'never', 'failed', 'failed-later'],
    },
  ])('Jobs that the history limits delete: $name', ({ limits: [successful, failed], forgotten }) => {
    const spec = {
      ...(successful === undefined ? {} : { successfulJobsHistoryLimit: successful }),
      ...(failed === undefined ? {} : { failedJobsHistoryLimit: failed }),
    };
    expect(jobsToForget(cronJob(spec), jobs).map(({ metadata }) => metadata.name)).toEqual(forgotten);
  });
});

describe('the Job of a CronJob', () => {
  const template = (metadata: object): Partial<CronJobSpec> => ({
    jobTemplate: { metadata, spec: { backoffLimit: 2, template: { metadata: {}, spec: {} } } } as never,
  });

  test('The Job of a CronJob has labels and annotations of the template and a name with its minute', () => {
    const made = jobOf(cronJob(template({ labels: { l: '1' }, annotations: { a: '1' } })), ms('10:10:00'));
    expect(made).toEqual({
      metadata: {
        name: `tick-${ms('10:10:00') / 60_000}`,
        namespace: 'default',
        labels: { l: '1' },
        annotations: { a: '1', 'batch.kubernetes.io/cronjob-scheduled-timestamp': at('10:10:00') },
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            name: 'tick',
            uid: 'cron',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { backoffLimit: 2, template: { metadata: {}, spec: {} } },
    });
  });

  test.each([
    { timeZone: 'Asia/Tokyo', text: '2026-03-01T19:10:00+09:00' },
    { timeZone: 'America/St_Johns', text: '2026-03-01T06:40:00-03:30' },
    { timeZone: 'Etc/UTC', text: '2026-03-01T10:10:00Z' },
  ])('The Job of a CronJob has its scheduled time in the zone $timeZone', ({ timeZone, text }) => {
    const { metadata } = jobOf(cronJob({ ...template({}), timeZone }), ms('10:10:00'));
    expect(metadata?.annotations).toEqual({ 'batch.kubernetes.io/cronjob-scheduled-timestamp': text });
  });
});
