import { classAnnotationWarnings } from '../../../api/core/persistent-volumes/warnings.ts';
import { persistentVolumeClaimCells } from '../../../api/core/persistent-volumes/table.ts';
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
import { setClaimSpecDefaults } from '../../../api/core/pods/volume-defaults.ts';
import { roundResourceList } from '../../../api/core/resources/quantities.ts';
import { claimSpecWarnings } from '../../../api/core/volumes/claim-warnings.ts';
import type { PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { defineResource, type StrategyContext, type VersionRules } from '../../strategy.ts';

function setDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ??= 'Pending';
  setClaimSpecDefaults(spec);
  roundResourceList(status.capacity);
  roundResourceList(status.allocatedResources);
}

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

export const persistentVolumeClaims = defineResource<PersistentVolumeClaim>({
  group: '',
  resource: 'persistentvolumeclaims',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: {
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
  },
  status: {
    prepareForUpdate: (object, old, context) => {
      object.spec = old.spec;
      dropDisabledStatus(object, context, old);
    },
    validateUpdate: (object, old, context) => validateClaimStatusUpdate(object, old, rulesOf(context)),
    resetFields: [['spec']],
  },
  returnDeletedObject: true,
  table: { cells: (object, { now }) => persistentVolumeClaimCells(object, now) },
});
