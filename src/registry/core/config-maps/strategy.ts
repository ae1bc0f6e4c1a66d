import { validateConfigMap, validateConfigMapUpdate } from '../../../api/core/config-maps/validation.ts';
import type { ConfigMap } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const configMapStrategy: ResourceStrategy<ConfigMap> = {
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
};
