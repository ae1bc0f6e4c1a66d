import type { PersistentVolumeRules } from '../../../api/core/persistent-volumes/validation.ts';
import {
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
} from '../../../api/storage/volume-attachments/validation.ts';
import type { VolumeAttachment } from '../../../api/gen/types/storage-v1.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

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

export const volumeAttachmentStrategy: ResourceStrategy<VolumeAttachment> = {
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
};

export const volumeAttachmentStatusStrategy: Strategy<VolumeAttachment> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
    keepMetadata(object.metadata, old.metadata);
  },
  validateUpdate: (object, old, context) => validateVolumeAttachmentUpdate(object, old, rulesOf(context)),
  resetFields: [['metadata'], ['spec']],
};
