import { generateSelector } from '../../../api/batch/jobs/generated-selector.ts';
import { validateJobStatusUpdate } from '../../../api/batch/jobs/status-validation.ts';
import { validateJob, validateJobUpdate } from '../../../api/batch/jobs/validation.ts';
import { jobSpecWarnings } from '../../../api/batch/jobs/warnings.ts';
import type { Job, JobSpec } from '../../../api/gen/types/batch-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { createMap } from '../../../machinery/value.ts';
import { dropTemplateFields, isChanged, podNameWarnings, templateRules } from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

const specPath = FieldPath.of('spec');

export const jobStrategy: ResourceStrategy<Job> = {
  generation: true,
  defaultGarbageCollection: 'orphan',
  silentDeletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove ' +
    'them or set propagationPolicy=Orphan to suppress this warning',
  prepareForCreate(job, context) {
    generateSelector(job);
    job.status = {};
    dropDisabledFields(job.spec, undefined, context);
  },
  validate: (job, context) => validateJob(job, templateRules(context)),
  *warningsOnCreate({ metadata, spec }) {
    yield* podNameWarnings(metadata);
    yield* jobSpecWarnings(spec, specPath);
  },

  prepareForUpdate(job, old, context) {
    job.status = old.status;
    dropDisabledFields(job.spec, old.spec, context);
  },
  validateUpdate: (job, old, context) =>
    validateJobUpdate(job, old, templateRules(context, job.spec.template, old.spec.template)),
  warningsOnUpdate: (job, old) => (isChanged(job, old) ? jobSpecWarnings(job.spec, specPath) : []),
  canonicalize: settleLabels,
  resetFields: [['status']],
};

function dropDisabledFields(spec: JobSpec, old: JobSpec | undefined, context: StrategyContext): void {
  if (!context.enabled('JobPodReplacementPolicy') && old?.podReplacementPolicy === undefined)
    spec.podReplacementPolicy = undefined;
  dropTemplateFields(spec.template, old?.template, context);
}

/**
 * A Job without labels has those of its template: defaulting shared them, or creation just made them. From here on they
 * are its own.
 */
function settleLabels({ metadata, spec }: Job): void {
  const { labels } = spec.template.metadata;
  if (labels === undefined) return;
  if (metadata.labels === undefined || metadata.labels === labels)
    metadata.labels = Object.assign(createMap<string>(), labels);
}

export const jobStatusStrategy: Strategy<Job> = {
  prepareForUpdate(job, old) {
    job.spec = old.spec;
  },
  validateUpdate: validateJobStatusUpdate,
  resetFields: [['spec']],
};
