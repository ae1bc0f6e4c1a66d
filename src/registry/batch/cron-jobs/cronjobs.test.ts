import { describe, expect, it } from 'vitest';
import { KindRules } from '../../../../test/support/kind-rules.ts';
import { codecs } from '../../../api/codecs.ts';
import type { CronJob, CronJobSpec } from '../../../api/gen/types/batch-v1.ts';
import { validateCronJobUpdate } from '../../../api/batch/cron-jobs/validation.ts';
import { podValidationOptions } from '../../../api/core/pods/validation-options.ts';
import { isGateOn } from '../../../api/feature-gates.ts';

const cronJobs = new KindRules<CronJob>('batch/v1', 'cronjobs');

type Json = Record<string, unknown>;

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'busybox' }] } };
const cronJob = (spec: Json = {}, rest: Json = {}): Json => ({
  metadata: { name: 'nightly' },
  spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template } }, ...spec },
  ...rest,
});

describe('a CronJob', () => {
  it('A CronJob gets defaults of its own and of pods, but none of Jobs', () => {
    const { spec } = cronJobs.create(cronJob()).object;
    expect(spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    expect(spec.jobTemplate.spec).toEqual({
      template: {
        metadata: { creationTimestamp: null },
        spec: expect.objectContaining({ dnsPolicy: 'ClusterFirst' }) as unknown,
      },
    });
  });

  it.each([
    { name: 'without a schedule', spec: { schedule: '' }, errors: ['spec.schedule: Required value'] },
    {
      name: 'with a zone in its schedule',
      spec: { schedule: 'CRON_TZ=UTC 0 3 * * *' },
      errors: [
        'spec.schedule: Invalid value: "CRON_TZ=UTC 0 3 * * *": cannot use TZ or CRON_TZ in schedule, use ' +
          'timeZone field instead',
      ],
    },
    {
      name: 'with no zone',
      spec: { timeZone: '' },
      errors: ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    },
    {
      name: 'in the zone of the server',
      spec: { timeZone: 'Local' },
      errors: [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in ' +
          'https://www.iana.org/time-zones',
      ],
    },
    {
      name: 'in the zone of the server, in small letters',
      spec: { timeZone: 'local' },
      errors: [
        'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in ' +
          'https://www.iana.org/time-zones',
        'spec.timeZone: Invalid value: "local": unknown time zone local',
      ],
    },
    {
      name: 'in a zone that is a path',
      spec: { timeZone: '../UTC' },
      errors: ['spec.timeZone: Invalid value: "../UTC": unknown time zone ../UTC'],
    },
    {
      name: 'with an unknown policy',
      spec: { concurrencyPolicy: 'Queue' },
      errors: ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    },
    {
      name: 'with a selector for all its Jobs',
      spec: { jobTemplate: { spec: { template, selector: { matchLabels: { a: 'b' } }, manualSelector: true } } },
      errors: [
        'spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, ' +
          'MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` ' +
          'will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
    },
    {
      name: 'that keeps fewer than no Jobs',
      spec: { failedJobsHistoryLimit: -1, startingDeadlineSeconds: -1 },
      errors: [
        'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
      ],
    },
  ])('A CronJob is refused $name', ({ spec, errors }) => {
    expect(cronJobs.create(cronJob(spec)).errors).toEqual(errors);
  });

  it('A CronJob needs a name that leaves space for the time suffix of its jobs', () => {
    const name = 'x'.repeat(53);
    expect(cronJobs.create(cronJob({}, { metadata: { name } })).errors).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });

  it('A CronJob is warned about what its Jobs are warned about', () => {
    const { warnings } = cronJobs.create(
      cronJob({
        jobTemplate: {
          spec: { template: { spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } } },
        },
      }),
    );
    expect(warnings).toEqual([
      'spec.jobTemplate.spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use ' +
        '"kubernetes.io/os" instead',
    ]);
  });
});

describe('an update of a CronJob', () => {
  it('An update of a CronJob counts as a new generation when it changes the spec', () => {
    expect(cronJobs.edit(cronJob(), ({ spec }) => void (spec.suspend = true)).object.metadata.generation).toBe(2);
    expect(
      cronJobs.edit(cronJob(), ({ metadata }) => void (metadata.labels = { a: 'b' })).object.metadata.generation,
    ).toBe(1);
  });

  it('An update of a CronJob of the status leaves the spec alone', () => {
    const { errors, object } = cronJobs.edit(
      cronJob(),
      (read) =>
        void Object.assign(read, { spec: { schedule: '' }, status: { lastScheduleTime: '2026-01-01T00:00:00Z' } }),
      'status',
    );
    expect(errors).toEqual([]);
    expect(object.spec.schedule).toBe('0 3 * * *');
    expect(object.status).toEqual({ lastScheduleTime: '2026-01-01T00:00:00Z' });
  });

  // Stored by a server that still took them.
  const zoned = 'TZ=UTC 0 3 * * *';
  it.each([
    { name: 'keeps its zone', spec: {}, errors: [] },
    {
      name: 'gets the field as well',
      spec: { timeZone: 'UTC' },
      errors: [
        'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use both timeZone field and TZ or CRON_TZ ' +
          'in schedule',
      ],
    },
    { name: 'gets the field instead', spec: { schedule: '0 3 * * *', timeZone: 'UTC' }, errors: [] },
  ])('An update of a CronJob with an old schedule and a zone that $name', ({ spec, errors }) => {
    const read = (change: Partial<CronJobSpec>): CronJob => {
      const object = codecs
        .of('batch/v1.CronJob')
        .fromJson(JSON.stringify(cronJob({ schedule: zoned, concurrencyPolicy: 'Allow', ...change })))
        .value as unknown as CronJob;
      return Object.assign(object, {
        metadata: { ...object.metadata, namespace: 'default', uid: 'u', resourceVersion: '1' },
      });
    };
    const rules = podValidationOptions({ enabled: isGateOn, allowPrivileged: true }, false);
    const found = validateCronJobUpdate(read(spec), read({}), rules).map(({ field, body }) => `${field}: ${body}`);
    expect(found.filter((error) => !error.startsWith('spec.jobTemplate'))).toEqual(errors);
  });
});

describe('columns of a CronJob', () => {
  it.each([
    {
      name: 'new',
      json: cronJob(),
      cells: ['nightly', '0 3 * * *', '<none>', 'False', 0, '<none>', '<unknown>', 'app', 'busybox', '<none>'],
    },
    {
      name: 'running',
      json: cronJob(
        { timeZone: 'Asia/Tokyo', suspend: true },
        { status: { active: [{ name: 'a' }], lastScheduleTime: '2026-01-02T03:00:05Z' } },
      ),
      cells: ['nightly', '0 3 * * *', 'Asia/Tokyo', 'True', 1, '4m', '<unknown>', 'app', 'busybox', '<none>'],
    },
  ])('Columns of a CronJob when $name', ({ json, cells }) => {
    expect(cronJobs.cells(json)).toEqual(cells);
  });
});
