import {
  validateMigration,
  validateMigrationStatus,
  validateMigrationUpdate,
} from '../../../api/storagemigration/storage-version-migrations/validation.ts';
import type { StorageVersionMigration } from '../../../api/gen/types/storagemigration-v1alpha1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const migrationStrategy: ResourceStrategy<StorageVersionMigration> = {
  prepareForCreate(migration) {
    migration.status = {};
  },
  prepareForUpdate(migration, old) {
    migration.status = old.status;
  },
  validate: validateMigration,
  validateUpdate: validateMigrationUpdate,
  resetFields: [['status']],
};

export const migrationStatusStrategy: Strategy<StorageVersionMigration> = {
  prepareForUpdate(migration, old) {
    migration.spec = old.spec;
  },
  validateUpdate: validateMigrationStatus,
  resetFields: [['metadata'], ['spec']],
};
