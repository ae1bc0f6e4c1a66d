/**
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole | Role and
 *   ClusterRole}
 */
import { type FieldError, invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import type { AggregationRule, ClusterRole, PolicyRule, Role } from '../gen/types/rbac-v1.ts';
import {
  checkLabelSelector,
  hasInvalidSelectorValue,
  type LabelSelectorRules,
  understoodSelector,
} from '../meta/label-selector.ts';
import { pathSegmentName } from '../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../meta/object-meta.ts';

export function validateRole(object: Role): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: true, validateName: pathSegmentName });
  checkRules(object.rules, true, errors);
  return errors;
}

export function validateClusterRole(object: ClusterRole, rules: LabelSelectorRules = {}): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: false, validateName: pathSegmentName });
  checkRules(object.rules, false, errors);
  checkAggregation(object.aggregationRule, errors, rules);
  return errors;
}

/** Upstream judges a changed role twice, and clients see each error twice. */
const twice = (errors: readonly FieldError[]): FieldErrors => FieldErrors.joined(errors, errors);

export const validateRoleUpdate = (object: Role, old: Role): FieldErrors =>
  FieldErrors.joined(twice(validateRole(object)), validateBuiltInMetaUpdate(object.metadata, old.metadata));

export function validateClusterRoleUpdate(object: ClusterRole, old: ClusterRole): FieldErrors {
  const rules = {
    allowInvalidValues: old.aggregationRule?.clusterRoleSelectors?.some(hasInvalidSelectorValue) === true,
  };
  return FieldErrors.joined(
    twice(validateClusterRole(object, rules)),
    validateBuiltInMetaUpdate(object.metadata, old.metadata),
  );
}

function checkRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean, errors: FieldErrors): void {
  rules?.forEach((rule, i) => checkRule(rule, namespaced, FieldPath.of('rules').index(i), errors));
}

/** A rule is about resources or about paths, and paths are not in a namespace. */
function checkRule(
  { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
  namespaced: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (verbs.length === 0) errors.push(required(path.child('verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const at = path.child('nonResourceURLs');
    if (namespaced)
      errors.push(invalid(at, goStrings(nonResourceURLs), 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      errors.push(
        invalid(at, goStrings(nonResourceURLs), 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return;
  }
  if (apiGroups.length === 0)
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
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
