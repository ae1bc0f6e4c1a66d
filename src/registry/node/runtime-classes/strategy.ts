import { podValidationOptions } from '../../../api/core/pods/validation-options.ts';
import { validateRuntimeClass, validateRuntimeClassUpdate } from '../../../api/node/runtime-classes/validation.ts';
import type { RuntimeClass } from '../../../api/gen/types/node-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const runtimeClassStrategy: ResourceStrategy<RuntimeClass> = {
  allowUnconditionalUpdate: false,
  validate: (object, context) => validateRuntimeClass(object, podValidationOptions(context, false)),
  validateUpdate: (object, old, context) =>
    validateRuntimeClassUpdate(object, old, podValidationOptions(context, false)),
};
