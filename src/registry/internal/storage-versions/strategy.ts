import {
  validateStorageVersion,
  validateStorageVersionStatus,
  validateStorageVersionUpdate,
} from '../../../api/internal/storage-versions/validation.ts';
import type { StorageVersion } from '../../../api/gen/types/apiserverinternal-v1alpha1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const storageVersionStrategy: ResourceStrategy<StorageVersion> = {
  allowUnconditionalUpdate: false,
  prepareForCreate(version) {
    version.status = {};
  },
  prepareForUpdate(version, old) {
    version.status = old.status;
  },
  validate: validateStorageVersion,
  validateUpdate: validateStorageVersionUpdate,
  resetFields: [['status']],
};

export const storageVersionStatusStrategy: Strategy<StorageVersion> = {
  prepareForUpdate(version, old) {
    version.spec = old.spec;
  },
  validateUpdate: validateStorageVersionStatus,
  resetFields: [['metadata'], ['spec']],
};
