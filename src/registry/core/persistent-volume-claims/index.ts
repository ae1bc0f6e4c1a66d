import { persistentVolumeClaimCells } from '../../../api/core/persistent-volumes/table.ts';
import { setClaimSpecDefaults } from '../../../api/core/pods/volume-defaults.ts';
import { roundResourceList } from '../../../api/core/resources/quantities.ts';
import type { PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';
import { persistentVolumeClaimStatusStrategy, persistentVolumeClaimStrategy } from './strategy.ts';

function setDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ??= 'Pending';
  setClaimSpecDefaults(spec);
  roundResourceList(status.capacity);
  roundResourceList(status.allocatedResources);
}

export const persistentVolumeClaims = defineResource<PersistentVolumeClaim>({
  group: '',
  resource: 'persistentvolumeclaims',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: persistentVolumeClaimStrategy,
  status: persistentVolumeClaimStatusStrategy,
  returnDeletedObject: true,
  table: { cells: (object, { now }) => persistentVolumeClaimCells(object, now) },
});
