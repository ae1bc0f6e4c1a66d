import type { CronJob } from '../../gen/types/batch-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';

/** The Jobs that are made get the other defaults of Jobs. */
export function setCronJobDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ??= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  setPodTemplateDefaults(spec.jobTemplate.spec.template);
}
