/**
 * The rules that RoleBindings and ClusterRoleBindings share.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#rolebinding-and-clusterrolebinding |
 *   RoleBinding and ClusterRoleBinding}
 */
import { invalid, notSupported, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isDns1123Subdomain } from '../../machinery/formats/names.ts';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../gen/types/rbac-v1.ts';
import { checkFormat, checkRequiredText, invalidEach } from '../meta/checks.ts';
import { pathSegmentName } from '../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../meta/object-meta.ts';
import { rbacGroup } from './defaults.ts';
import { shownStruct } from '../shown-struct.ts';

type AnyBinding = RoleBinding | ClusterRoleBinding;

export function validateBinding({ metadata, roleRef, subjects }: AnyBinding, namespaced: boolean): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced, validateName: pathSegmentName });
  checkRoleRef(roleRef, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'], errors);
  subjects?.forEach((subject, i) => checkSubject(subject, namespaced, FieldPath.of('subjects').index(i), errors));
  return errors;
}

/** Upstream judges a changed binding twice, and clients see each error twice. What is granted cannot change. */
export function validateBindingUpdate(object: AnyBinding, old: AnyBinding, namespaced: boolean): FieldErrors {
  const errors = validateBinding(object, namespaced);
  const all = FieldErrors.joined(errors, errors, validateBuiltInMetaUpdate(object.metadata, old.metadata));
  if (!isEqual(object.roleRef, old.roleRef))
    all.push(invalid(FieldPath.of('roleRef'), shownStruct('rbac/v1.RoleRef', object.roleRef), 'cannot change roleRef'));
  return all;
}

function checkRoleRef(
  { apiGroup = '', kind = '', name = '' }: RoleRef,
  kinds: readonly string[],
  errors: FieldErrors,
): void {
  const path = FieldPath.of('roleRef');
  if (apiGroup !== rbacGroup) errors.push(notSupported(path.child('apiGroup'), apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(notSupported(path.child('kind'), kind, kinds));
  if (checkRequiredText(name, path.child('name'), errors))
    invalidEach(pathSegmentName(name, false), path.child('name'), name, errors);
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function checkSubject(
  { kind = '', name = '', apiGroup = '', namespace = '' }: Subject,
  namespaced: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const hasName = checkRequiredText(name, path.child('name'), errors);
  if (!subjectKinds.includes(kind)) return void errors.push(notSupported(path.child('kind'), kind, subjectKinds));
  const isAccount = kind === 'ServiceAccount';
  if (isAccount && hasName) checkFormat(isDns1123Subdomain, name, path.child('name'), errors);
  const group = isAccount ? '' : rbacGroup;
  if (apiGroup !== group) errors.push(notSupported(path.child('apiGroup'), apiGroup, [group]));
  // In a namespace an account without one is that namespace's.
  if (isAccount && !namespaced && namespace === '') errors.push(required(path.child('namespace')));
}
