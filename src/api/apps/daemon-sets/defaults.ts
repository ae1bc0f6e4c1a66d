import type { DaemonSet } from '../../gen/types/apps-v1.ts';
import { createMap } from '../../../machinery/value.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';

/** Counts changes of the template. It was a field of the spec once, so it is always there. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

export function setDaemonSetDefaults({ metadata, spec }: DaemonSet): void {
  metadata.annotations ??= createMap();
  metadata.annotations[templateGenerationAnnotation] ??= '0';
  spec.updateStrategy.type ??= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    const rolling = (spec.updateStrategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
}
