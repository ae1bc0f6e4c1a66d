/** The strategy of kinds with a pod template: Deployments, ReplicaSets, ReplicationControllers and their like. */
import type { PodValidationOptions } from '../../api/core/pods/validation-option-types.ts';
import type { PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { KubeObject, ObjectMeta } from '../../machinery/object-meta.ts';
import type { ResourceStrategy, Strategy } from '../strategy.ts';
import {
  dropTemplateFields,
  isChanged,
  templateRules,
  templateWarnings,
  workloadWarnings,
} from '../core/pods/template.ts';

type Workload = KubeObject & { metadata: ObjectMeta; spec: { template?: PodTemplateSpec }; status?: object };

export interface WorkloadRules<T> {
  validate(object: T, rules: PodValidationOptions): FieldErrors;
  validateUpdate(object: T, old: T, rules: PodValidationOptions): FieldErrors;
}

export const workloadStrategy = <T extends Workload>({ validate, validateUpdate }: WorkloadRules<T>) =>
  ({
    generation: true,
    prepareForCreate(object, context) {
      object.status = {};
      dropTemplateFields(object.spec.template, undefined, context);
    },
    validate: (object, context) => validate(object, templateRules(context)),
    warningsOnCreate: workloadWarnings,

    prepareForUpdate(object, old, context) {
      object.status = old.status;
      dropTemplateFields(object.spec.template, old.spec.template, context);
    },
    validateUpdate: (object, old, context) =>
      validateUpdate(object, old, templateRules(context, object.spec.template, old.spec.template)),
    warningsOnUpdate: (object, old) => (isChanged(object, old) ? templateWarnings(object.spec.template) : []),
    resetFields: [['status']],
  }) satisfies ResourceStrategy<T>;

/** A write of the status leaves the rest of the object as it is. */
export const workloadStatusStrategy = <T extends Workload>(validateUpdate: Strategy<T>['validateUpdate']) =>
  ({
    prepareForUpdate(object, old) {
      object.spec = old.spec;
    },
    validateUpdate,
    resetFields: [['spec']],
  }) satisfies Strategy<T>;
