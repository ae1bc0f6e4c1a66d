import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
  validateReplicationControllerUpdate,
} from '../../../api/core/replication-controllers/validation.ts';
import type { ReplicationController } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { dropTemplateFields, isChanged, templateRules, templateWarnings, workloadWarnings } from '../pods/template.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';

export const replicationControllerStrategy: ResourceStrategy<ReplicationController> = {
  generation: true,
  defaultGarbageCollection: 'orphan',
  prepareForCreate(controller, context) {
    controller.status = {};
    dropTemplateFields(controller.spec.template, undefined, context);
  },
  validate: (controller, context) => validateReplicationController(controller, templateRules(context)),
  warningsOnCreate: workloadWarnings,

  prepareForUpdate(controller, old, context) {
    controller.status = old.status;
    dropTemplateFields(controller.spec.template, old.spec.template, context);
  },
  /** Both sets of rules apply, and clients see an error of the spec twice. */
  validateUpdate(controller, old, context) {
    const rules = templateRules(context, controller.spec.template, old.spec.template);
    return FieldErrors.joined(
      validateReplicationController(controller, rules),
      validateReplicationControllerUpdate(controller, old, rules),
    );
  },
  warningsOnUpdate: (controller, old) => (isChanged(controller, old) ? templateWarnings(controller.spec.template) : []),
  resetFields: [['status']],
};

export const replicationControllerStatusStrategy: Strategy<ReplicationController> = {
  prepareForUpdate(controller, old) {
    controller.spec = old.spec;
  },
  validateUpdate: validateReplicationControllerStatusUpdate,
  resetFields: [['spec']],
};
