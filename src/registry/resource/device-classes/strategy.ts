import type { DeviceClass } from '../../../api/gen/types/resource-v1beta1.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import { subdomainName } from '../../../api/meta/name-rules.ts';
import { validateDeviceClass } from '../../../api/resource/device-classes/validation.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const deviceClassStrategy: ResourceStrategy<DeviceClass> = {
  generation: true,
  validate: ({ metadata }) => validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName }),
  validateUpdate: ({ metadata }, old) => validateBuiltInMetaUpdate(metadata, old.metadata),
  validateInTurns: validateDeviceClass,
};
