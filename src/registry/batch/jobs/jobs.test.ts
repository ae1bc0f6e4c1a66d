import { describe, expect, it } from 'vitest';
import { KindRules } from '../../../../test/support/kind-rules.ts';
import type { Job, JobSpec } from '../../../api/gen/types/batch-v1.ts';
import { jobs, template, job } from './testing/jobs.ts';

describe('labels and selector of a Job', () => {
  it('Labels and selector of a Job are made of its uid and name, on pods and Job alike', () => {
    const { object } = jobs.create(job());
    const { uid } = object.metadata;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'work',
      'controller-uid': uid,
      'job-name': 'work',
    };
    expect(object.metadata.labels).toEqual(labels);
    expect(object.spec.template.metadata.labels).toEqual(labels);
    expect(object.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
  });

  it('Labels and selector of a Job of its own stay as they are', () => {
    const { object } = jobs.create(job({}, { metadata: { name: 'work', labels: { a: 'b' } } }));
    expect(object.metadata.labels).toEqual({ a: 'b' });
  });

  it('Labels and selector of a Job are left to the user with manualSelector', () => {
    const { object, errors } = jobs.create(
      job({
        manualSelector: true,
        selector: { matchLabels: { a: 'b' } },
        template: { ...template, metadata: { labels: { a: 'b' } } },
      }),
    );
    expect(errors).toEqual([]);
    expect(object.spec.selector).toEqual({ matchLabels: { a: 'b' } });
    expect(object.metadata.labels).toEqual({ a: 'b' });
  });
});

describe('a new Job', () => {
  it.each([
    {
      name: 'a name that pods cannot have as host name',
      spec: {},
      metadata: { name: 'a.b' },
      warnings: [expect.stringContaining('a DNS label is recommended: [must not contain dots]')],
    },
    {
      name: 'more indexes than can be tracked',
      spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 },
      metadata: { name: 'work' },
      warnings: [expect.stringMatching(/^spec: In Indexed Jobs with a number of completions higher than 10\^5/)],
    },
  ])('A new Job is warned about: $name', ({ spec, metadata, warnings }) => {
    expect(jobs.create(job(spec, { metadata })).warnings).toEqual(warnings);
  });

  it.each([
    {
      name: "an index in its last pod's name too many",
      spec: { completionMode: 'Indexed', completions: 100 },
      metadata: { name: 'x'.repeat(61) },
      errors: [
        `metadata.name: Invalid value: "${'x'.repeat(61)}": will not able to create pod with invalid DNS ` +
          `label: ${'x'.repeat(61)}-99`,
      ],
    },
    {
      name: 'no completions',
      spec: { completionMode: 'Indexed', parallelism: 1 },
      errors: ['spec.completions: Required value: when completion mode is Indexed'],
    },
    {
      name: 'too much at once',
      spec: { completionMode: 'Indexed', completions: 200_000, parallelism: 100_001 },
      errors: [
        'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    },
    {
      name: 'too many failures',
      spec: { completionMode: 'Indexed', completions: 200_000, backoffLimitPerIndex: 1, maxFailedIndexes: 100_001 },
      errors: [
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions ' +
          'are above 100000 and used with backoff limit per index',
      ],
    },
    {
      name: 'failures counted without backoff',
      spec: { completionMode: 'Indexed', completions: 2, maxFailedIndexes: 1 },
      errors: ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    },
    {
      name: 'a long manager',
      spec: { managedBy: `a.b/${'c'.repeat(60)}` },
      errors: ['spec.managedBy: Too long: may not be more than 63 bytes'],
    },
    {
      name: 'replacement before the failure policy can judge',
      spec: {
        podReplacementPolicy: 'TerminatingOrFailed',
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A' }] }] },
      },
      errors: ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    },
    {
      name: 'a failure rule without anything',
      spec: { podFailurePolicy: { rules: [{ onExitCodes: { values: [] } }] } },
      errors: [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        'spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
        'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []int32{}: at least one value is required',
      ],
    },
    {
      name: 'a failure rule of both kinds',
      spec: {
        podFailurePolicy: {
          rules: [
            { action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'A' }] },
          ],
        },
      },
      errors: [
        'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex ' +
          'to be set',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and ' +
          'OnPodConditions is not supported',
      ],
    },
    {
      name: 'a success policy without rules',
      spec: { completionMode: 'Indexed', completions: 2, successPolicy: {} },
      errors: [
        'spec.successPolicy.rules: Required value: at least one rules must be specified when the ' +
          'successPolicy is specified',
      ],
    },
    {
      name: 'more successes than indexes',
      spec: {
        completionMode: 'Indexed',
        completions: 5,
        successPolicy: { rules: [{ succeededIndexes: '0,2-3', succeededCount: 6 }] },
      },
      errors: [
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the ' +
          'number of specified completions)',
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 3 (the ' +
          'number of indexes in the specified succeededIndexes field)',
      ],
    },
    {
      name: 'pods that are restarted for ever',
      spec: { template: { spec: { ...template.spec, restartPolicy: 'Always' } } },
      errors: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    },
  ])('A new Job is refused: $name', ({ spec, metadata = { name: 'work' }, errors }) => {
    expect(jobs.create(job(spec, { metadata })).errors).toEqual(errors);
  });

  it('A new Job loses podReplacementPolicy while its gate is off', () => {
    const rules = new KindRules<Job>('batch/v1', 'jobs', { gates: { JobPodReplacementPolicy: false } });
    expect(rules.create(job()).object.spec.podReplacementPolicy).toBeUndefined();
  });
});

