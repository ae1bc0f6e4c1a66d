import { invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { AggregationRule, ClusterRole } from '../../gen/types/rbac-v1.ts';
import {
  checkLabelSelector,
  hasInvalidSelectorValue,
  type LabelSelectorRules,
  understoodSelector,
} from '../../meta/label-selector.ts';
import { pathSegmentName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkRules, twice } from '../role-validation.ts';

export function validateClusterRole(object: ClusterRole, rules: LabelSelectorRules = {}): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: false, validateName: pathSegmentName });
  checkRules(object.rules, false, errors);
  checkAggregation(object.aggregationRule, errors, rules);
  return errors;
}

export function validateClusterRoleUpdate(object: ClusterRole, old: ClusterRole): FieldErrors {
  const rules = {
    allowInvalidValues: old.aggregationRule?.clusterRoleSelectors?.some(hasInvalidSelectorValue) === true,
  };
  return FieldErrors.joined(
    twice(validateClusterRole(object, rules)),
    validateBuiltInMetaUpdate(object.metadata, old.metadata),
  );
}

function checkAggregation(rule: AggregationRule | undefined, errors: FieldErrors, rules: LabelSelectorRules): void {
  if (rule === undefined) return;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const { clusterRoleSelectors = [] } = rule;
  if (clusterRoleSelectors.length === 0)
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  clusterRoleSelectors.forEach((selector, i) => {
    checkLabelSelector(selector, path.index(i), errors, rules);
    // What the rules let pass still has to be understood; the value is that of the selector that was not made.
    if (understoodSelector(selector) === undefined)
      errors.push(invalid(path.index(i), null, 'invalid label selector.'));
  });
}
