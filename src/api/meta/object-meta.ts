/**
 * Rules of metadata. `validateObjectMeta` is what holds for every kind, custom resources included;
 * `validateBuiltInMeta` adds what the built-in kinds demand of finalizers.
 * @see {@link
 *   https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#metadata
 *   | API Conventions: metadata}
 */
import { type FieldError, forbidden, invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Label } from '../../machinery/formats/names.ts';
import { goTime } from '../../machinery/go-quote.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { checkImmutable, checkNonNegative, invalidEach } from './checks.ts';
import { checkFinalizers, checkNoNewFinalizers, checkStandardFinalizers } from './finalizers.ts';
import { checkAnnotations, checkLabels } from './labels.ts';
import { checkManagedFields } from './managed-fields.ts';
import type { NameRule } from './name-rules.ts';
import { checkOwnerReferences } from './owner-references.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameRule;
  /** Default `metadata`. */
  readonly path?: FieldPath;
}

export const metadataPath = FieldPath.of('metadata');

/** Errors of the metadata of a new object, whose name has been generated already. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldErrors {
  const errors = new FieldErrors();
  const path = rules.path ?? metadataPath;
  checkNames(meta, rules, path, errors);
  checkNonNegative(meta.generation, path.child('generation'), errors);
  checkLabels(meta.labels, path.child('labels'), errors);
  checkAnnotations(meta.annotations, path.child('annotations'), errors);
  checkOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  checkFinalizers(meta.finalizers, path.child('finalizers'), errors);
  checkManagedFields(meta.managedFields, path.child('managedFields'), errors);
  return errors;
}

function checkNames(
  meta: ObjectMeta,
  { namespaced, validateName }: ObjectMetaRules,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { generateName = '', name = '', namespace = '' } = meta;
  if (generateName !== '')
    invalidEach(validateName(generateName, true), path.child('generateName'), generateName, errors);
  if (name === '') errors.push(required(path.child('name'), 'name or generateName is required'));
  else invalidEach(validateName(name, false), path.child('name'), name, errors);
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(path.child('namespace'), 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(path.child('namespace')));
  else invalidEach(isDns1123Label(namespace), path.child('namespace'), namespace, errors);
}

/** Errors of metadata that is to replace `old`: what may not change, and the rules of its parts but the names. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath = metadataPath,
): FieldErrors {
  const errors = new FieldErrors();
  if (old.deletionTimestamp !== undefined)
    checkNoNewFinalizers(meta.finalizers, old.finalizers, path.child('finalizers'), errors);
  if ((meta.resourceVersion ?? '') === '')
    errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  checkImmutableMeta(meta, old, path, errors);
  checkLabels(meta.labels, path.child('labels'), errors);
  checkAnnotations(meta.annotations, path.child('annotations'), errors);
  checkOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  checkManagedFields(meta.managedFields, path.child('managedFields'), errors);
  return errors;
}

function checkImmutableMeta(meta: ObjectMeta, old: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  for (const field of ['name', 'namespace', 'uid'] as const)
    checkImmutable(meta[field] ?? '', old[field] ?? '', path.child(field), errors);
  if (meta.creationTimestamp !== old.creationTimestamp)
    checkImmutable(
      meta.creationTimestamp ?? null,
      old.creationTimestamp,
      path.child('creationTimestamp'),
      errors,
      (value: string | null) => goTime(value ?? undefined),
    );
  checkImmutable(meta.deletionTimestamp, old.deletionTimestamp, path.child('deletionTimestamp'), errors, goTime);
  checkImmutable(
    meta.deletionGracePeriodSeconds,
    old.deletionGracePeriodSeconds,
    path.child('deletionGracePeriodSeconds'),
    errors,
  );
}

/** {@link validateObjectMeta} for a built-in kind. */
export function validateBuiltInMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldErrors {
  const errors = validateObjectMeta(meta, rules);
  checkStandardFinalizers(meta.finalizers, (rules.path ?? metadataPath).child('finalizers'), errors);
  return errors;
}

/** {@link validateObjectMetaUpdate} for a built-in kind. */
export function validateBuiltInMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath = metadataPath,
): FieldErrors {
  const errors = validateObjectMetaUpdate(meta, old, path);
  checkStandardFinalizers(meta.finalizers, path.child('finalizers'), errors);
  return errors;
}

/**
 * The errors of a changed object that upstream judges as a new one and then as a changed one: clients see those of the
 * spec twice.
 */
export function judgedTwice(
  meta: ObjectMeta,
  old: ObjectMeta,
  rules: ObjectMetaRules,
  specErrors: readonly FieldError[],
): FieldErrors {
  return FieldErrors.joined(
    validateBuiltInMeta(meta, rules),
    specErrors,
    validateBuiltInMetaUpdate(meta, old),
    specErrors,
  );
}
