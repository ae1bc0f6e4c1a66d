import { expect, test } from 'vitest';
import { failureCountName, ignoredFailureCountName, indexName, trackingFinalizer } from './job-pods.ts';
import { namePrefixOfIndex, templateOf, templateOfIndex } from './pod-template.ts';
import { indexedJob, jobOf, podOf } from './testing/builders.ts';

test('Pods have the finalizer by which they are counted, beside those of the template', () => {
  const { spec } = jobOf();
  const template = { ...spec.template, metadata: { finalizers: ['example.com/own'] } };
  expect(templateOf(jobOf({ template })).metadata.finalizers).toEqual(['example.com/own', trackingFinalizer]);
  expect(templateOf(jobOf()).metadata).toEqual({ labels: { app: 'work' }, finalizers: [trackingFinalizer] });
});

test('Containers of an indexed Job know their index, unless they say it themselves', () => {
  const own = { name: 'JOB_COMPLETION_INDEX', value: '7' };
  const { template } = indexedJob().spec;
  const containers = [
    { name: 'app', resources: {} },
    { name: 'own', resources: {}, env: [own] },
  ];
  const spec = { ...template.spec, initContainers: [{ name: 'init', resources: {} }], containers };
  const result = templateOf(indexedJob({ template: { ...template, spec } })).spec;
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexName}']` } },
  };
  expect(result.initContainers).toEqual([{ name: 'init', resources: {}, env: [variable] }]);
  expect(result.containers).toEqual([{ name: 'app', resources: {}, env: [variable] }, containers[1]]);
});

test('A pod has its index as label, annotation and host name', () => {
  const job = indexedJob();
  const { metadata, spec } = templateOfIndex(templateOf(job), job, 2, undefined);
  expect(metadata.labels).toEqual({ app: 'work', [indexName]: '2' });
  expect(metadata.annotations).toEqual({ [indexName]: '2' });
  expect(spec.hostname).toBe('work-2');
});

const ignoring = { action: 'Ignore', onExitCodes: { operator: 'In', values: [9] } } as const;

test.each([
  { name: 'no pod failed', last: undefined, counts: { [failureCountName]: '0' } },
  { name: 'one failed', last: podOf('a', { exitCode: 1 }), counts: { [failureCountName]: '1' } },
  { name: 'one more failed', last: podOf('a', { exitCode: 1, failures: 4 }), counts: { [failureCountName]: '5' } },
  {
    name: 'a failure is ignored',
    last: podOf('a', { exitCode: 9, failures: 4 }),
    counts: { [failureCountName]: '4', [ignoredFailureCountName]: '1' },
  },
  {
    name: 'failures were ignored before',
    last: podOf('a', { exitCode: 1, failures: 4, ignoredFailures: 2 }),
    counts: { [failureCountName]: '5', [ignoredFailureCountName]: '2' },
  },
  {
    name: 'counts that are no numbers',
    last: podOf('a', { exitCode: 1, failures: Number.NaN, ignoredFailures: 2 ** 31 }),
    counts: { [failureCountName]: '1' },
  },
])('A pod takes over the failures of its index: $name', ({ last, counts }) => {
  const policy = { rules: [{ ...ignoring, onExitCodes: { operator: 'In' as const, values: [9] } }] };
  const job = indexedJob({ backoffLimitPerIndex: 9, podFailurePolicy: policy });
  const { metadata } = templateOfIndex(templateOf(job), job, 0, last);
  expect(metadata.annotations).toEqual({ [indexName]: '0', ...counts });
});

test.each([
  { job: 'work', index: 3, prefix: 'work-3-' },
  { job: 'a'.repeat(63), index: 12, prefix: `${'a'.repeat(54)}-12-` },
])('The name of a pod begins with $prefix', ({ job, index, prefix }) => {
  expect(namePrefixOfIndex(job, index)).toBe(prefix);
});
