import type { ReplicaSet } from '../../gen/types/apps-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';

export function setReplicaSetDefaults({ spec }: ReplicaSet): void {
  spec.replicas ??= 1;
  setPodTemplateDefaults(spec.template);
}
