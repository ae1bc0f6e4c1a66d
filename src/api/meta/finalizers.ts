import { forbidden, invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isQualifiedName } from '../../machinery/formats/names.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import { invalidEach } from './checks.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';
export const kubernetesFinalizer = 'kubernetes';

/** @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/ | Finalizers} */
export function checkFinalizers(finalizers: readonly string[] | undefined, path: FieldPath, errors: FieldErrors): void {
  if (finalizers === undefined) return;
  for (const finalizer of finalizers) invalidEach(isQualifiedName(finalizer), path, finalizer, errors);
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    errors.push(
      invalid(
        path,
        goStrings(finalizers),
        `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`,
      ),
    );
  }
}

/** Built-in kinds allow names without a domain only for the finalizers that everyone knows. */
export function checkStandardFinalizers(
  finalizers: readonly string[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  finalizers?.forEach((finalizer, i) => {
    if (
      finalizer.includes('/') ||
      finalizer === kubernetesFinalizer ||
      finalizer === orphanFinalizer ||
      finalizer === foregroundFinalizer
    )
      return;
    errors.push(
      invalid(path.index(i), finalizer, 'name is neither a standard finalizer name nor is it fully qualified'),
    );
  });
}

export function checkNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const before = new Set(old);
  const extra = [...new Set(finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
  if (extra.length > 0)
    errors.push(
      forbidden(
        path,
        `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(extra).text}`,
      ),
    );
}
