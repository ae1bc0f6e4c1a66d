import { classAnnotationWarnings } from '../../../api/core/persistent-volumes/warnings.ts';
import {
  dropForeignDataSource,
  normalizeDataSources,
} from '../../../api/core/persistent-volume-claims/data-sources.ts';
import {
  type ClaimUpdateRules,
  validateClaim,
  validateClaimStatusUpdate,
  validateClaimUpdate,
} from '../../../api/core/persistent-volume-claims/validation.ts';
import { claimSpecWarnings } from '../../../api/core/volumes/claim-warnings.ts';
import type { PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

const rulesOf = ({ enabled }: StrategyContext): ClaimUpdateRules => ({
  volumeAttributesClass: enabled('VolumeAttributesClass'),
  recoverFromExpansion: enabled('RecoverVolumeExpansionFailure'),
});

/** Members of features that are off stay where the claim had them before. */
function prepareSpec({ spec }: PersistentVolumeClaim, { enabled }: StrategyContext, old?: PersistentVolumeClaim): void {
  if (!enabled('VolumeAttributesClass') && old?.spec.volumeAttributesClassName === undefined)
    spec.volumeAttributesClassName = undefined;
  const namesNamespace = (spec.dataSourceRef?.namespace ?? '') !== '';
  if (namesNamespace && !enabled('CrossNamespaceVolumeDataSource') && old?.spec.dataSourceRef === undefined)
    spec.dataSourceRef = undefined;
  dropForeignDataSource(spec, old?.spec);
  normalizeDataSources(spec);
}

function dropDisabledStatus(
  { status }: PersistentVolumeClaim,
  { enabled }: StrategyContext,
  { status: old }: PersistentVolumeClaim,
): void {
  if (!enabled('VolumeAttributesClass')) {
    if (old.currentVolumeAttributesClassName === undefined) status.currentVolumeAttributesClassName = undefined;
    if (old.modifyVolumeStatus === undefined) status.modifyVolumeStatus = undefined;
  }
  if (!enabled('RecoverVolumeExpansionFailure')) {
    if (old.allocatedResources === undefined) status.allocatedResources = undefined;
    if (old.allocatedResourceStatuses === undefined) status.allocatedResourceStatuses = undefined;
  }
}

const warnings = ({ metadata, spec }: PersistentVolumeClaim): string[] => [
  ...classAnnotationWarnings(metadata),
  ...claimSpecWarnings(spec, FieldPath.of('spec')),
];

export const persistentVolumeClaimStrategy: ResourceStrategy<PersistentVolumeClaim> = {
  prepareForCreate: (object, context) => {
    object.status = { phase: 'Pending' };
    prepareSpec(object, context);
  },
  validate: (object, context) => validateClaim(object, rulesOf(context)),
  warningsOnCreate: warnings,
  prepareForUpdate: (object, old, context) => {
    object.status = old.status;
    prepareSpec(object, context, old);
  },
  validateUpdate: (object, old, context) => validateClaimUpdate(object, old, rulesOf(context)),
  warningsOnUpdate: warnings,
  resetFields: [['status']],
};

export const persistentVolumeClaimStatusStrategy: Strategy<PersistentVolumeClaim> = {
  prepareForUpdate: (object, old, context) => {
    object.spec = old.spec;
    dropDisabledStatus(object, context, old);
  },
  validateUpdate: (object, old, context) => validateClaimStatusUpdate(object, old, rulesOf(context)),
  resetFields: [['spec']],
};
