import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { keepMetadata } from '../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../strategy.ts';

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

/** Both kinds behave alike: what was valid once is judged as if it were new. */
export const flowControlStrategy = <T extends FlowControlObject>(
  validate: (object: T) => FieldErrors,
): ResourceStrategy<T> => ({
  generation: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: validate,
  resetFields: [['status']],
});

export const flowControlStatusStrategy = <T extends FlowControlObject>(
  validateUpdate: (object: T) => FieldErrors,
): Strategy<T> => ({
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
    keepMetadata(object.metadata, old.metadata);
  },
  validateUpdate,
  resetFields: [['metadata'], ['spec']],
});
