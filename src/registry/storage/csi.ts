/** What CSI drivers tell about themselves. */
import {
  setCsiDriverDefaults,
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
} from '../../api/storage/csi-objects.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity } from '../../api/gen/types/storage-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { isEqual } from '../../machinery/equal.ts';
import { type Cell, defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';

const group = 'storage.k8s.io';
const seLinuxGate = 'SELinuxMountReadWriteOncePod';

function driverCells({ metadata, spec }: CSIDriver, now: Date): Cell[] {
  const { tokenRequests, volumeLifecycleModes = [] } = spec;
  return [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    tokenRequests === undefined ? '<unset>' : tokenRequests.map(({ audience = '' }) => audience).join(','),
    spec.requiresRepublish ?? false,
    volumeLifecycleModes.length === 0 ? '<none>' : volumeLifecycleModes.join(','),
    ageCell(metadata.creationTimestamp, now),
  ];
}

export const csiDrivers = defineResource<CSIDriver>({
  group,
  resource: 'csidrivers',
  versions: { v1: { defaults: setCsiDriverDefaults } as VersionRules },
  strategy: {
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
  },
  returnDeletedObject: true,
  table: { cells: (object, { now }) => driverCells(object, now) },
});

export const csiNodes = defineResource<CSINode>({
  group,
  resource: 'csinodes',
  strategy: { allowUnconditionalUpdate: false, validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, spec }, { now }) => [
      metadata.name ?? '',
      spec.drivers?.length ?? 0,
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});

export const csiStorageCapacities: ResourceDefinition = defineResource<CSIStorageCapacity>({
  group,
  resource: 'csistoragecapacities',
  strategy: {
    allowUnconditionalUpdate: false,
    validate: (object) => validateCsiStorageCapacity(object),
    validateUpdate: validateCsiStorageCapacityUpdate,
  },
});
