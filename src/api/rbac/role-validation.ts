/**
 * The rules that Roles and ClusterRoles share.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-and-clusterrole | Role and
 *   ClusterRole}
 */
import { type FieldError, invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import type { PolicyRule } from '../gen/types/rbac-v1.ts';

/** Upstream judges a changed role twice, and clients see each error twice. */
export const twice = (errors: readonly FieldError[]): FieldErrors => FieldErrors.joined(errors, errors);

export function checkRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean, errors: FieldErrors): void {
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