describe('an update of a Job', () => {
  const indexed = job({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
  const held = job({ suspend: true });

  it.each([
    { name: 'parallelism', old: job(), change: (spec: JobSpec) => void (spec.parallelism = 5) },
    {
      name: 'completions of an indexed Job together with parallelism',
      old: indexed,
      change: (spec: JobSpec) => void Object.assign(spec, { completions: 5, parallelism: 5 }),
    },
    {
      name: 'where pods of a held Job run',
      old: held,
      change: ({ template: { spec } }: JobSpec) =>
        void Object.assign(spec, {
          nodeSelector: { a: 'b' },
          tolerations: [{ key: 'x', operator: 'Exists' }],
          affinity: { nodeAffinity: {} },
        }),
    },
  ])('An update of a Job may change $name', ({ old, change }) => {
    const { errors, object } = jobs.edit(old, ({ spec }) => change(spec));
    expect(errors).toEqual([]);
    expect(object.metadata.generation).toBe(2);
  });

  it.each([
    {
      name: 'completions alone',
      old: indexed,
      change: (spec: JobSpec) => void (spec.completions = 5),
      errors: ['spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism'],
    },
    {
      name: 'the node selector of pods that may run',
      old: job(),
      change: ({ template: { spec } }: JobSpec) => void (spec.nodeSelector = { a: 'b' }),
      errors: [expect.stringMatching(/^spec\.template: Invalid value: core\.PodTemplateSpec\{.*: field is immutable$/)],
    },
    {
      name: 'the image of a held Job',
      old: held,
      change: ({ template: { spec } }: JobSpec) => void (spec.containers![0]!.image = 'other'),
      errors: [expect.stringMatching(/^spec\.template: .*field is immutable$/)],
    },
    {
      name: 'the backoff of each index',
      old: indexed,
      change: (spec: JobSpec) => void (spec.backoffLimitPerIndex = 1),
      errors: ['spec.backoffLimitPerIndex: Invalid value: 1: field is immutable'],
    },
    {
      name: 'the success policy',
      old: indexed,
      change: (spec: JobSpec) => void (spec.successPolicy = { rules: [{ succeededCount: 1 }] }),
      errors: [
        expect.stringMatching(/^spec\.successPolicy: Invalid value: batch\.SuccessPolicy\{.*: field is immutable$/),
      ],
    },
  ])('An update of a Job may not change $name', ({ old, change, errors }) => {
    expect(jobs.edit(old, ({ spec }) => change(spec)).errors).toEqual(errors);
  });

  it('An update of a Job may not change where pods run once the first has', () => {
    const started = { ...held, status: { startTime: '2026-01-01T00:00:00Z' } };
    const { errors } = jobs.edit(
      started,
      ({
        spec: {
          template: { spec },
        },
      }) => void (spec.nodeSelector = { a: 'b' }),
    );
    expect(errors).toEqual([expect.stringMatching(/^spec\.template: .*field is immutable$/)]);
  });
});

describe('columns of a Job', () => {
  it.each([
    { name: 'new', json: job(), cells: ['work', 'Running', '0/1', '', '<unknown>', 'app', 'busybox', '<none>'] },
    {
      name: 'a work queue',
      json: job({ parallelism: 3 }, { status: { succeeded: 1, startTime: '2026-01-02T03:03:05Z' } }),
      cells: ['work', 'Running', '1/1 of 3', '60s', '<unknown>', 'app', 'busybox', '<none>'],
    },
    {
      name: 'complete',
      json: job(
        { completions: 2 },
        {
          status: {
            succeeded: 2,
            startTime: '2026-01-01T00:00:00Z',
            completionTime: '2026-01-01T00:05:00Z',
            conditions: [{ type: 'Complete', status: 'True' }],
          },
        },
      ),
      cells: ['work', 'Complete', '2/2', '5m', '<unknown>', 'app', 'busybox', '<none>'],
    },
    {
      name: 'held',
      json: job({}, { status: { conditions: [{ type: 'Suspended', status: 'True' }] } }),
      cells: ['work', 'Suspended', '0/1', '', '<unknown>', 'app', 'busybox', '<none>'],
    },
    {
      name: 'going',
      json: job({}, { metadata: { name: 'work', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      cells: ['work', 'Terminating', '0/1', '', '<unknown>', 'app', 'busybox', '<none>'],
    },
    {
      name: 'about to fail',
      json: job({}, { status: { conditions: [{ type: 'FailureTarget', status: 'True' }] } }),
      cells: ['work', 'FailureTarget', '0/1', '', '<unknown>', 'app', 'busybox', '<none>'],
    },
  ])('Columns of a Job when $name', ({ json, cells }) => {
    expect(jobs.cells(json)).toEqual(cells);
  });
});

it('A negative count in the status of a job is told once where nothing is said of ready pods', () => {
  const job = {
    metadata: { name: 'j', namespace: 'x' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  };
  const { errors } = new KindRules<Job>('batch/v1', 'jobs').edit(
    job,
    (read) => (read.status = { active: -1 }),
    'status',
  );
  expect(errors).toEqual(['status.active: Invalid value: -1: must be greater than or equal to 0']);
});
