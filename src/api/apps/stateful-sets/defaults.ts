import type { StatefulSet } from '../../gen/types/apps-v1.ts';
import { setPodTemplateDefaults } from '../../core/pod-templates/defaults.ts';
import { setClaimSpecDefaults } from '../../core/pods/volume-defaults.ts';

export function setStatefulSetDefaults({ spec }: StatefulSet): void {
  spec.podManagementPolicy ??= 'OrderedReady';
  if (spec.updateStrategy.type === undefined) {
    spec.updateStrategy.type = 'RollingUpdate';
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === 'RollingUpdate' && spec.updateStrategy.rollingUpdate !== undefined)
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= 'Retain';
  retention.whenScaled ??= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
  spec.volumeClaimTemplates?.forEach((claim) => {
    claim.status.phase ??= 'Pending';
    setClaimSpecDefaults(claim.spec);
  });
}
