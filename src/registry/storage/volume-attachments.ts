import { setPersistentVolumeSourceDefaults } from '../../api/core/persistent-volumes/defaults.ts';
import type { PersistentVolumeRules } from '../../api/core/persistent-volumes/validation.ts';
import {
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
} from '../../api/storage/volume-attachments/validation.ts';
import type { VolumeAttachment } from '../../api/gen/types/storage-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { keepMetadata } from '../status-metadata.ts';
import { defineResource, type StrategyContext, type VersionRules } from '../strategy.ts';

function setDefaults({
  spec: {
    source: { inlineVolumeSpec },
  },
}: VolumeAttachment): void {
  if (inlineVolumeSpec !== undefined) setPersistentVolumeSourceDefaults(inlineVolumeSpec);
}

const rulesOf = ({ enabled }: StrategyContext): PersistentVolumeRules => ({
  volumeAttributesClass: enabled('VolumeAttributesClass'),
});

function dropDisabledFields(
  {
    spec: {
      source: { inlineVolumeSpec },
    },
  }: VolumeAttachment,
  context: StrategyContext,
  old?: VolumeAttachment,
): void {
  const inUse = old?.spec.source.inlineVolumeSpec?.volumeAttributesClassName !== undefined;
  if (inlineVolumeSpec !== undefined && !inUse && !rulesOf(context).volumeAttributesClass)
    inlineVolumeSpec.volumeAttributesClassName = undefined;
}

export const volumeAttachments = defineResource<VolumeAttachment>({
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: {
    allowUnconditionalUpdate: false,
    prepareForCreate: (object, context) => {
      object.status = {};
      dropDisabledFields(object, context);
    },
    validate: (object, context) => validateVolumeAttachment(object, rulesOf(context)),
    prepareForUpdate: (object, old, context) => {
      object.status = old.status;
      dropDisabledFields(object, context, old);
    },
    validateUpdate: (object, old, context) => validateVolumeAttachmentUpdate(object, old, rulesOf(context)),
    resetFields: [['status']],
  },
  status: {
    prepareForUpdate: (object, old) => {
      object.spec = old.spec;
      keepMetadata(object.metadata, old.metadata);
    },
    validateUpdate: (object, old, context) => validateVolumeAttachmentUpdate(object, old, rulesOf(context)),
    resetFields: [['metadata'], ['spec']],
  },
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, spec, status }, { now }) => [
      metadata.name ?? '',
      spec.attacher ?? '',
      spec.source.persistentVolumeName ?? '',
      spec.nodeName ?? '',
      status.attached === true,
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});
