/**
 * The capacity that a CSI driver reports for a topology. @see {@link
 * https://kubernetes.io/docs/concepts/storage/storage-capacity/ | Storage Capacity}
 */
import type { CSIStorageCapacity } from '../../gen/types/storage-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { negativeMessage } from '../../../machinery/formats/messages.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { quantityOf } from '../../core/resources/quantities.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { checkLabelSelector, hasInvalidSelectorValue, type LabelSelectorRules } from '../../meta/label-selector.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { shownStruct } from '../../shown-struct.ts';

export function validateCsiStorageCapacity(object: CSIStorageCapacity, rules: LabelSelectorRules = {}): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: true, validateName: subdomainName });
  checkLabelSelector(object.nodeTopology, FieldPath.of('nodeTopology'), errors, rules);
  checkFormat(isDns1123Subdomain, object.storageClassName ?? '', FieldPath.of('storageClassName'), errors);
  // The largest volume is not judged.
  const { capacity } = object;
  if (capacity !== undefined && quantityOf(capacity).sign() < 0)
    errors.push(invalid(FieldPath.of('capacity'), capacity, negativeMessage));
  return errors;
}

/** What is asked of the driver cannot change, only what it answers. */
export function validateCsiStorageCapacityUpdate(object: CSIStorageCapacity, old: CSIStorageCapacity): FieldErrors {
  const errors = validateCsiStorageCapacity(object, { allowInvalidValues: hasInvalidSelectorValue(old.nodeTopology) });
  checkImmutable(object.nodeTopology, old.nodeTopology, FieldPath.of('nodeTopology'), errors, (selector: object) =>
    shownStruct('meta/v1.LabelSelector', selector),
  );
  checkImmutable(object.storageClassName, old.storageClassName, FieldPath.of('storageClassName'), errors);
  return errors;
}
