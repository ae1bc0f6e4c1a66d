import type { Deployment } from '../../gen/types/apps-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';

export function setDeploymentDefaults({ spec }: Deployment): void {
  spec.replicas ??= 1;
  spec.strategy.type ??= 'RollingUpdate';
  if (spec.strategy.type === 'RollingUpdate') {
    const rolling = (spec.strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= '25%';
    rolling.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateDefaults(spec.template);
}
