import {
  type PersistentVolumeRules,
  validatePersistentVolume,
  validatePersistentVolumeStatusUpdate,
  validatePersistentVolumeUpdate,
} from '../../../api/core/persistent-volumes/validation.ts';
import { persistentVolumeWarnings } from '../../../api/core/persistent-volumes/warnings.ts';
import type { PersistentVolume } from '../../../api/gen/types/core-v1.ts';
import { timestamp } from '../../generic/timestamp.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

const rulesOf = ({ enabled }: StrategyContext, old?: PersistentVolume): PersistentVolumeRules => ({
  volumeAttributesClass: enabled('VolumeAttributesClass') || old?.spec.volumeAttributesClassName !== undefined,
});

function dropDisabledFields({ spec }: PersistentVolume, context: StrategyContext, old?: PersistentVolume): void {
  if (!rulesOf(context, old).volumeAttributesClass) spec.volumeAttributesClassName = undefined;
}

export const persistentVolumeStrategy: ResourceStrategy<PersistentVolume> = {
  prepareForCreate: (object, context) => {
    object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.now) };
    dropDisabledFields(object, context);
  },
  validate: (object, context) => validatePersistentVolume(object, rulesOf(context)),
  warningsOnCreate: persistentVolumeWarnings,
  prepareForUpdate: (object, old, context) => {
    object.status = old.status;
    dropDisabledFields(object, context, old);
  },
  validateUpdate: (object, old, context) => validatePersistentVolumeUpdate(object, old, rulesOf(context, old)),
  warningsOnUpdate: persistentVolumeWarnings,
  resetFields: [['status']],
};

export const persistentVolumeStatusStrategy: Strategy<PersistentVolume> = {
  prepareForUpdate: (object, old, { now }) => {
    object.spec = old.spec;
    const { status } = object;
    // A client that sets the time together with the phase keeps its value.
    const isOldTime =
      status.lastPhaseTransitionTime === undefined ||
      status.lastPhaseTransitionTime === old.status.lastPhaseTransitionTime;
    if (status.phase !== old.status.phase && isOldTime) status.lastPhaseTransitionTime = timestamp(now);
  },
  validateUpdate: validatePersistentVolumeStatusUpdate,
  resetFields: [['spec']],
};
