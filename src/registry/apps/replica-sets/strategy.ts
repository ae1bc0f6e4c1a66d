import {
  validateReplicaSet,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from '../../../api/apps/replica-sets/validation.ts';
import type { ReplicaSet } from '../../../api/gen/types/apps-v1.ts';
import {
  dropTemplateFields,
  isChanged,
  templateRules,
  templateWarnings,
  workloadWarnings,
} from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const replicaSetStrategy: ResourceStrategy<ReplicaSet> = {
  generation: true,
  prepareForCreate(set, context) {
    set.status = {};
    dropTemplateFields(set.spec.template, undefined, context);
  },
  validate: (set, context) => validateReplicaSet(set, templateRules(context)),
  warningsOnCreate: workloadWarnings,

  prepareForUpdate(set, old, context) {
    set.status = old.status;
    dropTemplateFields(set.spec.template, old.spec.template, context);
  },
  validateUpdate: (set, old, context) =>
    validateReplicaSetUpdate(set, old, templateRules(context, set.spec.template, old.spec.template)),
  warningsOnUpdate: (set, old) => (isChanged(set, old) ? templateWarnings(set.spec.template) : []),
  resetFields: [['status']],
};

export const replicaSetStatusStrategy: Strategy<ReplicaSet> = {
  prepareForUpdate(set, old) {
    set.spec = old.spec;
  },
  validateUpdate: validateReplicaSetStatusUpdate,
  resetFields: [['spec']],
};
