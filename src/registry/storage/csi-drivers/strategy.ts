import { validateCsiDriver, validateCsiDriverUpdate } from '../../../api/storage/csi-drivers/validation.ts';
import type { CSIDriver } from '../../../api/gen/types/storage-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import type { ResourceStrategy } from '../../strategy.ts';

const seLinuxGate = 'SELinuxMountReadWriteOncePod';

export const csiDriverStrategy: ResourceStrategy<CSIDriver> = {
  allowUnconditionalUpdate: false,
  prepareForCreate: ({ spec }, { enabled }) => {
    if (!enabled(seLinuxGate)) spec.seLinuxMount = undefined;
  },
  validate: validateCsiDriver,
  prepareForUpdate: (object, old, { enabled }) => {
    const { spec } = object;
    if (!enabled(seLinuxGate) && old.spec.seLinuxMount === undefined) spec.seLinuxMount = undefined;
    // The generation counts changes and is not there before the first.
    if (!isEqual(spec, old.spec)) object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
  },
  validateUpdate: validateCsiDriverUpdate,
};
