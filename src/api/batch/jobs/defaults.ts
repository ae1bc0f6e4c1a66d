import type { Job, JobSpec, PodFailurePolicy } from '../../gen/types/batch-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';

const maxInt32 = 2 ** 31 - 1;

export function setJobDefaults({ metadata, spec }: Job): void {
  setParallelismDefaults(spec);
  // When failures are counted for each index, the total is of no interest.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  const { labels } = spec.template.metadata;
  // Shared with the template: labels that creation adds to the template are labels of the Job too.
  if (labels !== undefined && isEmpty(metadata.labels)) metadata.labels = labels;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  setFailurePolicyDefaults(spec.podFailurePolicy);
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  setPodTemplateDefaults(spec.template);
}

/** One pod, unless something is said: then absent completions mean that any pod's success is the Job's. */
function setParallelismDefaults(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
}

function setFailurePolicyDefaults(policy: PodFailurePolicy | undefined): void {
  for (const { onPodConditions } of policy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ??= 'True';
  }
}

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  for (const _ in labels) return false;
  return true;
}
