import type { StorageVersionMigration } from '../../api/gen/types/storagemigration-v1alpha1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { migrationStatusStrategy, migrationStrategy } from './storage-version-migrations/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<StorageVersionMigration>({
    group: 'storagemigration.k8s.io',
    resource: 'storageversionmigrations',
    strategy: migrationStrategy,
    status: migrationStatusStrategy,
  }),
];
