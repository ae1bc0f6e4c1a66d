import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { kubernetesFinalizer, orphanFinalizer, foregroundFinalizer } from '../../meta/finalizers.ts';
import { invalidEach } from '../../meta/checks.ts';
import { labelName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import type { Namespace } from '../../gen/types/core-v1.ts';

/** @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ | Namespaces} */
export function validateNamespace(object: Namespace): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata ?? {}, { namespaced: false, validateName: labelName });
  for (const finalizer of object.spec?.finalizers ?? [])
    checkNamespaceFinalizer(finalizer, FieldPath.of('spec', 'finalizers'), errors);
  return errors;
}

function checkNamespaceFinalizer(finalizer: string, path: FieldPath, errors: FieldErrors): void {
  invalidEach(isQualifiedName(finalizer), path, finalizer, errors);
  if (finalizer.includes('/') || [kubernetesFinalizer, orphanFinalizer, foregroundFinalizer].includes(finalizer))
    return;
  errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
}

export const validateNamespaceUpdate = (object: Namespace, old: Namespace): FieldErrors =>
  validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {});

/** Upstream names the phase's Go field here. */
const phase = FieldPath.of('status', 'Phase');

export function validateNamespaceStatusUpdate(object: Namespace, old: Namespace): FieldErrors {
  const errors = validateNamespaceUpdate(object, old);
  const value = object.status?.phase ?? '';
  if (object.metadata?.deletionTimestamp === undefined && value !== 'Active')
    errors.push(invalid(phase, value, "may only be 'Active' if `deletionTimestamp` is empty"));
  if (object.metadata?.deletionTimestamp !== undefined && value !== 'Terminating')
    errors.push(invalid(phase, value, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  return errors;
}

export function validateNamespaceFinalizeUpdate(object: Namespace, old: Namespace): FieldErrors {
  const errors = validateNamespaceUpdate(object, old);
  for (const [i, finalizer] of (object.spec?.finalizers ?? []).entries())
    checkNamespaceFinalizer(finalizer, FieldPath.of('spec', 'finalizers').index(i), errors);
  return errors;
}
