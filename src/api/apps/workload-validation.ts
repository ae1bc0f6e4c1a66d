/** Validation of workloads whose selector cannot change. */
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { LabelSelector } from '../../machinery/label-selector.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { shownSelector } from '../core/pod-templates/workload.ts';
import type { PodValidationOptions } from '../core/pods/validation-option-types.ts';
import { checkImmutable } from '../meta/checks.ts';
import { subdomainName } from '../meta/name-rules.ts';
import { judgedTwice, validateBuiltInMeta, validateBuiltInMetaUpdate } from '../meta/object-meta.ts';

const selectorPath = FieldPath.of('spec', 'selector');
const metaRules = { namespaced: true, validateName: subdomainName };

interface Workload<Spec> {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
}

type UpdateErrors = (meta: ObjectMeta, old: ObjectMeta, checkSpec: (errors: FieldErrors) => void) => FieldErrors;

/** The errors of an update that is also judged as a new object: clients see those of the spec twice. */
export const judgedAsNewToo: UpdateErrors = (meta, old, checkSpec) => {
  const specErrors = new FieldErrors();
  checkSpec(specErrors);
  return judgedTwice(meta, old, metaRules, specErrors);
};

export const judgedOnce: UpdateErrors = (meta, old, checkSpec) => {
  const errors = validateBuiltInMetaUpdate(meta, old);
  checkSpec(errors);
  return errors;
};

export function workloadValidation<Spec extends { readonly selector?: LabelSelector }>(
  checkSpec: (spec: Spec, errors: FieldErrors, rules: PodValidationOptions) => void,
  updateErrors: UpdateErrors,
) {
  return {
    validate({ metadata, spec }: Workload<Spec>, rules: PodValidationOptions): FieldErrors {
      const errors = validateBuiltInMeta(metadata, metaRules);
      checkSpec(spec, errors, rules);
      return errors;
    },
    validateUpdate({ metadata, spec }: Workload<Spec>, old: Workload<Spec>, rules: PodValidationOptions): FieldErrors {
      const errors = updateErrors(metadata, old.metadata, (found) => checkSpec(spec, found, rules));
      checkImmutable(spec.selector, old.spec.selector, selectorPath, errors, shownSelector);
      return errors;
    },
  };
}
