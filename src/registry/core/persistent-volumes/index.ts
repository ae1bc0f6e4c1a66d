import { setPersistentVolumeDefaults } from '../../../api/core/persistent-volumes/defaults.ts';
import { persistentVolumeCells } from '../../../api/core/persistent-volumes/table.ts';
import type { PersistentVolume } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';
import { persistentVolumeStatusStrategy, persistentVolumeStrategy } from './strategy.ts';

export const persistentVolumes = defineResource<PersistentVolume>({
  group: '',
  resource: 'persistentvolumes',
  versions: { v1: { defaults: setPersistentVolumeDefaults } as VersionRules },
  strategy: persistentVolumeStrategy,
  status: persistentVolumeStatusStrategy,
  returnDeletedObject: true,
  table: { cells: (object, { now }) => persistentVolumeCells(object, now) },
});
