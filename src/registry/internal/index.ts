import type { StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { storageVersionStatusStrategy, storageVersionStrategy } from './storage-versions/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<StorageVersion>({
    group: 'internal.apiserver.k8s.io',
    resource: 'storageversions',
    strategy: storageVersionStrategy,
    status: storageVersionStatusStrategy,
  }),
];
